import { type FileHandle, open } from "node:fs/promises";
import { storageFault } from "../db/mod.ts";
import { faultThrown, type ObjectFault, type ObjectStore, type StoredObject } from "../objects/contract.ts";
import { readObject, verifyObject } from "../objects/mod.ts";

/** A file that was to take an object could not be written. */
export class UnwritableCopy extends Error {
  override readonly name = "UnwritableCopy";
}

/**
 * Copies the gzip bytes of an object into the new file `path`, and judges them as they pass: that their length and digest are those
 * that were stored says that they hold what was archived. Returns what is wrong with them; the file is then of no use. Throws what
 * keeps the store from being read, and `UnwritableCopy`.
 */
export async function fetchObject(
  store: ObjectStore,
  object: StoredObject,
  path: string,
): Promise<ObjectFault | undefined> {
  const { storedBytes, storedSha256 } = object;
  const file = await writing(() => open(path, "wx", 0o600));
  try {
    const hasher = new Bun.CryptoHasher("sha256");
    let at = 0;
    for await (const piece of readObject(store, object)) {
      if (at + piece.byteLength > storedBytes) return "length";
      hasher.update(piece);
      await writing(() => writePiece(file, piece, at));
      at += piece.byteLength;
    }
    if (at !== storedBytes) return "length";
    if (hasher.digest("hex") === storedSha256) return undefined;
    // Read once more to say what it is, as a check says it.
    return (await verifyObject(store, object)) ?? "stored_digest";
  } catch (error) {
    const fault = faultThrown(error);
    if (fault !== undefined) return fault;
    throw error;
  } finally {
    await file.close();
  }
}

/** One call may take only a part, as where the disk is nearly full. */
async function writePiece(file: FileHandle, piece: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < piece.byteLength; ) {
    done += (await file.write(piece, done, piece.byteLength - done, position + done)).bytesWritten;
  }
}

async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UnwritableCopy(`a copy of an object could not be written: ${storageFault(error)}`, {
      cause: error,
    });
  }
}
