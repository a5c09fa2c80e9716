/** Finding any of some texts in bytes, without looking at most of them (Wu and Manber, "A fast algorithm for multi-pattern searching"). */

export interface Found {
  readonly at: number;
  /** How many bytes it takes. */
  readonly length: number;
}

export class TextFinder {
  /** The length of the longest text in bytes. */
  readonly longest: number;
  /** … and of the shortest, at most 255. */
  readonly shortest: number;
  /** How far a text that ends in two bytes lies ahead at least. */
  readonly #ahead = new Uint8Array(65_536);
  readonly #byEnd = new Map<number, Uint8Array[]>();

  /** Throws `RangeError` for none, and for one of fewer than two bytes. */
  constructor(texts: readonly string[]) {
    const wanted = texts.map((text) => Buffer.from(text));
    const lengths = wanted.map(({ byteLength }) => byteLength);
    this.longest = Math.max(0, ...lengths);
    this.shortest = Math.min(255, ...lengths);
    if (wanted.length === 0 || this.shortest < 2) throw new RangeError("there is nothing to find");
    this.#ahead.fill(this.shortest - 1);
    for (const one of wanted) {
      for (let at = 1; at < this.shortest; at++) {
        const pair = pairAt(one, at);
        this.#ahead[pair] = Math.min(this.#ahead[pair] as number, this.shortest - 1 - at);
      }
      const end = pairAt(one, this.shortest - 1);
      // The longest first: where two begin at one place, the longer one is what stands there.
      const others = this.#byEnd.get(end) ?? [];
      this.#byEnd.set(
        end,
        [...others, one].sort((a, b) => b.byteLength - a.byteLength),
      );
    }
  }

  /** The first one at `from` or after it that ends by `to`; of two at one place the longer. */
  find(bytes: Uint8Array, from: number, to = bytes.byteLength): Found | undefined {
    const before = this.shortest - 1;
    for (let at = from + before; at < to; ) {
      const pair = pairAt(bytes, at);
      const ahead = this.#ahead[pair] as number;
      if (ahead > 0) {
        at += ahead;
        continue;
      }
      const start = at - before;
      const found = this.#byEnd.get(pair)?.find((one) => stands(one, bytes, start, to));
      if (found !== undefined) return { at: start, length: found.byteLength };
      at++;
    }
    return undefined;
  }
}

const pairAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 1] as number) << 8) | (bytes[at] as number);

function stands(text: Uint8Array, bytes: Uint8Array, start: number, to: number): boolean {
  if (start + text.byteLength > to) return false;
  for (let at = 0; at < text.byteLength; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}
