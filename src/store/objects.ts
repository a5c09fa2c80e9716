/**
 * Where the bytes of the archive lie: one store, a directory or a bucket, the same above both. An object is named by the SHA-256 of its
 * uncompressed bytes (64 hexadecimal digits, made by us) and kept as gzip: by itself at `objects/<first two digits>/<name>.gz`, later as
 * a part of a pack (`pack.ts`).
 */

import { PlainError } from "../base/text.ts";

/** An object as it is about to be stored, or was. */
export interface StoredObject {
  /** SHA-256 of the uncompressed bytes, in hexadecimal. */
  readonly sha256: string;
  /** Length of the uncompressed bytes. */
  readonly bytes: number;
  /** Length and SHA-256 (hexadecimal) of the gzip bytes, a header of which may be changed without changing what it holds. */
  readonly storedBytes: number;
  readonly storedSha256: string;
  /** Undefined where it lies by itself. */
  readonly place?: Place | undefined;
}

/** Where the gzip bytes of an object begin, in which pack. */
export interface Place {
  readonly pack: string;
  readonly start: number;
}

/** What a store needs to know of an object to find it. */
export type Findable = Pick<StoredObject, "sha256" | "place">;
/** And to read it. */
export type Readable = Findable & Pick<StoredObject, "storedBytes">;

/** An object in the store as it is listed. */
export interface ListedObject {
  readonly sha256: string;
  readonly storedBytes: number;
}

/** What is wrong with an object. */
export const OBJECT_FAULTS = ["missing", "length", "stored_digest", "unreadable", "digest"] as const;
export type ObjectFault = (typeof OBJECT_FAULTS)[number];

/** Thrown where an object, or a file beside the objects, is not there. */
export class ObjectMissing extends Error {
  /** Its name. */
  readonly sha256: string;

  constructor(sha256: string) {
    super(`the archive has no object ${sha256}`);
    this.sha256 = sha256;
  }
}

/** Thrown where an object, or a file beside the objects, is there and is not given back: a disk that lost a part of it, say. */
export class ObjectUnreadable extends Error {}

/** What reading an object threw says of that object; undefined where it says nothing of it. */
export function faultThrown(error: unknown): ObjectFault | undefined {
  if (error instanceof ObjectMissing) return "missing";
  return error instanceof ObjectUnreadable ? "unreadable" : undefined;
}

export interface PutHow {
  /** Writes also over what is there whole. */
  readonly anew?: boolean;
  /** The file was judged as it was written and may be moved; a directory's names are waited for by whoever gave it. */
  readonly given?: boolean;
}

/**
 * A store. Every method throws where the store cannot be used (`StoreFault`): that is never told as a missing object. Nothing is ever
 * under its name before all of it is safe.
 */
