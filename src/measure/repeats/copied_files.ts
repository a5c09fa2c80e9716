/** The compared copies that hold repeated code: which of their lines are code, and which a finding has taken already. */

const CODE = 1;
const TAKEN = 2;
/** The first line of a taken part. */
const START = 4;

/** A part of a file; lines count from 1, the last one belongs to it. */
export interface Span {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** One compared file, line by line. */
export class CopiedFile {
  readonly #lines: Uint8Array;
  /** The blocks of the taken parts, by first line. */
  readonly #blocks = new Map<number, number>();

  /** The bytes of a copy that holds nothing but code. */
  constructor(copy: Uint8Array) {
    let count = 1;
    for (const byte of copy) if (byte === 10) count++;
    this.#lines = new Uint8Array(count);
    let line = 0;
    for (const byte of copy) {
      if (byte === 10) line++;
      else if (byte > 32) this.#lines[line] = CODE;
    }
  }

  /** Lines of any kind. */
  get length(): number {
    return this.#lines.length;
  }

  /** Lines of code in a part. */
  count(from: number, to: number): number {
    let count = 0;
    for (let line = from; line <= Math.min(to, this.length); line++)
      if (((this.#lines[line - 1] ?? 0) & CODE) !== 0) count++;
    return count;
  }

  /** Whether a part has at least so many lines of code; looks no further than that. */
  holds(from: number, to: number, lines: number): boolean {
    let missing = lines;
    for (let line = from; line <= to && line <= this.length && missing > 0; line++)
      if (((this.#lines[line - 1] ?? 0) & CODE) !== 0) missing--;
    return missing <= 0;
  }

  /** The longest piece of a part that no finding has taken, from code to code; `undefined` when nothing is left. */
  free(from: number, to: number): readonly [from: number, to: number] | undefined {
    let best: readonly [number, number] | undefined;
    let most = 0;
    let start = 0;
    let end = 0;
    let count = 0;
    const last = Math.min(to, this.length);
    for (let line = from; line <= last + 1; line++) {
      const mark = line > last ? TAKEN : (this.#lines[line - 1] ?? TAKEN);
      if ((mark & TAKEN) !== 0) {
        if (count > most) {
          most = count;
          best = [start, end];
        }
        count = 0;
      } else if (mark === CODE) {
        if (count++ === 0) start = line;
        end = line;
      }
    }
    return best;
  }

  /** Gives a free part to a block. */
  take(from: number, to: number, block: number): void {
    for (let line = from; line <= to; line++) this.#lines[line - 1] = (this.#lines[line - 1] ?? 0) | TAKEN;
    this.#lines[from - 1] = (this.#lines[from - 1] ?? 0) | START;
    this.#blocks.set(from, block);
  }

  /** The block that has the first taken line of a part. */
  blockIn(from: number, to: number): number | undefined {
    let line = from;
    while (line <= to && ((this.#lines[line - 1] ?? 0) & TAKEN) === 0) line++;
    if (line > to) return undefined;
    while (line > 1 && ((this.#lines[line - 1] ?? 0) & START) === 0) line--;
    return this.#blocks.get(line);
  }
}
