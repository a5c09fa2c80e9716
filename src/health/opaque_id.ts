import { sha256Hex } from "../lib/digest.ts";

/** Characters of an opaque id: 128 bits, so that no two things come to the same. */
const LENGTH = 32;

/** An id that says nothing by itself, the same for the same parts. Whoever can guess the parts can tell them from it: no secret is one. */
export function opaqueId(...parts: readonly string[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, LENGTH);
}
