/** What gzip bytes hold, told while they pass: lengths and digests, in memory that does not grow with them. */
import { createGunzip, type Gunzip } from "node:zlib";

/** What was found in gzip bytes. */
export interface Contents {
  readonly storedBytes: number;
  readonly storedSha256: string;
  /** What is in them; `broken` where they are no whole gzip, `more` where they hold more than was expected. */
  readonly inner: { readonly bytes: number; readonly sha256: string } | "broken" | "more";
}

/**
 * Reads gzip bytes to their end. `onStored` is given each piece as it is stored. Not more than `mostBytes` are unpacked: what was
 * swapped for something else must not keep anybody busy.
 */
export async function contentsOf(
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

/** Waits until a stream takes more, or is over. */
export function drained(stream: Gunzip): Promise<void> {
  return new Promise((resolve) => {
    const events = ["drain", "close", "error"];
    const done = () => {
      for (const event of events) stream.off(event, done);
      resolve();
    };
    for (const event of events) stream.on(event, done);
  });
}
