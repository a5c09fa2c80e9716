/** What gzip bytes hold, told while they pass: lengths and digests, in memory that does not grow with them. */
import { createGunzip } from "node:zlib";

/** What was found in gzip bytes. */
export interface Contents {
  readonly storedBytes: number;
  readonly storedSha256: string;
  /** What is in them; undefined where they are no whole gzip, or hold more than was expected. */
  readonly inner: { readonly bytes: number; readonly sha256: string } | undefined;
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
  const gunzip = createGunzip();
  let isWhole = true;
  const broken = new Promise<void>((resolve) => {
    gunzip.once("error", () => {
      isWhole = false;
      resolve();
    });
  });
  const ended = new Promise<void>((resolve) => gunzip.once("end", resolve));
  gunzip.on("data", (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > mostBytes) gunzip.destroy(new Error("more than was expected"));
    else inner.update(piece);
  });
  for await (const piece of pieces) {
    storedBytes += piece.length;
    stored.update(piece);
    await onStored?.(piece);
    if (isWhole && !gunzip.write(piece)) {
      await Promise.race([new Promise<void>((resolve) => gunzip.once("drain", resolve)), broken]);
    }
  }
  if (isWhole) gunzip.end();
  await Promise.race([ended, broken]);
  return {
    storedBytes,
    storedSha256: stored.digest("hex"),
    inner: isWhole ? { bytes, sha256: inner.digest("hex") } : undefined,
  };
}
