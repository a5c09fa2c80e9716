/**
 * Whether an object is what it was when it was stored: its gzip bytes are read once, in memory that does not grow with them, and their
 * lengths and digests compared. What is sent to somebody is read whole and compared first (`wholeObject`).
 */

import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createGunzip, type Gunzip, gunzipSync } from "node:zlib";
import { sha256Hex } from "../base/keys.ts";
import { codeOf } from "../base/text.ts";
import {
  faultThrown,
  type ObjectFault,
  type ObjectStore,
  ObjectUnreadable,
  readFileBeside,
  readObject,
  type StoredObject,
} from "./objects.ts";

/** What was found in gzip bytes. */
interface Contents {
  readonly storedBytes: number;
  readonly storedSha256: string;
  /** What is in them; `broken` where they are no whole gzip, `more` where they hold more than was expected. */
  readonly inner: { readonly bytes: number; readonly sha256: string } | "broken" | "more";
}

/**
 * Reads gzip bytes to their end. `onStored` is given each piece as it is stored. Not more than `mostBytes` are unpacked: what was
 * swapped for something else must not keep anybody busy.
 */
async function contentsOf(
  pieces: AsyncIterable<Uint8Array>,
  mostBytes: number,
  onStored?: (piece: Uint8Array) => Promise<unknown> | undefined,
): Promise<Contents> {
  const stored = new Bun.CryptoHasher("sha256");
  const inner = new Bun.CryptoHasher("sha256");
  let [storedBytes, bytes] = [0, 0];
  let wrong: "broken" | "more" | undefined;
  const gunzip = createGunzip();
  const ended = new Promise<void>((resolve) => {
    gunzip.once("end", resolve);
    gunzip.once("close", resolve);
  });
  gunzip.on("error", () => {
    wrong ??= "broken";
  });
  gunzip.on("data", (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes <= mostBytes) inner.update(piece);
    else {
      wrong ??= "more";
      gunzip.destroy();
    }
  });
  try {
    for await (const piece of pieces) {
      storedBytes += piece.length;
      stored.update(piece);
      await onStored?.(piece);
      if (!gunzip.destroyed && !gunzip.write(piece)) await drained(gunzip);
    }
    if (!gunzip.destroyed) gunzip.end();
    await ended;
  } finally {
    gunzip.destroy();
  }
  return {
    storedBytes,
    storedSha256: stored.digest("hex"),
    inner: wrong ?? { bytes, sha256: inner.digest("hex") },
  };
}

/** The same of gzip bytes in memory: a hundred times as fast as a stream, for many small ones. Blocks. */
function contentsIn(stored: Uint8Array, mostBytes: number): Contents {
  const found = { storedBytes: stored.length, storedSha256: sha256Hex(stored) };
  try {
    const inner = gunzipSync(stored, { maxOutputLength: Math.max(1, mostBytes) });
    if (inner.length > mostBytes) return { ...found, inner: "more" };
    return { ...found, inner: { bytes: inner.length, sha256: sha256Hex(inner) } };
  } catch (error) {
    return { ...found, inner: codeOf(error) === "ERR_BUFFER_TOO_LARGE" ? "more" : "broken" };
  }
}

/** What is wrong with gzip bytes that are to be an object; undefined where nothing is. Blocks for as long as unpacking them takes. */
export const faultInBytes = (expected: StoredObject, stored: Uint8Array): ObjectFault | undefined =>
  faultIn(expected, contentsIn(stored, expected.bytes));

/** The same of bytes that come in pieces. */
export const faultInPieces = async (
  expected: StoredObject,
  pieces: AsyncIterable<Uint8Array>,
): Promise<ObjectFault | undefined> => faultIn(expected, await contentsOf(pieces, expected.bytes));

/** Waits until a stream takes more, or is over. */
function drained(stream: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "close", "error"];
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}

/** Whether an object lies in a store just as it is to be stored. `size` is what lies there, undefined where nothing does. A length alone would take what was damaged in the meantime for safe. */
export async function holds(
  store: Pick<ObjectStore, "where" | "read">,
  object: StoredObject,
  size: number | undefined,
): Promise<boolean> {
  if (size !== object.storedBytes) return false;
  const hash = new Bun.CryptoHasher("sha256");
  try {
    for await (const piece of readObject(store, object)) hash.update(piece);
  } catch (error) {
    if (error instanceof ObjectUnreadable) return false;
    throw error;
  }
  return hash.digest("hex") === object.storedSha256;
}

/**
 * Reads an object and compares all that is known of it. Says the worst of what is wrong; undefined where nothing is. Throws
 * `StoreFault`.
 */
