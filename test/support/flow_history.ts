/** Histories for the flow tests: counts by place, the last of them on one known day. */

import { addDays, type UtcDay } from "../../src/base/time.ts";
import type { SeriesState as ReadingState } from "../../src/reports/series_days.ts";
import { type FlowSeries, flowSeries } from "../../src/rules/flow_series.ts";

/** A Wednesday. */
export const TESTED_DAY = "2026-11-18" as UtcDay;

/** The day `back` days before the tested day. */
export function daysBefore(back: number): UtcDay {
  return addDays(TESTED_DAY, -back);
}

/** A final history of `days` days up to the tested day; `count` tells a day's count by its distance from it. */
export function historyOf(
  days: number,
  count: (back: number) => number,
  states: Readonly<Record<number, ReadingState>> = {},
): FlowSeries {
  return flowSeries(
    Array.from({ length: days }, (_, place) => {
      const back = days - 1 - place;
      const state = states[back] ?? "final";
      return [daysBefore(back), { value: state === "missing" ? undefined : count(back), state }] as const;
    }),
  );
}

/** Whole counts whose running total, newest first, is `perDay` a day rounded down. */
export function even(perDay: number): (back: number) => number {
  return (back) => Math.floor((back + 1) * perDay) - Math.floor(back * perDay);
}
