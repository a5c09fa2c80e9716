/** What is asked of a bucket, and what its faults are called. */

import { describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { verifyObject } from "../../src/store/object_check.ts";
import { readObject, type StoreFault } from "../../src/store/objects.ts";
import { S3Store } from "../../src/store/s3_store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { objectHolding, spooled } from "../support/objects.ts";
import { words } from "../support/words.ts";

const SECRET = "the+secret/half=of-the-key";
const PAGE = objectHolding('{"rows":[]}'.repeat(50));
const at = { bucket: "reports", prefix: "raw (1)/tower" };

const folder = fresh(temporaryFolder);
const bucket = fresh(() => signedBucket(at.bucket, { region: "eu-north-1", secret: SECRET }));

const storeOf = (secret = SECRET, longestMs = 20_000) =>
  new S3Store(
    "s3://reports/raw (1)/tower",
    at,
    { endpoint: bucket.endpoint, region: "eu-north-1", accessKeyId: "TOWER", secretAccessKey: secret },
    { longestMs },
  );
const put = (store = storeOf()) => store.put(PAGE, spooled(folder.path, PAGE));
const faultOf = (work: Promise<unknown>): Promise<StoreFault> =>
  work.then(
    () => {
      throw new Error("nothing was thrown");
    },
    (error) => error,
  );

test("every question is signed with the secret, and another secret is not let in", async () => {
  const store = storeOf();
  await put(store);
  await store.find(PAGE);
  await Array.fromAsync(readObject(store, PAGE));
  await Array.fromAsync(store.list());
  await store.putFile("manifest/2026-11-22/a.ndjson.gz", PAGE.gzip);
  expect(bucket.unsigned).toStrictEqual([]);
  expect(new Set(bucket.asked.map((line) => line.split(" ")[0]))).toEqual(new Set(["HEAD", "PUT", "GET"]));
  expect(await faultOf(put(storeOf("another")))).toMatchObject({ kind: "refused" });
  expect(bucket.unsigned.length).toBeGreaterThan(0);
});

test("no key of the environment goes along", () => {
  const asked = Bun.spawnSync({
    cmd: [
      process.execPath,
      "-e",
      `
      const { S3Store } = await import("${import.meta.dir}/../../src/store/s3_store.ts");
      const seen = [];
      const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (r) => (seen.push(JSON.stringify([...r.headers])), new Response(null, { status: 404 })) });
      const store = new S3Store("s3://b", { bucket: "reports", prefix: "" }, { endpoint: "http://127.0.0.1:" + server.port, region: "r-1", accessKeyId: "TOWER", secretAccessKey: "x" });
      await store.find({ sha256: "0".repeat(64) }).catch(() => undefined);
      console.log(seen.join("\\n"));
      process.exit(0);`,
    ],
    env: {
      ...Bun.env,
      AWS_ACCESS_KEY_ID: "planted-id",
      AWS_SECRET_ACCESS_KEY: "planted-secret",
      AWS_REGION: "planted-region",
      AWS_ENDPOINT: "http://planted.invalid",
      S3_BUCKET: "planted-bucket",
    },
  }).stdout.toString();
  expect(asked).toContain("Credential=TOWER/");
  expect(asked).not.toContain("planted");
});

test("a server that tells no length of an object by its head alone is asked for its list", async () => {
  bucket.failing = "lengthless";
  expect(await put()).toBe("stored");
  expect(await put()).toBe("there");
  expect(await storeOf().find(PAGE)).toMatchObject({ storedBytes: PAGE.gzip.length });
});

test("a list is followed over all of its pages", async () => {
  const store = storeOf();
  const all = Array.from({ length: 8 }, (_, number) => objectHolding(`report ${number}`));
  for (const object of all) await store.put(object, spooled(folder.path, object));
  const names = (await Array.fromAsync(store.list())).map(({ sha256 }) => sha256);
  expect(names.sort()).toEqual(all.map(({ sha256 }) => sha256).sort());
});

describe("a fault is called by a name and words of our own", () => {
  const codes: readonly (readonly [code: string, status: number])[] = [
    ["NoSuchBucket", 404],
    ...words("AccessDenied InvalidAccessKeyId SignatureDoesNotMatch RequestTimeTooSkewed QuotaExceeded").map(
      (code) => [code, 403] as const,
    ),
    ["AuthorizationHeaderMalformed", 400],
    ["PermanentRedirect", 301],
    ["XMinioStorageFull", 507],
    ["SlowDown", 503],
    ["InternalError", 500],
    ["SomethingNew", 400],
    // Without a code its status tells.
    ["", 500],
    ["", 499],
  ];
  test("whatever is asked, the same; recorded", async () => {
    const store = storeOf();
    await put(store);
    const told: unknown[] = [];
    for (const [code, status] of codes) {
      bucket.failing = { code, status };
      const faults = [
        await faultOf(put(store)),
        await faultOf(store.find(PAGE)),
        await faultOf(Array.fromAsync(readObject(store, PAGE))),
        await faultOf(Array.fromAsync(store.list())),
        await faultOf(store.putFile("manifest/a.gz", PAGE.gzip)),
        await faultOf(store.remove(PAGE.sha256)),
      ];
      const said = faults
        .map((fault) => `${fault.message}${Bun.inspect(fault)}${JSON.stringify(fault)}`)
        .join();
      for (const secret of [PROVIDER_TEXT, SECRET]) expect(said).not.toContain(secret);
      told.push([...new Set(faults.map(({ name, kind, message }) => `${name} ${kind}: ${message}`))]);
    }
    recordEach(codes, (one) => told[codes.indexOf(one)]);
  });

  test("it is asked once: whoever wanted it asks again", async () => {
    const store = storeOf();
    bucket.failing = { code: "SlowDown", status: 503 };
    bucket.asked.length = 0;
    await faultOf(store.putFile("manifest/a.gz", PAGE.gzip));
    await faultOf(Array.fromAsync(store.list()));
    await faultOf(Array.fromAsync(readObject(store, PAGE)));
    expect(bucket.asked).toHaveLength(3);
  });
});

test("an object that the bucket has and does not give is damage of that one, and is written over", async () => {
  const store = storeOf();
  await put(store);
  for (const code of ["InternalError", "InvalidObjectState"]) {
    bucket.failing = { code, status: code === "InternalError" ? 500 : 403, reading: `${PAGE.sha256}.gz` };
    expect(await verifyObject(store, PAGE)).toBe("unreadable");
    expect(await put(store)).toBe("stored");
  }
  bucket.failing = { code: "SlowDown", status: 503, reading: `${PAGE.sha256}.gz` };
  expect(await faultOf(verifyObject(store, PAGE))).toMatchObject({ kind: "unreachable" });
  bucket.failing = undefined;
  expect(await verifyObject(store, PAGE)).toBeUndefined();
});

test("a bucket that does not answer is given up", async () => {
  const store = storeOf(SECRET, 50);
  bucket.failing = "silent";
  for (const work of [
    put(store),
    store.find(PAGE),
    Array.fromAsync(readObject(store, PAGE)),
    Array.fromAsync(store.list()),
  ]) {
    expect(await faultOf(work)).toMatchObject({ name: "StoreFault", kind: "unreachable" });
  }
});

test("an answer that breaks off is a fault of the store, not a short object", async () => {
  const store = storeOf();
  await put(store);
  bucket.failing = "cut";
  expect(await faultOf(Array.fromAsync(readObject(store, PAGE)))).toMatchObject({ name: "StoreFault" });
});

describe("a bucket that means harm", () => {
  /** A bucket that answers everything so. */
  async function hostile(
    answer: (request: Request) => Response,
  ): Promise<{ store: S3Store; close(): Promise<void> }> {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: answer });
    const settings = { region: "eu-north-1", accessKeyId: "TOWER", secretAccessKey: SECRET };
    const store = new S3Store("s3://reports", at, {
      endpoint: `http://127.0.0.1:${server.port}`,
      ...settings,
    });
    return { store, close: () => server.stop(true) };
  }

  test("is asked for a list, whose names are spelled as XML spells them, and for parts", async () => {
    let list = "ListBucketResult";
    const { store, close } = await hostile(({ url }) => {
      const key = `${new URL(url).searchParams.get("prefix")}a&amp;&#98;&#x63;&lt;d`;
      return new Response(`<${list}><Contents><Key>${key}</Key></Contents></${list}>`);
    });
    const files = () => Array.fromAsync(store.listFiles("manifest/"));
    expect(await files()).toEqual(["manifest/a&bc<d"]);
    list = "html";
    expect(await faultOf(files())).toMatchObject({ kind: "failed" });
    const packed = { ...PAGE, place: { pack: "packs/a", start: 3 } };
    expect(await faultOf(verifyObject(store, packed))).toMatchObject({ why: "it gives no parts" });
    await close();
  });

  test("is followed nowhere else", async () => {
    const elsewhere = storeOf();
    await put(elsewhere);
    bucket.asked.length = 0;
    const { store, close } = await hostile(({ url }) =>
      Response.redirect(`${bucket.endpoint}${new URL(url).pathname}`, 307),
    );
    for (const work of [
      () => put(store),
      () => store.find(PAGE),
      () => verifyObject(store, PAGE),
      () => Array.fromAsync(store.list()),
      () => store.remove(PAGE.sha256),
    ]) {
      expect(await faultOf(work())).toMatchObject({
        name: "StoreFault",
        kind: "refused",
        why: "the bucket is in another region than S3_REGION says, or at another S3_ENDPOINT",
      });
    }
    expect(bucket.asked).toStrictEqual([]);
    await close();
  });

  test("is read no further than an answer can be long, and ended where its list comes round", async () => {
    let sent = 0;
    const endless = (status = 200) =>
      new Response(
        new ReadableStream({
          pull: (body) => {
            sent += 1_000_000;
            if (sent > 100_000_000) body.close();
            else body.enqueue(Buffer.alloc(1_000_000, "<Contents><Key>"));
          },
        }),
        { status },
      );
    const { store, close } = await hostile(({ method, url }) => {
      if (method === "HEAD") return endless(404);
      return endless(url.includes("list-type") ? 200 : 400);
    });
    for (const work of [
      () => Array.fromAsync(store.list()),
      () => store.find(PAGE),
      () => verifyObject(store, PAGE),
    ]) {
      sent = 0;
      expect(await faultOf(work())).toMatchObject({
        kind: "failed",
        why: "it answers with more than can be right",
      });
      expect(sent).toBeLessThan(50_000_000);
    }
    await close();
    let asked = 0;
    const round = await hostile(() => {
      const next = `<NextContinuationToken>${++asked % 3}</NextContinuationToken>`;
      return new Response(
        `<ListBucketResult><IsTruncated>${asked < 100}</IsTruncated>${next}</ListBucketResult>`,
      );
    });
    expect(await faultOf(Array.fromAsync(round.store.list()))).toMatchObject({ why: "its list never ends" });
    expect(asked).toBe(4);
    await round.close();
  });
});

