/** The archive in a bucket of any S3-compatible store, through Bun's own client. */
import { S3Client } from "bun";
import { codeOf } from "../lib/thrown.ts";
import type { S3Settings } from "../platform/object_setting.ts";
import {
  type ListedObject,
  ObjectMissing,
  type ObjectStore,
  ObjectUnreadable,
  type StoredObject,
} from "./contract.ts";
import { StoreFault, type StoreFaultKind } from "./fault.ts";
import { sha256OfFile } from "./file_digest.ts";
import { holds } from "./holds.ts";
import { objectAt, pathOfFile, pathOfFolder, pathOfObject } from "./names.ts";

/** How long a question may take, and each piece of an answer, in milliseconds … */
const LONGEST_MS = 60_000;
/** … and how much longer for each mebibyte that is sent: a slow line of about 1 Mbit/s. */
const MS_A_MEBIBYTE = 8_000;
const MEBIBYTE = 1024 * 1024;
/** What a server says of one object that it has and cannot give, or only where it was put away: all others may be fine. */
const OF_ONE_OBJECT = /^(?:InternalError|InvalidObjectState)$/;
/** Names in one page of a list. */
const PAGE = 1_000;

export class S3Store implements ObjectStore {
  readonly kind = "s3";
  readonly where: string;
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #longestMs: number;
  readonly #page: number;

