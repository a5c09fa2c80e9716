/**
 * Whether keys stood in a report before: 16 to 32 bytes a row. Texts are told apart by 64 bits of a hash, so that among a million rows
 * two that differ are taken for one once in thirty million reports.
 */

const FIRST_SIZE = 1_024;

export class KeySet {
  #slots = new BigUint64Array(FIRST_SIZE);
  #count = 0;

  /** Whether it is new. */
  add(keys: readonly string[]): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    // 0 stands for an empty slot.
    const hash = Bun.hash.wyhash(keys.join("\u0000")) || 1n;
    if (!put(this.#slots, hash)) return false;
    this.#count++;
    return true;
  }

  #grow(): void {
    const slots = new BigUint64Array(this.#slots.length * 2);
    for (const hash of this.#slots) if (hash !== 0n) put(slots, hash);
    this.#slots = slots;
  }
}

/** Whether it was put there; false where it is there already. */
function put(slots: BigUint64Array, hash: bigint): boolean {
  const mask = slots.length - 1;
  for (let at = Number(hash & BigInt(mask)); ; at = (at + 1) & mask) {
    const there = slots[at];
    if (there === hash) return false;
    if (there === 0n) {
      slots[at] = hash;
      return true;
    }
  }
}
