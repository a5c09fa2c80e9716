/**
 * The form of a pack of attempts: how many there are, then one column after another, every value as the distance from what it most
 * likely is, in one zstd frame. Runs ask the same targets in nearly the same order at a steady pace, so that an attempt takes less
 * than three bytes of the hundred that it has as a row.
 */

import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import type { AttemptRow } from "./attempt.ts";

/** Attempts of a pack: few enough to be read within a millisecond or two, enough to say little anew. */
export const PACK_ATTEMPTS = 4_096;

const LEVEL = 15;

type Column = Exclude<keyof AttemptRow, "id">;
type Columns = Readonly<Record<Column, Float64Array>>;

/** What stands for "none" in a column whose values may be absent. */
const NONE = Number.NaN;

/** Attempts that follow one another, by their columns. */
export class PackedAttempts {
  readonly first: number;
  readonly length: number;
  readonly columns: Columns;

  constructor(first: number, length: number, columns: Columns) {
    this.first = first;
    this.length = length;
    this.columns = columns;
  }

  /** The attempt at a place, 0 being the first. */
  at(place: number): AttemptRow {
    const value = (column: Column) => this.columns[column][place] ?? NONE;
    const orNull = (column: Column) => (Number.isNaN(value(column)) ? null : value(column));
    return {
      id: this.first + place,
      run: value("run"),
      target: value("target"),
      started_at: value("started_at"),
      took_ms: value("took_ms"),
      outcome: value("outcome"),
      category: orNull("category"),
      next_retry_at: orNull("next_retry_at"),
      requests: value("requests"),
      changed: value("changed"),
    };
  }
}

/** Compresses attempts on another thread. Their ids must follow one another. */
export function packAttempts(rows: readonly AttemptRow[]): Promise<Buffer> {
  return Bun.zstdCompress(contentOf(rows), { level: LEVEL });
}

function contentOf(rows: readonly AttemptRow[]): Uint8Array {
  const out = new VarintWriter();
  out.put(rows.length);
  let [run, target, ended] = [0, 0, 0];
  for (const row of rows) {
    out.put(unsigned(row.run - run));
    run = row.run;
  }
  for (const row of rows) {
    out.put(unsigned(row.target - target));
    target = row.target;
  }
  // They are stored as they end, so that their ends lie closer together than their beginnings.
  for (const row of rows) {
    out.put(unsigned(row.started_at + row.took_ms - ended));
    ended = row.started_at + row.took_ms;
  }
  for (const row of rows) out.put(row.took_ms);
  for (const row of rows) out.put(row.outcome);
  for (const row of rows) out.put(row.category === null ? 0 : row.category + 1);
  for (const row of rows) {
    out.put(row.next_retry_at === null ? 0 : unsigned(row.next_retry_at - row.started_at) + 1);
  }
  for (const row of rows) out.put(row.requests);
  for (const row of rows) out.put(row.changed);
  return out.bytes();
}

/** The attempts of a pack whose first one has this id. Throws when it is not what `packAttempts` made. */
export function unpackAttempts(data: Uint8Array, first: number): PackedAttempts {
  const from = new VarintReader(Bun.zstdDecompressSync(data));
  const length = from.take();
  if (length > PACK_ATTEMPTS) throw new RangeError("a pack holds more attempts than it may");
  const column = (read: (place: number) => number) => {
    const values = new Float64Array(length);
    for (let place = 0; place < length; place++) values[place] = read(place);
    return values;
  };
  const steps = () => {
    let at = 0;
    return column(() => {
      at += signed(from.take());
      return at;
    });
  };
  const [run, target, ended] = [steps(), steps(), steps()];
  const took_ms = column(() => from.take());
  const started_at = ended.map((end, place) => end - (took_ms[place] ?? 0));
  const outcome = column(() => from.take());
  const category = column(() => {
    const value = from.take();
    return value === 0 ? NONE : value - 1;
  });
  const next_retry_at = column((place) => {
    const value = from.take();
    return value === 0 ? NONE : (started_at[place] ?? 0) + signed(value - 1);
  });
  const [requests, changed] = [column(() => from.take()), column(() => from.take())];
  if (!from.isAtEnd) throw new RangeError("a pack is longer than its attempts");
  const columns = { run, target, started_at, took_ms, outcome, category, next_retry_at, requests, changed };
  return new PackedAttempts(first, length, columns);
}