export function verifyObject(store: ObjectStore, expected: StoredObject): Promise<ObjectFault | undefined> {
  return unlessThrown(() => faultInPieces(expected, readObject(store, expected)));
}

/** Reads a file beside the objects, and compares it with what was written. Throws `StoreFault`. */
export function verifyFile(
  store: ObjectStore,
  name: string,
  written: { readonly bytes: number; readonly sha256: Uint8Array },
): Promise<ObjectFault | undefined> {
  return unlessThrown(async () => {
    const found = await contentsOf(readFileBeside(store, name, written.bytes), 0);
    if (found.storedBytes !== written.bytes) return "length";
    return found.storedSha256 === Buffer.from(written.sha256).toString("hex") ? undefined : "stored_digest";
  });
}

async function unlessThrown(look: () => Promise<ObjectFault | undefined>): Promise<ObjectFault | undefined> {
  try {
    return await look();
  } catch (error) {
    const fault = faultThrown(error);
    if (fault !== undefined) return fault;
    throw error;
  }
}

/** What is wrong with what was found. Pure. */
function faultIn(expected: StoredObject, found: Contents): ObjectFault | undefined {
  if (found.storedBytes !== expected.storedBytes) return "length";
  if (found.inner === "broken") return "unreadable";
  if (found.inner === "more") return "digest";
  if (found.inner.bytes !== expected.bytes || found.inner.sha256 !== expected.sha256) return "digest";
  // What it holds is right, and a field of its head is not: nobody may say any more that nothing was touched.
  return found.storedSha256 === expected.storedSha256 ? undefined : "stored_digest";
}

/** Gzip bytes unpacked, piece by piece. */
export async function* unpacked(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feed = (async () => {
    try {
      for await (const piece of pieces) {
        if (gunzip.destroyed) return;
        if (!gunzip.write(piece)) await drained(gunzip);
      }
      gunzip.end();
    } catch (error) {
      gunzip.destroy(error instanceof Error ? error : new Error("reading broke off"));
    }
  })();
  try {
    for await (const piece of gunzip) yield piece as Uint8Array;
  } finally {
    gunzip.destroy();
    await feed;
  }
}

/** Gzip bytes up to which they are kept in memory; more of them wait in a file. */
const MOST_IN_MEMORY = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** An object that is whole. */
export interface WholeObject {
  /** The uncompressed bytes, in pieces. Once. */
  pieces(): AsyncGenerator<Uint8Array>;
  /** Gives up what is held for it; also where nothing of it is wanted. */
  close(): Promise<void>;
}

/**
 * Reads an object and compares it. Memory is flat: what is large waits at `path`, a file of this process alone that has no name any more
 * once it is open. Throws `StoreFault`, and the system's error where the file cannot be written.
 */
export async function wholeObject(
  store: ObjectStore,
  expected: StoredObject,
  path: string,
  signal?: AbortSignal,
): Promise<WholeObject | ObjectFault> {
  const held = new Held(path);
  try {
    const found = await contentsOf(readObject(store, expected, signal), expected.bytes, (piece) =>
      held.add(piece),
    );
    const fault = faultIn(expected, found);
    if (fault === undefined) return { pieces: () => unpacked(held.pieces()), close: () => held.close() };
    await held.close();
    return fault;
  } catch (error) {
    await held.close();
    const fault = faultThrown(error);
    if (fault !== undefined) return fault;
    throw error;
  }
}

/** Bytes that are kept until they are sent. */
class Held {
  readonly #path: string;
  #inMemory: Uint8Array[] = [];
  #bytes = 0;
  #file: FileHandle | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async add(piece: Uint8Array): Promise<void> {
    this.#bytes += piece.length;
    if (this.#file === undefined) {
      this.#inMemory.push(piece);
      if (this.#bytes <= MOST_IN_MEMORY) return;
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      this.#file = await open(this.#path, "wx+", 0o600);
      await rm(this.#path, { force: true });
      for (const kept of this.#inMemory.splice(0)) await this.#file.writeFile(kept);
    } else await this.#file.writeFile(piece);
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    if (this.#file === undefined) {
      yield* this.#inMemory;
      return;
    }
    for (let at = 0; at < this.#bytes; ) {
      const { bytesRead, buffer } = await this.#file.read(new Uint8Array(PIECE_BYTES), 0, PIECE_BYTES, at);
      if (bytesRead === 0) throw new Error("what was kept ended early");
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async close(): Promise<void> {
    this.#inMemory = [];
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
