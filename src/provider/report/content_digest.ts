/**
 * A digest of rows that does not depend on their order, in memory that does not grow with them: the sum, modulo 2 to the 256, of the
 * SHA-256 of each. Two sets of rows that differ have the same sum by chance once in 2 to the 256; rows that stand twice count twice,
 * unlike with an exclusive or. It is no protection from somebody who makes rows up on purpose: objects are named by the SHA-256 of their
 * bytes for that.
 */
import { sha256Hex } from "../../lib/digest.ts";

/** The 256 bits as numbers of 32, the lowest first. */
const WORDS = 8;
const BASE = 2 ** 32;

export class ContentDigest {
  readonly #sum = new Uint32Array(WORDS);
  readonly #hash = new Uint32Array(WORDS);
  readonly #hashBytes = new Uint8Array(this.#hash.buffer);
  #rows = 0;

  /** Anything that JSON writes in one way. */
  add(row: unknown): void {
    Bun.SHA256.hash(JSON.stringify(row), this.#hashBytes);
    this.#rows++;
    let over = 0;
    for (let word = 0; word < WORDS; word++) {
      const sum = (this.#sum[word] as number) + (this.#hash[word] as number) + over;
      this.#sum[word] = sum;
      over = sum >= BASE ? 1 : 0;
    }
  }

  /** In hexadecimal, with what is said beside the rows. */
  hex(beside: unknown): string {
    return sha256Hex(JSON.stringify([this.#rows, [...this.#sum], beside]));
  }
}
