/**
 * Which files can hold code of one another, found before they are compared: the comparing tool takes some forty bytes of memory for
 * each byte it is given, so a large project is given to it in parts. No repeated block is lost by that. A block of the least
 * size is a run of tokens, every run that long holds a fingerprint that depends on nothing but its tokens, and files that have a
 * fingerprint in common are in one part.
 */

/** Tokens of a fingerprint, and of how many neighbours one is kept: every run of `GRAM + NEIGHBOURS - 1` tokens has one of them. */
const GRAM = 40;
const NEIGHBOURS = 11;

/** The shortest run of our tokens that is found; ours are at most as long as the comparing tool's. */
export const LEAST_TOKENS = GRAM + NEIGHBOURS - 1;

const FIRST_BASE = 0x2545f491;
const SECOND_BASE = 0x5bd1e995;
const FIRST_LAST = power(FIRST_BASE, GRAM);
const SECOND_LAST = power(SECOND_BASE, GRAM);

function power(base: number, times: number): number {
  let value = 1;
  for (let i = 0; i < times; i++) value = Math.imul(value, base);
  return value;
}

/** Letters, digits, `_`, `$` and what is no ASCII make words; every other byte is a token by itself, white space none. */
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte <= 32) return 0;
  return byte >= 128 || /[\w$]/.test(String.fromCharCode(byte)) ? 2 : 1;
});

/** Fingerprints of one text, one after the other. Made once: its rings are used again for every text. */
class Fingerprints {
  readonly #tokens = new Int32Array(GRAM);
  readonly #ranks = new Uint32Array(NEIGHBOURS);
  readonly #keys = new Int32Array(NEIGHBOURS);

  /** Tells each fingerprint that is kept, in the order of the text, as two numbers of 32 bits. */
  each(bytes: Uint8Array, tell: (key: number, rank: number) => void): void {
    const tokens = this.#tokens.fill(0);
    const [ranks, keys] = [this.#ranks, this.#keys];
    let [first, second, count, best] = [0, 0, 0, -1];
    for (let at = 0; at < bytes.length; ) {
      const kind = KIND[bytes[at] ?? 0];
      if (kind === 0) {
        at++;
        continue;
      }
      let token = 0x811c9dc5 ^ (bytes[at++] ?? 0);
      token = Math.imul(token, 0x01000193);
      if (kind === 2) {
        for (; KIND[bytes[at] ?? 0] === 2 && at < bytes.length; at++) {
          token = Math.imul(token ^ (bytes[at] ?? 0), 0x01000193);
        }
      }
      token = mix(token);
      const slot = count % GRAM;
      const gone = tokens[slot] ?? 0;
      tokens[slot] = token;
      first = (Math.imul(first, FIRST_BASE) + token - Math.imul(gone, FIRST_LAST)) | 0;
      second = (Math.imul(second, SECOND_BASE) + token - Math.imul(gone, SECOND_LAST)) | 0;
      count++;
      if (count < GRAM) continue;
      const index = count - GRAM;
      const place = index % NEIGHBOURS;
      const rank = mix(first) >>> 0;
      ranks[place] = rank;
      keys[place] = mix(second);
      if (index < NEIGHBOURS - 1) continue;
      // The least of the neighbours, the last one where several are the least.
      const had = best;
      if (best <= index - NEIGHBOURS) best = leastOf(ranks, index);
      else if (rank <= (ranks[best % NEIGHBOURS] ?? 0)) best = index;
      if (best !== had) tell(keys[best % NEIGHBOURS] ?? 0, ranks[best % NEIGHBOURS] ?? 0);
    }
  }
}

function leastOf(ranks: Uint32Array, index: number): number {
  let best = index - NEIGHBOURS + 1;
  for (let at = best + 1; at <= index; at++) {
    if ((ranks[at % NEIGHBOURS] ?? 0) <= (ranks[best % NEIGHBOURS] ?? 0)) best = at;
  }
  return best;
}

/** Spreads the bits of a number over all of it. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Files are numbers of 18 bits, more than one run may read; the other 14 tell fingerprints with one key apart. */
const FILE_BITS = 18;
const FILE_MASK = (1 << FILE_BITS) - 1;

/** For each fingerprint the file that had it first, in eight bytes. */
class FirstFiles {
  #keys = new Int32Array(1 << 12);
  /** The number of the file plus one, below bits of the rank; 0 where there is nothing. */
  #files = new Int32Array(1 << 12);
  #size = 0;

