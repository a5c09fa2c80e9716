/**
 * A pack: objects of one site, provider and month in one file, `packs/<provider>/<site>/<month>-<digest>.json.gz`. It is a plain gzip file
 * of many members, so that `zcat` and DuckDB read it. Before each object, whose gzip bytes stay as they were stored, a member of its own
 * holds a line that names it: who reads the pack without a database knows which report follows, and finds each object by its length.
 */

import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { sha256OfFile } from "../base/keys.ts";
import { faultInBytes, faultInPieces, verifyObject } from "./object_check.ts";
import {
  faultThrown,
  isObjectName,
  MOST_FILE_BYTES,
  type ObjectFault,
  type ObjectStore,
  ObjectUnreadable,
  type Place,
  readFileBeside,
  readObject,
  type StoredObject,
} from "./objects.ts";

/** A pack as it lies in a store. */
export interface Pack {
  readonly path: string;
  readonly bytes: number;
}

/** An object that lies in a pack. */
type Placed = StoredObject & { readonly place: Place };

/** Gzip bytes and objects of one pack at most: what is read at once, and what is noted in one transaction. */
export const MOST_PACK_BYTES = MOST_FILE_BYTES / 4;
export const MOST_PACKED = 4_096;

/** A member is unpacked in memory up to this length. */
const MOST_IN_MEMORY = 1024 * 1024;

const DIGEST = /-([0-9a-f]{64})\.json\.gz$/;

/** The path of a pack, from what it is of (`search-console/harbor/2026-09`) and the SHA-256 of its bytes. */
export const pathOfPack = (of: string, sha256: string): string => `packs/${of}-${sha256}.json.gz`;

/** A pack as what a store puts, finds and reads. Throws `RangeError` where its path names no digest. */
export function packAsObject({ path, bytes }: Pack): Placed {
  const [, sha256 = ""] = DIGEST.exec(path) ?? [];
  if (!isObjectName(sha256)) throw new RangeError("a pack is named by the digest of its bytes");
  return { sha256, storedSha256: sha256, bytes, storedBytes: bytes, place: { pack: path, start: 0 } };
}

const HEAD = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
const LINE_BYTES = 120;
export const LABEL_BYTES = HEAD.length + 5 + LINE_BYTES + 8;

/** The member before an object: always as long, and always the same, since nothing is compressed in it. */
export function labelOf({ sha256, storedBytes }: Pick<StoredObject, "sha256" | "storedBytes">): Buffer {
  const named = JSON.stringify({ tower_object: sha256, stored_bytes: storedBytes });
  // From a new line on: what is before it may not end with one.
  const line = Buffer.from(`\n${named.padEnd(LINE_BYTES - 2)}\n`);
  const label = Buffer.alloc(LABEL_BYTES);
  label.set([...HEAD, 1, LINE_BYTES, 0, ~LINE_BYTES & 255, 255]);
  label.set(line, HEAD.length + 5);
  label.writeUInt32LE(crc32(line), LABEL_BYTES - 8);
  label.writeUInt32LE(LINE_BYTES, LABEL_BYTES - 4);
  return label;
}

/** The object that a label names; undefined where it is none. */
function namedBy(label: Uint8Array): Pick<StoredObject, "sha256" | "storedBytes"> | undefined {
  const line = Buffer.from(label.subarray(HEAD.length + 5, -8)).toString("latin1");
  const [, sha256 = "", length = ""] =
    /^\n\{"tower_object":"([0-9a-f]{64})","stored_bytes":(\d{1,15})\} *\n$/.exec(line) ?? [];
  const named = { sha256, storedBytes: Number(length) };
  return sha256 !== "" && labelOf(named).equals(label) ? named : undefined;
}

