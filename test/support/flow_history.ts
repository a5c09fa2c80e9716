/** Histories for the flow tests: counts by place, the last of them on one known day. */

import { addDays, dayNumber, type UtcDay } from "../../src/base/time.ts";
import { type SeriesState as ReadingState, SERIES_STATES } from "../../src/reports/series_days.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import { seeded } from "./mixtures.ts";

/** A Wednesday. */
export const TESTED_DAY = "2026-11-18" as UtcDay;

/** The day `back` days before the tested day. */
export function daysBefore(back: number): UtcDay {
  return addDays(TESTED_DAY, -back);
}

interface Reading {
  readonly value: number | undefined;
  readonly state: ReadingState;
}

/** Readings of one day after another, oldest first. */
export function flowSeries(readings: readonly (readonly [day: UtcDay, reading: Reading])[]): FlowSeries {
  const [first] = readings;
  return {
    firstDay: first === undefined ? 0 : dayNumber(first[0]),
    counts: Float64Array.from(readings, ([, { value, state }]) => (state === "final" ? (value ?? 0) : 0)),
    states: Uint8Array.from(readings, ([, { state }]) => SERIES_STATES.indexOf(state)),
  };
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

/** The last day of any history. */
export const ANY_DAY = "2026-03-01" as UtcDay;

/** Days up to the last, oldest first, at least so many; the seed says how many more there are, how large, and what happens on the way. */
export function anyHistory(seed: number, least = 20): FlowSeries {
  const next = seeded(seed);
  const length = least + Math.floor(next() * 140);
  const mean = 10 ** (next() * 4 - 0.7);
  const change = [1, 1, 0.3, 0, 2.5, 0.8][Math.floor(next() * 6)] ?? 1;
  const since = [1, 2, 7, 20, 40][Math.floor(next() * 5)] ?? 1;
  const holes = [0, 0, 0.03, 0.2][Math.floor(next() * 4)] ?? 0;
  const spread = [0.3, 1, 4][Math.floor(next() * 3)] ?? 1;
  return flowSeries(
    Array.from({ length }, (_, place): readonly [UtcDay, Reading] => {
      const back = length - 1 - place;
      const weekday = back % 7 < 2 ? 0.7 : 1.1;
      const level = mean * weekday * (back < since ? change : 1);
      const value = Math.max(0, Math.round(level + (next() + next() - 1) * 2.4 * Math.sqrt(level) * spread));
      const state = next() >= holes ? "final" : next() < 0.5 ? "missing" : "excluded";
      return [addDays(ANY_DAY, -back), { value: state === "final" ? value : undefined, state }];
    }),
  );
}
