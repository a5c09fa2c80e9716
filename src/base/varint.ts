/** Whole numbers in as few bytes as they need: seven bits a byte, the lowest first, the eighth says that more follow. */

/** Numbers as bytes that follow one another. */
export class VarintWriter {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  /** Appends a whole number from 0 to 2^53 - 1. */
  put(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} is no whole number of 0 or more`);
    if (this.#length + LONGEST > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest > LOW_BITS) {
      this.#bytes[this.#length++] = (rest % MORE) + MORE;
      rest = Math.floor(rest / MORE);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** What was put so far. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

const MORE = 128;
const LOW_BITS = 127;
/** Bytes of the largest. */
const LONGEST = 8;

/** Reads what a `VarintWriter` wrote. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The next number. Throws where the bytes end before it does, or it is none that could be written. */
  take(): number {
    let [value, place] = [0, 1];
    for (let read = 0; read < LONGEST; read++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & LOW_BITS) * place;
      if (byte < MORE) return value;
      place *= MORE;
    }
    throw new RangeError("the bytes of a number have no end");
  }

  /** So many bytes that are no numbers. Throws where there are fewer. */
  takeBytes(length: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new RangeError("the bytes end too early");
    this.#at += length;
    return bytes;
  }

  /** Whether everything was taken. */
  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }
}

/** A whole number as one of 0 or more: those near 0 stay near it, whatever their sign. */
export function unsigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** What `unsigned` was given. */
export function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
