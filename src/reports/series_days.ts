/**
 * How the days of a series are stored: 128 of them in one row, so that reading a year takes three steps in a tree and the newest
 * night of a whole site lies on one or two pages. Of each day that says something, in the order of days:
 *
 * - its place in the block, 0 to 127; plus 128 where a byte of state and basis follows,
 * - the lengths of its value (low four bits) and of its total (high four bits): 0 to 7 bytes of a whole number, 8 for the eight
 *   bytes of any other, 15 for none,
 * - the byte of state and basis, where they are not what goes without saying: final and reported with a value, missing without,
 * - the bytes of value and total, the highest first.
 *
 * The same days always make the same bytes: what did not change need not be written, and can be compared whole.
 */

// What a day of a series can say.

/** `excluded` is a day that a reporting-timezone change distorted, or that is otherwise known not to count. */
export type SeriesState = "missing" | "final" | "provisional" | "excluded";

/** State codes, by place: as they are stored, and as arrays of days hold them. */
export const SERIES_STATES = ["missing", "final", "provisional", "excluded"] as const;

export const MISSING = 0;
export const FINAL = 1;
export const PROVISIONAL = 2;
export const EXCLUDED = 3;

/** Who says so: the source told it, or left the day out of an answer in which a day left out is a true zero. */
export type SeriesBasis = "reported" | "omitted";

/** What a series holds of one day. Absent stays absent: a value that is null is never 0. */
export interface DayValue {
  readonly state: SeriesState;
  /** Null where nothing was said of the day. */
  readonly basis: SeriesBasis | null;
  readonly value: number | null;
  /** The running total that was told beside it. */
  readonly total: number | null;
}

/** One day of a series put in place, or taken away where `to` is undefined. Days are whole days since 1970-01-01. */
export interface DayChange {
  readonly day: number;
  readonly to: DayValue | undefined;
}

/** Which series: who gave the figures of what about which site. */
export interface SeriesKey {
  readonly asset: string;
  readonly source: string;
  readonly metric: string;
}

/** Days of a series without gaps. */
export interface Stretch {
  /** Day number of the first element. */
  readonly firstDay: number;
  /** By day; read only where the state says that there is a value. */
  readonly values: Float64Array;
  /** State codes by day. */
  readonly states: Uint8Array;
  /** The running totals by day; NaN where none was told. */
  readonly totals: Float64Array;
  /** The last day of which anything was told; before the first element where none is. */
  readonly lastDay: number;
}

/** Days of a block, a power of two. */
export const BLOCK_DAYS = 128;
const SHIFT = 7;
const PLACE = BLOCK_DAYS - 1;
const SAYS_STATE = 128;

const FRACTION = 8;
const NONE = 15;

const BASES: readonly (SeriesBasis | null)[] = [null, "reported", "omitted"];
/** What goes without saying: as `state + 4 * basis`. */
const UNSAID = { valued: 1 + 4 * 1, empty: 0 } as const;

/** What a byte of state and basis is less than. */
const SAID = 4 * BASES.length;

/** Bytes of value and total together, by the byte of their lengths. */
const NO_SIZE = 255;
const SIZES = Uint8Array.from({ length: 256 }, (_, lengths) => {
  const [value, total] = [lengths & 15, lengths >> 4];
  const isKnown = (value <= FRACTION || value === NONE) && (total <= FRACTION || total === NONE);
  return isKnown ? sizeOf(value) + sizeOf(total) : NO_SIZE;
});

/** Longest entry: place, lengths, state, and two numbers of eight bytes. */
const LONGEST_ENTRY = 19;
const scratch = new Uint8Array(BLOCK_DAYS * LONGEST_ENTRY);
const view = new DataView(scratch.buffer);

/** The days of a block. */
export type BlockBytes = Uint8Array;

/** A block that says nothing. */
export const EMPTY_BLOCK: BlockBytes = new Uint8Array(0);

/** Bytes that no block is made of. */
export class DamagedBlock extends Error {
  override readonly name = "DamagedBlock";

  constructor() {
    super("its stored days are damaged, and rebuilding makes them again");
  }
}

/** What the work answers; undefined where it came upon a damaged block. */
export function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DamagedBlock) return undefined;
    throw error;
  }
}

/** The number of the block that holds a day. */
export function blockOf(day: number): number {
  return day >> SHIFT;
}

/** The first day of a block. */
export function firstDayOf(block: number): number {
  return block << SHIFT;
}

/**
 * Reads the days of a block one after another, oldest first: `next` goes on to a day and says whether there was one. Throws a
 * `DamagedBlock` where the bytes are none.
 */
export class DayReader {
  readonly #bytes: BlockBytes;
  readonly #first: number;
  #at = 0;
  /** The day's number. */
  day = 0;
  /** Its code of state. */
  state = 0;
  /** Its value, and the total beside it; NaN for none. */
  value = Number.NaN;
  total = Number.NaN;
  #said = 0;

  constructor(bytes: BlockBytes, block: number) {
    this.#bytes = bytes;
    this.#first = firstDayOf(block);
  }

