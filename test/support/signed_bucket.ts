/**
 * A bucket that looks at signatures, written from the published algorithm (AWS Signature Version 4), and that fails as it is told to.
 * It keeps what it is given in memory.
 */

import { createHash, createHmac } from "node:crypto";

const hash = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
/** As the algorithm writes a value of the query: what is unreserved stays. */
const written = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether a request is signed with a secret, over its method, path, query and named headers. */
export function isSigned(
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
export type Failing =
  | { readonly code: string; readonly status: number; readonly reading?: string }
  | "silent"
  | "cut"
  | "lengthless"
  | "forgetful"
  | undefined;

export interface SignedBucket {
  readonly endpoint: string;
  /** What was asked, as `PUT /bucket/raw/…`. */
  readonly asked: string[];
  /** Requests whose signature was not right. */
  readonly unsigned: string[];
  failing: Failing;
  stop(): Promise<void>;
}

/** Text that no message of ours may hold. */
export const PROVIDER_TEXT = "internal-host-7.example says <b>no</b>";

/** Starts one on a free port. Lists come in pages of three. */
export function signedBucket(
  bucket: string,
  credentials: { readonly region: string; readonly secret: string },
): SignedBucket {
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
    asked,
    unsigned,
    get failing() {
      return state.failing;
    },
    set failing(how) {
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