  constructor(
    where: string,
    at: { readonly bucket: string; readonly prefix: string },
    settings: S3Settings,
    bounds: { readonly longestMs?: number; readonly page?: number } = {},
  ) {
    this.where = where;
    this.#prefix = at.prefix === "" ? "" : `${at.prefix}/`;
    this.#longestMs = bounds.longestMs ?? LONGEST_MS;
    this.#page = bounds.page ?? PAGE;
    // What fails is asked again by whoever wanted it, not here.
    this.#client = new S3Client({
      ...settings,
      bucket: at.bucket,
      retry: 0,
      partSize: 8 * MEBIBYTE,
      queueSize: 2,
    });
  }

  async put(
    object: StoredObject,
    file: string,
    how: { readonly anew?: boolean } = {},
  ): Promise<"stored" | "there"> {
    const path = pathOfObject(object.sha256);
    if (how.anew !== true && (await holds(this, object, (await this.#stat(path))?.size))) return "there";
    if ((await sha256OfFile(file)) !== object.storedSha256) {
      throw new StoreFault("failed", this.where, "what was to be stored changed on its way");
    }
    await this.#send(path, Bun.file(file), object.storedBytes, "application/gzip");
    return "stored";
  }

  async isAbsent(): Promise<boolean> {
    return false;
  }

  async find(sha256: string): Promise<ListedObject | undefined> {
    const path = pathOfObject(sha256);
    const found = await this.#stat(path);
    if (found !== undefined) return { sha256, storedBytes: found.size, storedAt: found.changedAt };
    await this.#knock(path);
    return undefined;
  }

  async *read(sha256: string): AsyncGenerator<Uint8Array> {
    yield* this.#bytesOf(pathOfObject(sha256), sha256);
  }

  async *readFile(name: string): AsyncGenerator<Uint8Array> {
    yield* this.#bytesOf(pathOfFile(name), name);
  }

  async *list(): AsyncGenerator<ListedObject> {
    for await (const { key, size = 0, lastModified = "" } of this.#pages("objects/")) {
      const sha256 = objectAt(key);
      if (sha256 !== undefined) yield { sha256, storedBytes: size, storedAt: Date.parse(lastModified) };
    }
  }

  async remove(sha256: string): Promise<void> {
    await this.#asked(this.#client.delete(this.#prefix + pathOfObject(sha256)));
  }

  async putFile(name: string, bytes: Uint8Array): Promise<void> {
    await this.#send(pathOfFile(name), bytes, bytes.byteLength, "application/gzip");
  }

  async *listFiles(folder: string): AsyncGenerator<string> {
    for await (const { key } of this.#pages(pathOfFolder(folder))) yield key;
  }

  /** None that can be seen: an object appears whole. Parts of an upload that was cut off are the bucket's to remove (its lifecycle). */
  async *halfWritten(): AsyncGenerator<string> {}

  async sweep(): Promise<number> {
    return 0;
  }

  async *#bytesOf(path: string, name: string): AsyncGenerator<Uint8Array> {
    const reader = this.#client
      .file(this.#prefix + path)
      .stream()
      .getReader();
    try {
      for (;;) {
        const { done, value } = await this.#asked(
          reader.read().catch((error) => this.#unread(error, path, name)),
        );
        if (done) return;
        yield value;
      }
    } catch (error) {
      if (codeOf(error) === "NoSuchKey") throw new ObjectMissing(name);
      throw error;
    } finally {
      void reader.cancel().catch(() => undefined);
    }
  }

  /** Throws `ObjectUnreadable` where the bucket tells of an object that it does not give, else the error. */
  async #unread(error: unknown, path: string, name: string): Promise<never> {
    if (OF_ONE_OBJECT.test(codeOf(error)) && (await this.#stat(path)) !== undefined) {
      throw new ObjectUnreadable(name);
    }
    throw error;
  }

  /** Sends bytes, large ones in parts, and looks whether all of them are there: only then are they safe. */
  async #send(path: string, bytes: Uint8Array | Bun.BunFile, length: number, type: string): Promise<void> {
    const longestMs = this.#longestMs + (length / MEBIBYTE) * MS_A_MEBIBYTE;
    await this.#asked(this.#client.write(this.#prefix + path, bytes, { type }), longestMs);
    if ((await this.#stat(path))?.size === length) return;
    throw new StoreFault("failed", this.where, "what was sent is not there whole");
  }

  /** An object's length and when it was written; undefined where there is none. */
  async #stat(path: string): Promise<{ readonly size: number; readonly changedAt: number } | undefined> {
    try {
      const { size, lastModified } = await this.#asked(this.#client.stat(this.#prefix + path));
      // Nothing here is empty: some servers tell no length in an answer without a body, which is read as 0.
      return { size: size === 0 ? await this.#listedSize(path) : size, changedAt: lastModified.getTime() };
    } catch (error) {
      if (codeOf(error) === "NoSuchKey") return undefined;
      if (error instanceof StoreFault && error.kind === "failed") await this.#knock(path);
      throw error;
    }
  }

  /** An object's length as the list has it. */
  async #listedSize(path: string): Promise<number> {
    const key = this.#prefix + path;
    const { contents = [] } = await this.#asked(this.#client.list({ prefix: key, maxKeys: 1 }));
    return contents.find((one) => one.key === key)?.size ?? 0;
  }

  /**
   * Throws what keeps the bucket from being used, where anything does. The answer to a look at an object has no body: it does not say
   * why we are refused, nor whether the object is missing or the whole bucket.
   */
  async #knock(path: string): Promise<void> {
    await this.#asked(this.#client.list({ prefix: this.#prefix + path, maxKeys: 1 }));
  }

  async *#pages(folder: string) {
    const prefix = this.#prefix + folder;
    let from: { readonly continuationToken: string } | Record<string, never> | undefined = {};
    while (from !== undefined) {
      const page: Bun.S3ListObjectsResponse = await this.#asked(
        this.#client.list({ prefix, maxKeys: this.#page, ...from }),
      );
      for (const one of page.contents ?? []) yield { ...one, key: one.key.slice(this.#prefix.length) };
      const next = page.isTruncated === true ? page.nextContinuationToken : undefined;
      from = next === undefined ? undefined : { continuationToken: next };
    }
  }

  /** Waits for an answer, within the time it may take. Throws `StoreFault`, or the client's own error where there is no such object. */
  async #asked<T>(answer: Promise<T>, longestMs: number = this.#longestMs): Promise<T> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new StoreFault("unreachable", this.where)), longestMs);
    try {
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      const isTold = error instanceof StoreFault || error instanceof ObjectUnreadable;
      if (isTold || codeOf(error) === "NoSuchKey") throw error;
      throw faultOf(codeOf(error), this.where);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What the codes of servers and of Bun's client mean; what stands beside a code is the server's text, which nobody is shown. */
const MEANINGS: readonly (readonly [codes: RegExp, kind: StoreFaultKind, why?: string])[] = [
  [/^NoSuchBucket$/, "no_bucket"],
  [
    /^(?:AuthorizationHeaderMalformed|PermanentRedirect|TemporaryRedirect|IllegalLocationConstraintException)$/,
    "refused",
    "the bucket is in another region than S3_REGION says, or at another S3_ENDPOINT",
  ],
  [/^RequestTimeTooSkewed$/, "refused", "its clock and that of this machine are too far apart"],
  [
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|ExpiredToken)$/,
    "refused",
    "it does not know S3_ACCESS_KEY_ID, or S3_SECRET_ACCESS_KEY is not its secret",
  ],
  [/^(?:AccessDenied|AllAccessDisabled|AccountProblem|Unauthorized|Forbidden)$/, "refused"],
  [/^(?:QuotaExceeded|InsufficientStorage|XMinioStorageFull|XMinioAdminBucketQuotaExceeded)$/, "full"],
  [
    /^(?:Connection\w*|DNS\w*|FailedToOpenSocket|\w*[Tt]imeout\w*|SlowDown|ServiceUnavailable|InternalError|TooManyRequests|E[A-Z]+|\w*CERT\w*|UNABLE_TO_\w+)$/,
    "unreachable",
  ],
];

function faultOf(code: string, where: string): StoreFault {
  const [, kind = "failed", why] = MEANINGS.find(([codes]) => codes.test(code)) ?? [];
  return new StoreFault(kind, where, why);
}
