import { createGunzip } from "node:zlib";
import { readFileBeside, readObject } from "./bounded.ts";
import { type Contents, contentsOf, drained } from "./contents.ts";
import { faultThrown, type ObjectFault, type ObjectStore, type StoredObject } from "./contract.ts";

/**
 * Reads an object anew and compares all that is known of it. Says the worst of what is wrong; undefined where nothing is. Throws
 * `StoreFault`.
 */
export function verifyObject(store: ObjectStore, expected: StoredObject): Promise<ObjectFault | undefined> {
  const read = () => contentsOf(readObject(store, expected), expected.bytes);
  return unlessThrown(async () => faultIn(expected, await read()));
}

/** Reads a file beside the objects anew, and compares it with what was written. Throws `StoreFault`. */
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
export function faultIn(expected: StoredObject, found: Contents): ObjectFault | undefined {
  if (found.storedBytes !== expected.storedBytes) return "length";
  if (found.inner === "broken") return "unreadable";
  if (found.inner === "more") return "digest";
  if (found.inner.bytes !== expected.bytes || found.inner.sha256 !== expected.sha256) return "digest";
  // What it holds is right, and a field of its head is not: nobody may say any more that nothing was touched.
  return found.storedSha256 === expected.storedSha256 ? undefined : "stored_digest";
}

/** The uncompressed bytes of a file beside the objects. Throws as reading it does, `StoreFault`, and where it is no whole gzip. */
export async function* unpackedFile(store: ObjectStore, name: string): AsyncGenerator<Uint8Array> {
  yield* unpacked(readFileBeside(store, name));
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
