/** The one way in which an object is read, whatever holds it: not on and on, not for long, and not for somebody who has left. */
import type { ObjectStore, StoredObject } from "./contract.ts";
import { StoreFault } from "./fault.ts";

const MEBIBYTE = 1024 * 1024;
/** How long anything may take, in milliseconds … */
const LONGEST_MS = 60_000;
/** … and how much longer for each mebibyte: a slow line of about 1 Mbit/s. */
const MS_A_MEBIBYTE = 8_000;
/** More than the manifest of any run takes, packed. */
export const MOST_FILE_BYTES = 256 * MEBIBYTE;

/** How long so many bytes may take. */
export const longestMsFor = (bytes: number, longestMs = LONGEST_MS): number =>
  longestMs + (bytes / MEBIBYTE) * MS_A_MEBIBYTE;

/** The gzip bytes of an object in pieces, one byte more than were stored at most. Throws as the store does. */
export function readObject(
  store: Pick<ObjectStore, "where" | "read">,
  object: Pick<StoredObject, "sha256" | "storedBytes">,
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
