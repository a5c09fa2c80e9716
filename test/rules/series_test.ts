import { expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { FINAL, MISSING, PROVISIONAL } from "../../src/reports/series_days.ts";
import { flowSeries, MAX_SERIES_DAYS, newestFinalDay, type Reading } from "../../src/rules/flow_series.ts";
import { daysBefore, TESTED_DAY } from "../support/flow_history.ts";

const final = (value: number | undefined): Reading => ({ value, state: "final" });

test("series: readings are laid out by day in any order, and a day in between without one is missing, not 0", () => {
  const series = flowSeries([
    [TESTED_DAY, { value: 5, state: "provisional" }],
    [daysBefore(3), final(7)],
    [daysBefore(2), final(0)],
  ]);
  expect([...series.states]).toEqual([FINAL, FINAL, MISSING, PROVISIONAL]);
  expect([...series.counts.subarray(0, 2)]).toEqual([7, 0]);
  expect(newestFinalDay(series)).toBe(daysBefore(2));
});

test("series: a final reading without a value is missing, one that is no count is refused", () => {
  expect([...flowSeries([[TESTED_DAY, final(undefined)]]).states]).toEqual([MISSING]);
  for (const value of [-1, 0.5, Number.NaN, 2 ** 53]) {
    expect(() => flowSeries([[TESTED_DAY, final(value)]])).toThrow(RangeError);
  }
});

test("series: the later of two readings of a day stands", () => {
  const series = flowSeries([
    [TESTED_DAY, final(3)],
    [TESTED_DAY, final(4)],
  ]);
  expect([...series.counts]).toEqual([4]);
});

test("series: two dates centuries apart keep the newest ten years", () => {
  const series = flowSeries([
    ["1800-01-01" as UtcDay, final(1)],
    [TESTED_DAY, final(2)],
  ]);
  expect(series.counts.length).toBe(MAX_SERIES_DAYS);
  expect(newestFinalDay(series)).toBe(TESTED_DAY);
  expect(newestFinalDay(flowSeries([]))).toBeUndefined();
});
