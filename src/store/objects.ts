/**
 * Where the bytes of the archive lie: one store, a directory or a bucket, the same above both. An object is named by the SHA-256 of its
 * uncompressed bytes (64 hexadecimal digits, made by us) and kept as gzip at `objects/<first two digits>/<name>.gz`.
 */

/** An object as it is about to be stored, or was. */
export interface StoredObject {
  /** SHA-256 of the uncompressed bytes, in hexadecimal. */
  readonly sha256: string;
  /** Length of the uncompressed bytes. */
  readonly bytes: number;
  /** Length and SHA-256 (hexadecimal) of the gzip bytes, a header of which may be changed without changing what it holds. */
  readonly storedBytes: number;
  readonly storedSha256: string;
}

/** An object in the store as it is listed. */
export interface ListedObject {
  readonly sha256: string;
  readonly storedBytes: number;
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
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
   * what is damaged is written over, and with `anew` all is.
   */
  put(object: StoredObject, file: string, how?: { readonly anew?: boolean }): Promise<"stored" | "there">;
  /**
   * Whether nothing of an archive is at its place, as where its file system is not mounted: what is stored then would lie beneath it. A
   * bucket says so itself.
   */
  isAbsent(): Promise<boolean>;
  /** Undefined where there is no such object. */
  find(sha256: string): Promise<ListedObject | undefined>;
  /** The gzip bytes, in pieces; for `readObject` alone, which bounds them. Throws `ObjectMissing` and `ObjectUnreadable`. */
  read(object: Pick<StoredObject, "sha256" | "storedBytes">, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Every object, in no order. */
  list(): AsyncIterable<ListedObject>;
  /** Removes an object, if it is there. */
  remove(sha256: string): Promise<void>;
  /** Writes a whole file beside the objects (`manifest/….ndjson.gz`); a name may be written again with the same bytes. */
  putFile(name: string, bytes: Uint8Array): Promise<void>;
  /** The bytes of such a file, in pieces. Throws as `read`. */
  readFile(name: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** The names of the files under a folder (`manifest/`). */
  listFiles(folder: string): AsyncIterable<string>;
  /** What objects and files that were cut off left, by where it lies. It is nothing that anybody reads. */
  halfWritten(): AsyncIterable<string>;
  /** Removes what half-written objects left; says how many. Only while nobody writes. */
  sweep(): Promise<number>;
}