/** Bytes that come in pieces, taken in other ones. */
class Reader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  /** How many were taken. */
  at = 0;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next bytes, in pieces; fewer where they end. */
  async *take(bytes: number): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#pieces.next();
        if (next.done === true) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      this.at += piece.length;
      left -= piece.length;
      yield piece;
    }
  }

  async gather(bytes: number): Promise<Uint8Array> {
    return Buffer.concat(await Array.fromAsync(this.take(bytes)));
  }

  async skipTo(at: number): Promise<void> {
    for await (const _ of this.take(at - this.at));
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

/**
 * Writes a pack into the new file `into`. An object that cannot be read as it was stored is left out. Returns the digest and length of the
 * file, and where each object begins in it; undefined where it holds none. Throws `StoreFault`, and what keeps the file from being written.
 */
export async function writePack<T extends StoredObject>(
  store: ObjectStore,
  objects: Iterable<T>,
  into: string,
): Promise<{ sha256: string; bytes: number; placed: { object: T; start: number }[] } | undefined> {
  const file = await open(into, "wx+", 0o600);
  try {
    const placed: { object: T; start: number }[] = [];
    let bytes = 0;
    for (const object of objects) {
      const start = bytes + LABEL_BYTES;
      if (!(await append(store, object, file, bytes))) continue;
      placed.push({ object, start });
      bytes = start + object.storedBytes;
    }
    if (placed.length === 0) return undefined;
    // What was left out may reach beyond the last.
    await file.truncate(bytes);
    return { sha256: await sha256OfFile(into), bytes, placed };
  } finally {
    await file.close();
  }
}

/** Whether all of an object is there now, behind its label. */
async function append(
  store: ObjectStore,
  object: StoredObject,
  file: FileHandle,
  from: number,
): Promise<boolean> {
  const hash = new Bun.CryptoHasher("sha256");
  let at = from + (await file.write(labelOf(object), 0, LABEL_BYTES, from)).bytesWritten;
  const end = from + LABEL_BYTES + object.storedBytes;
  try {
    for await (const piece of readObject(store, object)) {
      hash.update(piece);
      at += (await file.write(piece, 0, piece.length, at)).bytesWritten;
    }
  } catch (error) {
    if (faultThrown(error) === undefined) throw error;
    return false;
  }
  return at === end && hash.digest("hex") === object.storedSha256;
}

/**
 * Reads a pack once, from its beginning to its end, and compares every object that lies in it, and the label before it. `placed` are
 * they, in the order of their places. Says the worst of what is wrong with each; undefined where nothing is. Throws `StoreFault`.
 */
export async function verifyPack<T extends Placed>(
  store: ObjectStore,
  pack: Pack,
  placed: readonly T[],
): Promise<{ readonly object: T; readonly fault: ObjectFault | undefined }[]> {
  const reader = new Reader(readFileBeside(store, pack.path, pack.bytes));
  const looked: { object: T; fault: ObjectFault | undefined }[] = [];
  try {
    for (const object of placed) {
      await reader.skipTo(object.place.start - LABEL_BYTES);
      looked.push({ object, fault: await nextFault(reader, object) });
    }
    await reader.skipTo(pack.bytes);
    const last = looked.at(-1);
    if (last !== undefined && (await reader.gather(1)).length > 0) last.fault ??= "length";
    return looked;
  } catch (error) {
    const fault = faultThrown(error);
    if (fault === undefined) throw error;
    for (const object of placed.slice(looked.length)) {
      // A part of the disk that does not read says nothing of the others.
      const own = error instanceof ObjectUnreadable ? await verifyObject(store, object) : fault;
      looked.push({ object, fault: own });
    }
    return looked;
  } finally {
    await reader.close();
  }
}

async function nextFault(reader: Reader, object: Placed): Promise<ObjectFault | undefined> {
  const label = await reader.gather(LABEL_BYTES);
  const { storedBytes } = object;
  const fault =
    storedBytes > MOST_IN_MEMORY
      ? await faultInPieces(object, reader.take(storedBytes))
      : faultInBytes(object, await reader.gather(storedBytes));
  return fault ?? (labelOf(object).equals(label) ? undefined : "stored_digest");
}

/**
 * The objects of a pack as its labels name them, with their places: up to the first label that is none. What they hold is not looked at.
 * Throws as reading it does.
 */
export async function* namedInPack(
  store: ObjectStore,
  path: string,
): AsyncGenerator<Pick<Placed, "sha256" | "storedBytes" | "place">> {
  const reader = new Reader(readFileBeside(store, path));
  try {
    for (;;) {
      const named = namedBy(await reader.gather(LABEL_BYTES));
      if (named === undefined) return;
      yield { ...named, place: { pack: path, start: reader.at } };
      await reader.skipTo(reader.at + named.storedBytes);
    }
  } finally {
    await reader.close();
  }
}
