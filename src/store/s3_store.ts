/** The archive in a bucket of any S3-compatible store. */

import { createHmac } from "node:crypto";
import { systemClock } from "../base/base.ts";
import {
  type HttpFailureKind,
  type HttpRequest,
  type HttpResponse,
  httpRequest,
} from "../base/http_client.ts";
import { sha256Hex, sha256OfFile } from "../base/keys.ts";
import type { S3Settings } from "../base/setting.ts";
import { holds } from "./object_check.ts";
import {
  type FileFolder,
  type Findable,
  type ListedObject,
  longestMsFor,
  MOST_FILE_BYTES,
  ObjectMissing,
  type ObjectStore,
  ObjectUnreadable,
  objectAt,
  pathOf,
  pathOfFile,
  pathOfObject,
  type Readable,
  type StoredObject,
  StoreFault,
  type StoreFaultKind,
} from "./objects.ts";

/** What a server says of one object that it has and cannot give, or only where it was put away: all others may be fine. */
const OF_ONE_OBJECT = /^(?:InternalError|InvalidObjectState)$/;
/** Names in one page of a list … */
const PAGE = 1_000;
/** … and the bytes of one, which is also what is read of an error; pages of a list at most. */
const MOST_TEXT_BYTES = 4 * 1024 * 1024;
const MOST_PAGES = 100_000;

/** When it is looked whether what was sent is there, in milliseconds after the look before. */
const LOOKS_AFTER_MS = [0, 50, 500];

const NOTHING = sha256Hex("");

/** A question: signed, sent once, followed nowhere else, its answer within bounds. */
interface Asked extends Pick<HttpRequest, "body" | "into"> {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  /** '' for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hexadecimal. */
  readonly sha256?: string;
  /** Asks for a part of the object. */
  readonly part?: { readonly from: number; readonly bytes: number } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many are sent or read: from that follows how long it may take. */
  readonly bytes?: number;
}

export class S3Store implements ObjectStore {
  readonly kind = "s3";
  readonly where: string;
  readonly #bucket: string;
  readonly #settings: S3Settings;
  readonly #prefix: string;
  readonly #longestMs: number | undefined;

  constructor(
    where: string,
    at: { readonly bucket: string; readonly prefix: string },
    settings: S3Settings,
    bounds: { readonly longestMs?: number } = {},
  ) {
    this.where = where;
    this.#prefix = at.prefix === "" ? "" : `${at.prefix}/`;
    this.#longestMs = bounds.longestMs;
    this.#bucket = at.bucket;
    this.#settings = settings;
  }

