/** An object read whole and compared before anybody is given a byte of it: what is sent is what was compared, not a second reading. */

import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { contentsOf, faultIn, readObject, unpacked } from "./contents.ts";
import { faultThrown, type ObjectFault, type ObjectStore, type StoredObject } from "./objects_contract.ts";

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
