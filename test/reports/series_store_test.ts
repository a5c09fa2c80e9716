import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  addSeries,
  findSeries,
  listAllSeries,
  listBlocks,
  listFirstSeries,
  putDays,
  readBlocks,
} from "../../src/reports/series.ts";
import {
  blockOf,
  type DayChange,
  type DayValue,
  FINAL,
  MISSING,
  PROVISIONAL,
  type SeriesState,
  stretchOf,
} from "../../src/reports/series_days.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { testStore } from "../support/database.ts";

let store: Store;
let tx: Tx;
beforeEach(() => {
  store = testStore();
  tx = store.main as Tx;
});
afterEach(() => store.close());

const TODAY = 20_500;
const KEY = { asset: "harbor", source: "search-console", metric: "clicks" };

const told = (value: number | null, state: SeriesState = "final"): DayValue => ({
  state,
  basis: value === null ? null : "reported",
  value,
  total: null,
});

/** A provider's window of 97 days that ends at a day, of which the newest is not settled. */
const windowTo = (last: number): DayChange[] =>
  Array.from({ length: 97 }, (_, at) => {
    const day = last - 96 + at;
    return { day, to: told((day * 37) % 500, day === last ? "provisional" : "final") };
  });

const written = () => store.raw.query<{ n: number }, []>("SELECT total_changes() AS n").all()[0]?.n ?? 0;

function stretch(series: number, from: number, to: number) {
  const { values, states, totals, lastDay } = stretchOf(readBlocks(tx, series, from, to), from, to);
  return { values: [...values], states: [...states], totals: [...totals], lastDay };
}

describe("the days of a series", () => {
  test("are read between two days, both included, however many blocks they lie in, without gaps", () => {
    const series = addSeries(tx, KEY, TODAY);
    const days = [-300, -129, -128, -127, -1, 0].map((back) => TODAY + back);
    putDays(
      tx,
      series,
      days.map((day) => ({ day, to: { ...told(TODAY - day), total: day === TODAY - 128 ? 7 : null } })),
    );
    expect(stretch(series, TODAY - 129, TODAY - 127)).toMatchSnapshot();
    expect(stretch(series, TODAY - 3, TODAY + 2)).toMatchSnapshot();
    expect(stretch(series, TODAY - 300, TODAY).states.filter((state) => state === MISSING)).toHaveLength(295);
    expect(stretch(series, TODAY - 299, TODAY - 200).lastDay).toBe(TODAY - 300);
    putDays(tx, series, [{ day: TODAY - 300, to: undefined }]);
    expect(listBlocks(tx, series)).toEqual([blockOf(TODAY - 129), blockOf(TODAY)]);
  });

  test("are of one series alone, in years of four digits at either end", () => {
    const ids = ["a", "b", "c"].map((metric) => addSeries(tx, { ...KEY, metric }, 0));
    for (const id of ids)
      putDays(tx, id, [
        { day: -719_528, to: told(id) },
        { day: 2_932_896, to: told(id + 10) },
      ]);
    for (const id of ids) {
      expect(stretch(id, -719_528, -719_528).values).toEqual([id]);
      expect(stretch(id, 2_932_896, 2_932_896).values).toEqual([id + 10]);
    }
  });

  test("a series that was added twice is one, and another source's is another", () => {
    const series = addSeries(tx, KEY, TODAY);
    expect(() => addSeries(tx, KEY, TODAY)).toThrow();
    expect(findSeries(tx, KEY)).toBe(series);
    expect(findSeries(tx, { ...KEY, source: "pulse" })).toBeUndefined();
    const of = (since: number) => listFirstSeries(tx, ["harbor"], { ...KEY, since }).map(({ id }) => id);
    expect([of(TODAY), of(TODAY + 1)]).toEqual([[series], []]);
    expect(listAllSeries(tx, "harbor").map(({ source }) => source)).not.toContain("pulse");
  });
});

describe("a provider's window", () => {
  test("that says what is stored already writes nothing", () => {
    const series = addSeries(tx, KEY, TODAY);
    expect(putDays(tx, series, windowTo(TODAY))).toBeGreaterThan(0);
    const before = written();
    expect(putDays(tx, series, windowTo(TODAY))).toBe(0);
    expect(written()).toBe(before);
  });

  test("a day later writes the blocks of the days that changed and leaves those before the window alone", () => {
    const series = addSeries(tx, KEY, TODAY);
    for (let last = TODAY - 400; last < TODAY; last += 97) putDays(tx, series, windowTo(last));
    putDays(tx, series, windowTo(TODAY));
    const before = written();
    const past = stretch(series, TODAY - 400, TODAY - 96);
    expect(putDays(tx, series, windowTo(TODAY + 1))).toBeLessThanOrEqual(2);
    expect(written() - before).toBeLessThanOrEqual(2);
    expect(stretch(series, TODAY - 400, TODAY - 96)).toEqual(past);
    expect(stretch(series, TODAY, TODAY + 1).states).toEqual([FINAL, PROVISIONAL]);
  });
});
