/**
 * Whether keys stood in a report before, for 16 to 32 bytes a row. They are told apart by 64 bits of their SHA-256: among a million rows
 * two that differ are taken for one once in thirty million reports.
 */

const FIRST_SIZE = 1_024;
/** A slot is two numbers of 32 bits, both 0 where it is empty. */
const SLOT = 2;

export class KeySet {
  #slots = new Uint32Array(FIRST_SIZE * SLOT);
  #count = 0;
  readonly #hash = new Uint32Array(8);
  readonly #hashBytes = new Uint8Array(this.#hash.buffer);

  /** Whether it is new. */
  add(keys: readonly string[]): boolean {
    if (this.#count * SLOT * 2 >= this.#slots.length) this.#grow();
    Bun.SHA256.hash(JSON.stringify(keys), this.#hashBytes);
    const [low = 0, high = 0] = this.#hash;
    if (!put(this.#slots, low, high || 1)) return false;
    this.#count++;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += SLOT) {
      const high = before[at + 1] as number;
      if (high !== 0) put(this.#slots, before[at] as number, high);
    }
  }
}

/** Whether it was put there; false where it is there already. */
function put(slots: Uint32Array, low: number, high: number): boolean {
  const mask = slots.length - SLOT;
  for (let at = (low * SLOT) & mask; ; at = (at + SLOT) & mask) {
    if (slots[at + 1] === 0) {
      slots[at] = low;
      slots[at + 1] = high;
      return true;
    }
    if (slots[at] === low && slots[at + 1] === high) return false;
  }
}