test("what the server says it took and does not have is not called safe", async () => {
  bucket.failing = "forgetful";
  const why = "what was sent is not there whole";
  expect(await faultOf(put())).toMatchObject({ name: "StoreFault", kind: "failed", why });
  bucket.failing = undefined;
  const write = (bytes: Uint8Array) => storeOf().putFile("manifest/2026-11-22/a.ndjson.gz", bytes);
  await write(PAGE.gzip);
  bucket.failing = "forgetful";
  // What is there is what was there before.
  expect(await faultOf(write(PAGE.gzip.subarray(1)))).toMatchObject({
    name: "StoreFault",
    kind: "failed",
    why,
  });
});

// A bucket that looks at signatures, written from the published algorithm (AWS Signature Version 4), and that fails as
// it is told to. It keeps what it is given in memory.

const hash = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
/** As the algorithm writes a value of the query: what is unreserved stays. */
const written = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether a request is signed with a secret, over its method, path, query and named headers. */
function isSigned(
  request: Request,
  { region, secret }: { readonly region: string; readonly secret: string },
): boolean {
  const authorization = request.headers.get("authorization") ?? "";
  const [, date = "", scope = "", names = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\d{8})\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const url = new URL(request.url);
  const query = [...url.searchParams]
    .map(([name, value]) => `${written(name)}=${written(value)}`)
    .sort()
    .join("&");
  const headers = names
    .split(";")
    .map((name) => `${name}:${(request.headers.get(name) ?? "").trim()}\n`)
    .join("");
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers,
    names,
    request.headers.get("x-amz-content-sha256") ?? "",
  ].join("\n");
  const toSign = [
    "AWS4-HMAC-SHA256",
    request.headers.get("x-amz-date") ?? "",
    `${date}/${scope}`,
    hash(canonical),
  ].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(
    (made, part) => hmac(made, part),
    hmac(`AWS4${secret}`, date),
  );
  return scope === `${region}/s3/aws4_request` && hmac(key, toSign).toString("hex") === signature;
}