  /** The file that had the fingerprint before, or -1. */
  add(key: number, rank: number, file: number): number {
    if (this.#size * 4 >= this.#keys.length * 3) this.#grow();
    const tag = rank << FILE_BITS;
    const slot = this.#slot(key, tag);
    const known = this.#files[slot] ?? 0;
    if (known !== 0) return (known & FILE_MASK) - 1;
    this.#keys[slot] = key;
    this.#files[slot] = tag | (file + 1);
    this.#size++;
    return -1;
  }

  /** Where the fingerprint is, or would be. */
  #slot(key: number, tag: number): number {
    const mask = this.#keys.length - 1;
    let slot = key & mask;
    for (; ; slot = (slot + 1) & mask) {
      const held = this.#files[slot] ?? 0;
      if (held === 0 || (this.#keys[slot] === key && (held & ~FILE_MASK) === tag)) return slot;
    }
  }

  #grow(): void {
    const [keys, files] = [this.#keys, this.#files];
    this.#keys = new Int32Array(keys.length * 2);
    this.#files = new Int32Array(files.length * 2);
    for (let at = 0; at < keys.length; at++) {
      const held = files[at] ?? 0;
      if (held === 0) continue;
      const slot = this.#slot(keys[at] ?? 0, held & ~FILE_MASK);
      this.#keys[slot] = keys[at] ?? 0;
      this.#files[slot] = held;
    }
  }
}

/** Gathers texts, and says which of them belong together. */
export class SharedCode {
  readonly #fingerprints = new Fingerprints();
  readonly #first = new FirstFiles();
  readonly #parent: number[] = [];
  readonly #bytes: number[] = [];
  /** Files with a fingerprint that stands somewhere else, or twice in themselves. */
  readonly #shared: boolean[] = [];

  /** Adds the next text. */
  add(bytes: Uint8Array): void {
    const file = this.#parent.length;
    this.#parent.push(file);
    this.#bytes.push(bytes.length);
    this.#shared.push(false);
    this.#fingerprints.each(bytes, (key, rank) => {
      const known = this.#first.add(key, rank, file);
      if (known < 0) return;
      this.#shared[file] = true;
      this.#shared[known] = true;
      const [a, b] = [this.#root(known), this.#root(file)];
      if (a !== b) this.#parent[Math.max(a, b)] = Math.min(a, b);
    });
  }

  #root(file: number): number {
    let at = file;
    for (;;) {
      const up = this.#parent[at] ?? at;
      const above = this.#parent[up] ?? up;
      if (above === up) return up;
      this.#parent[at] = above;
      at = above;
    }
  }

  /**
   * The texts that have something in common with another or within themselves, by their numbers, in parts of about so many bytes.
   * Texts that belong together are in one part, also when that makes it larger. The first text of a part comes before the next part's.
   */
  parts(maxBytes: number): number[][] {
    const groups = new Map<number, number[]>();
    for (let file = 0; file < this.#parent.length; file++) {
      if (this.#shared[file] !== true) continue;
      const root = this.#root(file);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [file]);
      else group.push(file);
    }
    const parts: number[][] = [];
    let room = 0;
    for (const group of groups.values()) {
      const size = group.reduce((sum, file) => sum + (this.#bytes[file] ?? 0), 0);
      if (parts.length === 0 || size > room) {
        parts.push([]);
        room = maxBytes;
      }
      parts.at(-1)?.push(...group);
      room -= size;
    }
    return parts.map((part) => part.sort((a, b) => a - b));
  }
}
