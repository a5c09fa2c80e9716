/**
 * The bytes of an observation: the days of a source whose value, state or basis an answer changed, all of its figures together.
 *
 * First the property's first day with data, as a number of LEB128 (its day plus one, 0 for none); so the newest observation of a
 * property says it without reading the others. Then, of each day in their order:
 *
 * - the days since the one before: for the first since the property's first day with data, or since 1970, zigzag; for the others
 *   less one,
 * - which figures follow, a bit each by their place in `SIGNAL_METRICS`,
 * - of each figure a byte (state in the lowest two bits, basis in the next two, the length of the value in the highest four) and its
 *   value: 0 to 7 bytes of a whole number, the highest first; 8 for the eight bytes of any other; 15 for none.
 */

import type { DayValue } from "../reports/series_days.ts";

/** What an answer made a figure of a day. `missing` without a value takes away what was there. */
export type DayFigure = Omit<DayValue, "total">;

/** One figure of one day that changed. */
export interface ObservedFigure {
  readonly day: number;
  /** Place in `SIGNAL_METRICS` of the source. */
  readonly place: number;
  readonly to: DayFigure;
}

/** What an observation says. */
export interface Observed {
  /** The first day that the property ever had data for, as far as was known then; undefined for none. */
  readonly firstData: number | undefined;
  /** Ascending by day, then by place; each figure of a day once. */
  readonly figures: readonly ObservedFigure[];
}

/** Bytes that no observation is made of. */
export class DamagedObservation extends Error {
  override readonly name = "DamagedObservation";

  constructor() {
    super("an observation's bytes are damaged");
  }
}

const STATES: readonly DayFigure["state"][] = ["missing", "final", "provisional", "excluded"];
const BASES: readonly DayFigure["basis"][] = [null, "reported", "omitted"];
const FRACTION = 8;
const NONE = 15;
/** A day needs so many figures at most: a bit each. */
const MOST_FIGURES = 8;

/** Writes an observation. Throws a RangeError where figures stand out of order or a value is not finite. */
export function encodeObserved({ firstData, figures }: Observed): Buffer {
  const out: number[] = [];
  putNumber(out, firstData === undefined ? 0 : firstData + 1);
  let last: number | undefined;
  for (let at = 0; at < figures.length; ) {
    const day = figures[at]?.day ?? 0;
    let end = at;
    let which = 0;
    for (; figures[end]?.day === day; end++) {
      const bit = 1 << (figures[end]?.place ?? MOST_FIGURES);
      if (bit <= which || bit >= 1 << MOST_FIGURES) throw new RangeError("figures stand in their order");
      which |= bit;
    }
    if (last === undefined) putNumber(out, zigzag(day - (firstData ?? 0)));
    else if (day > last) putNumber(out, day - last - 1);
    else throw new RangeError("days stand in their order");
    last = day;
    out.push(which);
    for (; at < end; at++) putFigure(out, figures[at]?.to);
  }
  return Buffer.from(out);
}

/** Reads an observation. Throws `DamagedObservation`. */
export function decodeObserved(bytes: Uint8Array): Observed {
  const reader = new Reader(bytes);
  const first = reader.number();
  const firstData = first === 0 ? undefined : first - 1;
  const figures: ObservedFigure[] = [];
  let day: number | undefined;
  while (!reader.isAtEnd) {
    const step = reader.number();
    day = day === undefined ? (firstData ?? 0) + unzigzag(step) : day + step + 1;
    const which = reader.byte();
    if (which === 0) throw new DamagedObservation();
    for (let place = 0; place < MOST_FIGURES; place++) {
      if ((which & (1 << place)) !== 0) figures.push({ day, place, to: reader.figure() });
    }
  }
  return { firstData, figures };
}

/** The property's first day with data, by the head of an observation alone. */
export function firstDataOf(bytes: Uint8Array): number | undefined {
  const first = new Reader(bytes).number();
  return first === 0 ? undefined : first - 1;
}

/** The first day that an observation says something of; undefined where it says nothing. */
export function firstDayOf(bytes: Uint8Array): number | undefined {
  const reader = new Reader(bytes);
  const first = reader.number();
  return reader.isAtEnd ? undefined : Math.max(0, first - 1) + unzigzag(reader.number());
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DamagedObservation();
    return byte;
  }

  number(): number {
    let number = 0;
    for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
      const byte = this.byte();
      number += (byte & 127) * factor;
      if (byte < 128) return number;
    }
    throw new DamagedObservation();
  }

  figure(): DayFigure {
    const head = this.byte();
    const state = STATES[head & 3];
    const basis = BASES[(head >> 2) & 3];
    if (state === undefined || basis === undefined) throw new DamagedObservation();
    return { state, basis, value: this.#value(head >> 4) };
  }

  #value(length: number): number | null {
    if (length === NONE) return null;
    if (length > FRACTION || this.#at + length > this.#bytes.length) throw new DamagedObservation();
    if (length === FRACTION) {
      const { buffer, byteOffset } = this.#bytes;
      const value = new DataView(buffer, byteOffset + this.#at, FRACTION).getFloat64(0);
      this.#at += FRACTION;
      return value;
    }
    let value = 0;
    for (let left = length; left > 0; left--) value = value * 256 + this.byte();
    return value;
  }
}

function putFigure(out: number[], figure: DayFigure | undefined): void {
  if (figure === undefined) return;
  const { state, basis, value } = figure;
  const length = lengthOf(value);
  out.push(STATES.indexOf(state) | (BASES.indexOf(basis) << 2) | (length << 4));
  if (value === null) return;
  if (length === FRACTION) {
    const eight = new DataView(new ArrayBuffer(FRACTION));
    eight.setFloat64(0, value);
    for (let at = 0; at < FRACTION; at++) out.push(eight.getUint8(at));
    return;
  }
  for (let left = length - 1; left >= 0; left--) out.push(Math.floor(value / 256 ** left) % 256);
}

function lengthOf(value: number | null): number {
  if (value === null) return NONE;
  if (!Number.isFinite(value)) throw new RangeError(`not a number that a day can have: ${value}`);
  if (!Number.isSafeInteger(value) || value < 0) return FRACTION;
  let length = 0;
  for (let rest = value; rest >= 1; rest /= 256) length++;
  return length;
}

function putNumber(out: number[], number: number): void {
  if (number < 0) throw new RangeError("days before 1970 are of no property");
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) out.push((rest % 128) | 128);
  out.push(rest);
}

const zigzag = (number: number): number => (number < 0 ? -2 * number - 1 : 2 * number);
const unzigzag = (number: number): number => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);