/**
 * What the bucket does instead of answering: an error by its code, to the reading of one key where it is named, no answer at all, half of one,
 * one that says nothing was kept, or no length of what is.
 */
type Failing =
  | { readonly code: string; readonly status: number; readonly reading?: string }
  | "silent"
  | "cut"
  | "lengthless"
  | "forgetful"
  | undefined;

/** Text that no message of ours may hold. */
const PROVIDER_TEXT = "internal-host-7.example says <b>no</b>";

/** Starts one on a free port. Lists come in pages of three. */
function signedBucket(bucket: string, credentials: { readonly region: string; readonly secret: string }) {
  const kept = new Map<string, Uint8Array>();
  const [asked, unsigned]: [string[], string[]] = [[], []];
  const state: { failing: Failing } = { failing: undefined };
  const refusal = (status: number, code: string) =>
    new Response(`<Error><Code>${code}</Code><Message>${PROVIDER_TEXT}</Message></Error>`, { status });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      asked.push(`${request.method} ${pathname}`);
      if (!isSigned(request, credentials)) {
        unsigned.push(`${request.method} ${pathname}`);
        return refusal(403, "SignatureDoesNotMatch");
      }
      const { failing } = state;
      if (failing === "silent") return new Promise<Response>(() => undefined);
      const key = decodeURIComponent(pathname).slice(`/${bucket}/`.length);
      if (typeof failing === "object" && isMeant(failing, request.method, key)) {
        return refusal(failing.status, failing.code);
      }
      if (request.method === "PUT") {
        const bytes = await request.bytes();
        if (failing !== "forgetful") kept.set(key, bytes);
        return new Response(null, { headers: { etag: '"x"' } });
      }
      if (key === "") return listed(kept, searchParams);
      const bytes = kept.get(key);
      if (bytes === undefined) return refusal(404, "NoSuchKey");
      if (failing === "cut") {
        // The connection goes while the rest is waited for.
        const half = new ReadableStream<Uint8Array>({
          pull: (sink) => {
            if (sink.desiredSize === 0) return;
            sink.enqueue(bytes.subarray(0, bytes.length / 2));
            queueMicrotask(() => void server.stop(true));
          },
        });
        return new Response(half);
      }
      const isLengthless = failing === "lengthless" && request.method === "HEAD";
      return new Response(isLengthless ? null : (bytes as Uint8Array<ArrayBuffer>), {
        headers: { "last-modified": new Date(1_790_000_000_000).toUTCString() },
      });
    },
  });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    /** What was asked, as `PUT /bucket/raw/…`. */
    asked,
    /** Requests whose signature was not right. */
    unsigned,
    get failing(): Failing {
      return state.failing;
    },
    set failing(how: Failing) {
      state.failing = how;
    },
    stop: () => server.stop(true),
  };
}

const isMeant = ({ reading }: { readonly reading?: string }, method: string, key: string) =>
  reading === undefined || (method === "GET" && key.endsWith(reading));

function listed(kept: ReadonlyMap<string, Uint8Array>, query: URLSearchParams): Response {
  const keys = [...kept.keys()];
  const after = query.get("continuation-token") ?? "";
  const left = keys.filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after).sort();
  const page = left.slice(0, 3);
  const rows = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-11-22T00:00:00.000Z</LastModified><Size>${kept.get(key)?.length}</Size></Contents>`,
  );
  const more = left.length > page.length;
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  return new Response(
    `<ListBucketResult><IsTruncated>${more}</IsTruncated>${next}${rows.join("")}</ListBucketResult>`,
  );
}