export interface ObjectStore {
  readonly kind: "directory" | "s3";
  /** For people: a path, or `s3://bucket/prefix`; never a secret. */
  readonly where: string;
  /**
   * Stores the gzip bytes in a file. When it resolves they are durable. `there` where exactly these bytes were there already;
   * what is damaged is written over. A pack is put as what has its place at its own beginning.
   */
  put(object: StoredObject, file: string, how?: PutHow): Promise<"stored" | "there">;
  /**
   * Whether nothing of an archive is at its place, as where its file system is not mounted: what is stored then would lie beneath it. A
   * bucket says so itself.
   */
  isAbsent(): Promise<boolean>;
  /** Undefined where there is no such object; of one with a place, how its pack lies. */
  find(object: Findable): Promise<ListedObject | undefined>;
  /** The gzip bytes, in pieces; for `readObject` alone, which bounds them. Throws `ObjectMissing` and `ObjectUnreadable`. */
  read(object: Readable, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Every object that lies by itself, in no order. */
  list(): AsyncIterable<ListedObject>;
  /** Removes what lies of an object by itself, if it is there. */
  remove(sha256: string): Promise<void>;
  /** Writes a whole file beside the objects (`manifest/….ndjson.gz`); a name may be written again with the same bytes. */
  putFile(name: string, bytes: Uint8Array): Promise<void>;
  /** The bytes of such a file, in pieces. Throws as `read`. */
  readFile(name: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** The names of the files under a folder (`manifest/`, `packs/`). */
  listFiles(folder: FileFolder): AsyncIterable<string>;
  /** What objects and files that were cut off left, by where it lies. It is nothing that anybody reads. */
  halfWritten(): AsyncIterable<string>;
  /** Removes what half-written objects left; says how many. Only while nobody writes. */
  sweep(): Promise<number>;
}

/** What keeps a store from being used, in words of our own: a provider's may hold anything. */
const WORDS = {
  unreachable: "it cannot be reached, or does not answer in time",
  refused: "it does not let this Tower in",
  no_bucket: "there is no such bucket",
  full: "it is full",
  absent: "there is no archive: is it mounted, and the right place?",
  failed: "it does not do what it is asked",
} as const;
export type StoreFaultKind = keyof typeof WORDS;

/** A store that cannot be used now. `message` is for people: the store, and what keeps it; never a secret, never a provider's text. */
export class StoreFault extends PlainError {
  override readonly name = "StoreFault";
  readonly kind: StoreFaultKind;
  readonly where: string;
  readonly why: string;

  /** `why` where there is more to say than its kind says. */
  constructor(kind: StoreFaultKind, where: string, why: string = WORDS[kind]) {
    super(`the archive at ${where}: ${why}`);
    this.kind = kind;
    this.where = where;
    this.why = why;
  }
}

const MEBIBYTE = 1024 * 1024;

/** How long anything may take, in milliseconds … */
const LONGEST_MS = 60_000;

/** … and how much longer for each mebibyte: a slow line of about 1 Mbit/s. */
const MS_A_MEBIBYTE = 8_000;

/** More than the manifest of any run takes, packed, and than any pack. */
export const MOST_FILE_BYTES = 256 * MEBIBYTE;

/** How long so many bytes may take. */
export const longestMsFor = (bytes: number, longestMs = LONGEST_MS): number =>
  longestMs + (bytes / MEBIBYTE) * MS_A_MEBIBYTE;

/** The gzip bytes of an object in pieces, one byte more than were stored at most. Throws as the store does. */
export function readObject(
  store: Pick<ObjectStore, "where" | "read">,
  object: Readable,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  return bounded(store.where, object.storedBytes, signal, (over) => store.read(object, over));
}

/** As `readObject`, of a file beside the objects. */
export function readFileBeside(
  store: ObjectStore,
  name: string,
  most = MOST_FILE_BYTES,
): AsyncGenerator<Uint8Array> {
  return bounded(store.where, most, undefined, (over) => store.readFile(name, over));
}

async function* bounded(
  where: string,
  most: number,
  signal: AbortSignal | undefined,
  open: (over: AbortSignal) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const over = new AbortController();
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => undefined);
  const giveUp = () => {
    over.abort();
    late.reject(new StoreFault("unreachable", where));
  };
  const timer = setTimeout(giveUp, longestMsFor(most));
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) giveUp();
  const pieces = open(over.signal)[Symbol.asyncIterator]();
  try {
    for (let left = most + 1; left > 0; ) {
      const next = pieces.next();
      next.catch(() => undefined);
      const { done, value } = await Promise.race([late.promise, next]);
      if (done === true) return;
      yield value.subarray(0, left);
      left -= value.byteLength;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
    over.abort();
    void pieces.return?.().catch(() => undefined);
  }
}

// Names of objects and files: made by us alone, never of what a provider said.
const SHA256 = /^[0-9a-f]{64}$/;

const FILE = /^(?:manifest|packs)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/;

const OBJECT = /^objects\/([0-9a-f]{2})\/(\1[0-9a-f]{62})\.gz$/;

/** A folder of files beside the objects, with the slash at its end. */
export type FileFolder = `${"manifest" | "packs"}/${"" | `${string}/`}`;

/** Whether a text can name an object. */
export const isObjectName = (text: string): boolean => SHA256.test(text);

/** `objects/ab/<name>.gz`. Throws `RangeError` on what is no name. */
export function pathOfObject(sha256: string): string {
  if (!isObjectName(sha256)) throw new RangeError("an object is named by 64 hexadecimal digits");
  return `objects/${sha256.slice(0, 2)}/${sha256}.gz`;
}

/** Where the bytes of an object lie. */
export const pathOf = ({ sha256, place }: Findable): string =>
  place === undefined ? pathOfObject(sha256) : pathOfFile(place.pack);

/** The object that lies at a path; undefined where none of ours does. */
export function objectAt(path: string): string | undefined {
  return OBJECT.exec(path)?.[2];
}

/** The path of a file beside the objects. Throws `RangeError` on a name that is none of ours. */
export function pathOfFile(name: string): string {
  if (!FILE.test(name)) throw new RangeError("a file of the archive lies under manifest/ or packs/");
  return name;
}