  get basis(): SeriesBasis | null {
    return BASES[this.#said >> 2] ?? null;
  }

  /** Passes over the days before one, without reading what they say. */
  passTo(day: number): void {
    const bytes = this.#bytes;
    while (this.#at < bytes.length && this.#first + placeAt(bytes, this.#at) < day)
      this.#at = endOf(bytes, this.#at);
  }

  next(): boolean {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at >= bytes.length) return false;
    const end = endOf(bytes, at);
    const head = bytes[at] ?? 0;
    const lengths = bytes[at + 1] ?? 0;
    const isSaid = head >= SAYS_STATE;
    const said = isSaid ? (bytes[at + 2] ?? 0) : unsaid(lengths);
    const valueAt = isSaid ? at + 3 : at + 2;
    this.#at = end;
    this.#said = said;
    this.day = this.#first + (head & PLACE);
    this.state = said & 3;
    this.value = numberAt(bytes, valueAt, lengths & 15);
    const totalLength = lengths >> 4;
    this.total = numberAt(bytes, end - sizeOf(totalLength), totalLength);
    return true;
  }
}

/** The days of a block, by number. */
export function daysOf(bytes: BlockBytes, block: number): Map<number, DayValue> {
  const days = new Map<number, DayValue>();
  for (const reader = new DayReader(bytes, block); reader.next(); ) {
    const { day, basis, value, total } = reader;
    days.set(day, {
      state: SERIES_STATES[reader.state] ?? "missing",
      basis,
      value: Number.isNaN(value) ? null : value,
      total: Number.isNaN(total) ? null : total,
    });
  }
  return days;
}

/**
 * The block with some of its days changed, in the order of days; the very same bytes where nothing changes. Throws a `DamagedBlock`
 * where the old bytes are none, and a RangeError for a number that is not finite.
 */
export function changedBlock(old: BlockBytes, changes: readonly DayChange[]): BlockBytes {
  let [at, end, last] = [0, 0, -1];
  for (const { day, to } of changes) {
    const place = day & PLACE;
    if (place <= last) throw new RangeError("days are put in place in their order");
    last = place;
    const kept = at;
    while (at < old.length && placeAt(old, at) < place) at = endOf(old, at);
    end = copy(old, kept, at, end);
    if (at < old.length && placeAt(old, at) === place) at = endOf(old, at);
    if (to !== undefined) end = putEntry(end, place, to);
  }
  end = copy(old, at, old.length, end);
  return isWritten(old, end) ? old : scratch.slice(0, end);
}

/** Whether what was written up to here is what was there. */
function isWritten(old: BlockBytes, end: number): boolean {
  if (end !== old.length) return false;
  for (let index = 0; index < end; index++) if (old[index] !== scratch[index]) return false;
  return true;
}

function copy(old: BlockBytes, from: number, to: number, end: number): number {
  if (to > from) scratch.set(old.subarray(from, to), end);
  return end + to - from;
}

const placeAt = (bytes: BlockBytes, at: number): number => (bytes[at] ?? 0) & PLACE;

/** Where the entry ends that begins here. */
function endOf(bytes: BlockBytes, at: number): number {
  const head = bytes[at] ?? 0;
  const size = SIZES[bytes[at + 1] ?? 0] ?? NO_SIZE;
  const isSaid = head >= SAYS_STATE;
  const end = at + size + (isSaid ? 3 : 2);
  // The next day lies further on, and the last one ends with the block.
  const isOnward = end < bytes.length ? placeAt(bytes, end) > (head & PLACE) : end === bytes.length;
  if (isOnward && size !== NO_SIZE && (!isSaid || (bytes[at + 2] ?? 0) < SAID)) return end;
  throw new DamagedBlock();
}

function sizeOf(length: number): number {
  return length === NONE ? 0 : length;
}

const unsaid = (lengths: number): number => ((lengths & 15) === NONE ? UNSAID.empty : UNSAID.valued);

function numberAt(bytes: BlockBytes, at: number, length: number): number {
  if (length === NONE) return Number.NaN;
  if (length === FRACTION) return new DataView(bytes.buffer, bytes.byteOffset + at, FRACTION).getFloat64(0);
  let number = 0;
  const end = at + length;
  for (let index = at; index < end; index++) number = number * 256 + (bytes[index] ?? 0);
  return number;
}

/** Writes an entry behind what is written; answers where it ends. */
function putEntry(end: number, place: number, { state, basis, value, total }: DayValue): number {
  const lengths = lengthOf(value) | (lengthOf(total) << 4);
  const said = SERIES_STATES.indexOf(state) + 4 * BASES.indexOf(basis);
  const isSaid = said !== unsaid(lengths);
  let next = end;
  scratch[next++] = isSaid ? place | SAYS_STATE : place;
  scratch[next++] = lengths;
  if (isSaid) scratch[next++] = said;
  return putNumber(putNumber(next, value, lengths & 15), total, lengths >> 4);
}

function lengthOf(number: number | null): number {
  if (number === null) return NONE;
  if (!Number.isFinite(number)) throw new RangeError(`not a number that a day can have: ${number}`);
  if (!Number.isSafeInteger(number) || number < 0) return FRACTION;
  let length = 0;
  for (let rest = number; rest >= 1; rest /= 256) length++;
  return length;
}

function putNumber(at: number, number: number | null, length: number): number {
  if (number === null) return at;
  if (length === FRACTION) view.setFloat64(at, number);
  else {
    for (let index = at + length - 1, rest = number; index >= at; index--) {
      scratch[index] = rest % 256;
      rest = Math.floor(rest / 256);
    }
  }
  return at + length;
}

// Lays the days of blocks out without gaps, from one day to another, both included.

export function stretchOf(
  blocks: readonly { readonly block: number; readonly days: BlockBytes }[],
  from: number,
  to: number,
): Stretch {
  const values = new Float64Array(Math.max(0, to - from + 1));
  const states = new Uint8Array(values.length);
  const totals = new Float64Array(values.length).fill(Number.NaN);
  let lastDay = from - 1;
  for (const { block, days } of blocks) {
    const reader = new DayReader(days, block);
    reader.passTo(from);
    while (reader.next()) {
      const { day } = reader;
      if (day > to) continue;
      const place = day - from;
      values[place] = reader.value;
      states[place] = reader.state;
      totals[place] = reader.total;
      lastDay = day;
    }
  }
  return { firstDay: from, values, states, totals, lastDay };
}
