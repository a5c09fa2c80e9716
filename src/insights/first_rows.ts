/** The first rows of a report by an order, in memory that does not grow with it. */
import type { ReportRow } from "../provider/report/contract.ts";

/** Below 0 where the first comes first; 0 only of rows that say the same. */
export type RowOrder = (a: ReportRow, b: ReportRow) => number;

/** Whole numbers compare as numbers, texts by their code units, so that the order is the same on every machine. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** The largest first; what is not told comes last. */
const byFigure = (a: number | null | undefined, b: number | null | undefined): number => {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  return b - a;
};

/**
 * The largest first by the figures at these places, one after another; ties by what the rows are told by, then by all they say, so that
 * the same rows make the same list whatever order they come in.
 */
export function largestFirst(places: readonly number[]): RowOrder {
  return (a, b) => firstThat(places, (place) => byFigure(a.values[place], b.values[place])) || bySaying(a, b);
}

/** The newest day first, which is the first key. */
export const newestFirst: RowOrder = (a, b) => byText(b.keys[0] ?? "", a.keys[0] ?? "") || bySaying(a, b);

function bySaying(a: ReportRow, b: ReportRow): number {
  return (
    firstThat(a.keys.keys(), (place) => byText(a.keys[place] ?? "", b.keys[place] ?? "")) ||
    firstThat(a.values.keys(), (place) => byFigure(a.values[place], b.values[place]))
  );
}

function firstThat(places: Iterable<number>, compare: (place: number) => number): number {
  for (const place of places) {
    const way = compare(place);
    if (way !== 0) return way;
  }
  return 0;
}

/** Keeps the first `most` things of those that are added, in their order. A thing that comes after all that are kept costs one look. */
export class First<T> {
  readonly #order: (a: T, b: T) => number;
  readonly #most: number;
  #kept: T[] = [];

  constructor(order: (a: T, b: T) => number, most: number) {
    this.#order = order;
    this.#most = most;
  }

  /** `unlessThere` leaves out what is kept already. */
  add(one: T, how: { readonly unlessThere?: boolean } = {}): void {
    const kept = this.#kept;
    const last = kept[this.#most - 1];
    if (last !== undefined && this.#order(one, last) >= 0) return;
    let [from, to] = [0, kept.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const there = kept[middle] as T;
      if (this.#order(one, there) < 0) to = middle;
      else from = middle + 1;
    }
    const before = kept[from - 1];
    if (how.unlessThere === true && before !== undefined && this.#order(before, one) === 0) return;
    kept.splice(from, 0, one);
    if (kept.length > this.#most) kept.pop();
  }

  clear(): void {
    this.#kept = [];
  }

  all(): readonly T[] {
    return this.#kept;
  }
}