  async put(
    object: StoredObject,
    file: string,
    how: { readonly anew?: boolean } = {},
  ): Promise<"stored" | "there"> {
    const path = pathOf(object);
    if (how.anew !== true && (await holds(this, object, await this.#sizeOf(path)))) return "there";
    if ((await sha256OfFile(file)) !== object.storedSha256) {
      throw new StoreFault("failed", this.where, "what was to be stored changed on its way");
    }
    await this.#send(path, Bun.file(file), { bytes: object.storedBytes, sha256: object.storedSha256 });
    return "stored";
  }

  async isAbsent(): Promise<boolean> {
    return false;
  }

  async find(object: Findable): Promise<ListedObject | undefined> {
    const path = pathOf(object);
    const storedBytes = await this.#sizeOf(path);
    if (storedBytes !== undefined) {
      return { sha256: object.sha256, storedBytes };
    }
    await this.#knock(path);
    return undefined;
  }

  async *read(object: Readable, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const { sha256, storedBytes: bytes, place } = object;
    const part = place && { from: place.start, bytes };
    yield* this.#bytesOf(pathOf(object), sha256, { bytes, part, signal });
  }

  async *readFile(name: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    yield* this.#bytesOf(pathOfFile(name), name, { bytes: MOST_FILE_BYTES, signal });
  }

  async *list(): AsyncGenerator<ListedObject> {
    for await (const { key, size } of this.#pages("objects/")) {
      const sha256 = objectAt(key);
      if (sha256 !== undefined) yield { sha256, storedBytes: size };
    }
  }

  async remove(sha256: string): Promise<void> {
    await this.#asked({ method: "DELETE", key: this.#prefix + pathOfObject(sha256) });
  }

  async putFile(name: string, bytes: Uint8Array): Promise<void> {
    const of = { bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
    await this.#send(pathOfFile(name), bytes as Uint8Array<ArrayBuffer>, of);
  }

  async *listFiles(folder: FileFolder): AsyncGenerator<string> {
    for await (const { key } of this.#pages(folder)) yield key;
  }

  /** None: an object appears whole. */
  async *halfWritten(): AsyncGenerator<string> {}

  async sweep(): Promise<number> {
    return 0;
  }

  async *#bytesOf(
    path: string,
    name: string,
    asked: Pick<Asked, "bytes" | "part" | "signal">,
  ): AsyncGenerator<Uint8Array> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    let isObject = false;
    const into = {
      begin: async (status: number) => {
        // A part is 206; the whole in its place is right only where the part begins with it.
        isObject = status === 206 || (status === 200 && (asked.part?.from ?? 0) === 0);
        if (status === 200 && !isObject) throw new StoreFault("failed", this.where, "it gives no parts");
      },
      write: async (piece: Uint8Array) => {
        if (isObject) await writer.write(piece);
      },
      end: async () => undefined,
    };
    const answered = this.#asked({ ...asked, method: "GET", key: this.#prefix + path, into });
    answered
      .then(
        () => writer.close(),
        (error) => writer.abort(error),
      )
      .catch(() => undefined);
    try {
      yield* readable;
    } catch (error) {
      const code = error instanceof BucketRefusal ? error.code : "";
      if (code === NO_KEY) throw new ObjectMissing(name);
      // The pack ends before: what is read of the object is too short, which whoever reads it says.
      if (code === NO_SUCH_PART) return;
      if (OF_ONE_OBJECT.test(code) && (await this.#sizeOf(path)) !== undefined)
        throw new ObjectUnreadable(name);
      throw error;
    }
  }

  /** Sends bytes and looks whether all of them are there: only then are they safe. */
  async #send(
    path: string,
    body: Uint8Array<ArrayBuffer> | Blob,
    of: Pick<Asked, "bytes" | "sha256">,
  ): Promise<void> {
    await this.#asked({ ...of, method: "PUT", key: this.#prefix + path, body });
    // Some servers answer a moment before what was sent is in its place.
    for (const waitMs of LOOKS_AFTER_MS) {
      await Bun.sleep(waitMs);
      if ((await this.#sizeOf(path)) === of.bytes) return;
    }
    throw new StoreFault("failed", this.where, "what was sent is not there whole");
  }

  /** An object's length; undefined where there is none. */
  async #sizeOf(path: string): Promise<number | undefined> {
    try {
      const { headers } = await this.#asked({ method: "HEAD", key: this.#prefix + path });
      const size = Number(headers.get("content-length") ?? 0);
      // Nothing here is empty: some servers tell no length in an answer without a body, which is read as 0.
      return size === 0 ? await this.#listedSize(path) : size;
    } catch (error) {
      if (error instanceof BucketRefusal && error.code === NO_KEY) return undefined;
      if (error instanceof StoreFault && error.kind === "failed") await this.#knock(path);
      throw error;
    }
  }

  /** An object's length as the list has it. */
  async #listedSize(path: string): Promise<number> {
    const key = this.#prefix + path;
    const { rows } = await this.#page(key, { "max-keys": "1" });
    return rows.find((one) => one.key === key)?.size ?? 0;
  }

  /**
   * Throws what keeps the bucket from being used, where anything does. The answer to a look at an object has no body: it does not say
   * why we are refused, nor whether the object is missing or the whole bucket.
   */
  async #knock(path: string): Promise<void> {
    await this.#page(this.#prefix + path, { "max-keys": "1" });
  }

  async *#pages(folder: string): AsyncGenerator<ListRow> {
    const seen = new Set<bigint | number>();
    for (let token: string | undefined = ""; token !== undefined; ) {
      const from: Record<string, string> = token === "" ? {} : { "continuation-token": token };
      const page = await this.#page(this.#prefix + folder, { "max-keys": String(PAGE), ...from });
      for (const one of page.rows) yield { ...one, key: one.key.slice(this.#prefix.length) };
      token = page.next;
      const name = Bun.hash(token ?? "");
      if (token !== undefined && (seen.has(name) || seen.size >= MOST_PAGES)) {
        throw new StoreFault("failed", this.where, "its list never ends");
      }
      seen.add(name);
    }
  }

  async #page(prefix: string, query: Readonly<Record<string, string>>) {
    const { text } = await this.#asked({
      method: "GET",
      key: "",
      query: { "list-type": "2", prefix, ...query },
    });
    if (!text.includes("<ListBucketResult")) throw new StoreFault("failed", this.where);
    return listPage(text);
  }

  /** The answer, within the time and the bytes that it may take. Throws `StoreFault`, and what its sink throws. */
  async #asked(asked: Asked): Promise<HttpResponse> {
    const { key, query = {}, sha256 = NOTHING, part, signal, bytes = 0, ...request } = asked;
    const parameters = Object.entries(query)
      .map(([name, value]) => `${written(name)}=${written(value)}`)
      .sort()
      .join("&");
    const path = `/${this.#bucket}/${key}`.split("/").map(written).join("/");
    const url = new URL(`${this.#settings.endpoint}${path}?${parameters}`);
    const range = part && { range: `bytes=${part.from}-${part.from + part.bytes - 1}` };
    const result = await httpRequest({
      ...request,
      url: url.href,
      headers: {
        ...signed(this.#settings, { method: request.method, url, query: parameters, sha256 }),
        ...range,
      },
      maxBytes: bytes + MOST_TEXT_BYTES,
      timeoutMs: longestMsFor(bytes, this.#longestMs),
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.ok && result.status < 300) return result;
    if (result.ok) throw new BucketRefusal(codeIn(result, request.method), this.where);
    const [kind, why] = FAILURES[result.failure] ?? ["unreachable"];
    throw new StoreFault(kind, this.where, why);
  }
}

/** An answer that says no, by the server's code. */
class BucketRefusal extends StoreFault {
  readonly code: string;

  constructor(code: string, where: string) {
    const [, kind = "failed", why] = MEANINGS.find(([codes]) => codes.test(code)) ?? [];
    super(kind, where, why);
    this.code = code;
  }
}

/** The code that an answer says or that its status means. That to HEAD has no body. */
function codeIn({ status, text }: HttpResponse, method: Asked["method"]): string {
  if (method === "HEAD") return status === 404 ? NO_KEY : "";
  return fieldOf(text, "Code") || (status < 500 ? "" : "ServiceUnavailable");
}

const NO_KEY = "NoSuchKey";
const NO_SUCH_PART = "InvalidRange";
const ELSEWHERE = "the bucket is in another region than S3_REGION says, or at another S3_ENDPOINT";

/** What the codes of servers mean; what stands beside a code is the server's text, which nobody is shown. */
const MEANINGS: readonly (readonly [codes: RegExp, kind: StoreFaultKind, why?: string])[] = [
  [/^NoSuchBucket$/, "no_bucket"],
  [
    /^(?:AuthorizationHeaderMalformed|PermanentRedirect|TemporaryRedirect|IllegalLocationConstraintException)$/,
    "refused",
    ELSEWHERE,
  ],
  [/^RequestTimeTooSkewed$/, "refused", "its clock and that of this machine are too far apart"],
  [
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken)$/,
    "refused",
    "it does not know S3_ACCESS_KEY_ID, or S3_SECRET_ACCESS_KEY is not its secret",
  ],
  [/^(?:AccessDenied|AllAccessDisabled|AccountProblem|Unauthorized|Forbidden)$/, "refused"],
  [/^(?:QuotaExceeded|InsufficientStorage|XMinioStorageFull|XMinioAdminBucketQuotaExceeded)$/, "full"],
  [/^(?:\w*[Tt]imeout\w*|SlowDown|ServiceUnavailable|InternalError|TooManyRequests)$/, "unreachable"],
];

/** Why there is no answer, where it is not that the bucket cannot be reached. */
const FAILURES: Readonly<Partial<Record<HttpFailureKind, readonly [StoreFaultKind, string?]>>> = {
  redirect: ["refused", ELSEWHERE],
  "too-large": ["failed", "it answers with more than can be right"],
};

interface ListRow {
  readonly key: string;
  readonly size: number;
}

/** A page of a list; `next` leads to the one after it. */
function listPage(text: string): { readonly rows: readonly ListRow[]; readonly next: string | undefined } {
  const [head = "", ...rows] = text.split("<Contents>");
  const beside = `${head}${rows.at(-1)?.split("</Contents>").at(-1) ?? ""}`;
  return {
    rows: rows.map((row) => ({
      key: fieldOf(row, "Key"),
      size: Number(fieldOf(row, "Size")),
    })),
    next: fieldOf(beside, "IsTruncated") === "true" ? fieldOf(beside, "NextContinuationToken") : undefined,
  };
}

/** The text of the first element of a name; '' where there is none. */
function fieldOf(xml: string, name: string): string {
  const begin = xml.indexOf(`<${name}>`) + name.length + 2;
  const end = xml.indexOf(`</${name}>`, begin);
  if (begin < name.length + 2 || end < 0) return "";
  return xml
    .slice(begin, end)
    .replace(/&#(x?)([0-9a-f]{1,5});/gi, (_, hex, code) =>
      String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)),
    )
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, sign: keyof typeof SIGNS) => SIGNS[sign]);
}

const SIGNS = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** As the signature writes a part of an address: only what is unreserved stays. */
const written = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** The headers of a signed question (AWS Signature Version 4). */
function signed(
  { region, accessKeyId, secretAccessKey }: S3Settings,
  {
    method,
    url,
    query,
    sha256,
  }: Readonly<Record<"method" | "query" | "sha256", string>> & { readonly url: URL },
): Readonly<Record<string, string>> {
  const moment = new Date(systemClock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  const scope = [moment.slice(0, 8), region, "s3", "aws4_request"];
  const headers = { host: url.host, "x-amz-content-sha256": sha256, "x-amz-date": moment };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, query, lines.join(""), names, sha256].join("\n");
  const text = ["AWS4-HMAC-SHA256", moment, scope.join("/"), sha256Hex(canonical)].join("\n");
  const key = scope.reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secretAccessKey}`);
  const credential = `${accessKeyId}/${scope.join("/")}`;
  const signature = hmac(key, text).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
