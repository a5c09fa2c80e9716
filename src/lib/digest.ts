import { timingSafeEqual } from "node:crypto";

/** SHA-256 of a text or bytes, in lower-case hexadecimal. */
export function sha256Hex(data: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(data).digest("hex");
}

/** Compares two digests of equal length in constant time; different lengths are unequal. */
export function equalDigests(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
