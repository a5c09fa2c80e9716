import { readSync } from "node:fs";
import { factBytes, type SealFacts } from "./seal.ts";

const CHUNK_BYTES = 1024 * 1024;

/**
 * The digest of a backup: SHA-256 over the database at the start of an open file and the facts of its seal, in lower-case
 * hexadecimal. Each piece of the database is handed to `onPiece` as it is read. Throws when the file is shorter than the facts
 * say. Blocks for as long as reading takes.
 */
export function digestFile(
  file: number,
  facts: SealFacts,
  onPiece: (piece: Uint8Array, at: number) => void = () => undefined,
): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < facts.bytes; ) {
    const read = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, facts.bytes - at), at);
    if (read === 0) throw new Error("the file ended early");
    const piece = buffer.subarray(0, read);
    hasher.update(piece);
    onPiece(piece, at);
    at += read;
  }
  return hasher.update(factBytes(facts)).digest("hex");
}
