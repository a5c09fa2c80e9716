/** What a day of a figure says, in words. Pure. */

import type { UtcDay } from "../../base/time.ts";
import type { DayValue, SeriesBasis } from "../../reports/series_days.ts";
import { formatCount, formatDecimal } from "../format.ts";
import { type ChartDay, type DayState, STATE_WORDS } from "../kit/chart.tsx";

/** The days of one figure as charts, tables and files show them: a value with its state, a gap, or nothing. Pure. */

export interface FigureDay extends ChartDay {
  readonly basis: SeriesBasis | null;
}

/** Between which days a figure owes a value: a day of these of which nothing was told is missing. */
export interface Owed {
  readonly first: UtcDay | undefined;
  readonly last: UtcDay | undefined;
}

/** Every one of these days, in their order. What is missing before the first value or after the last is owed to nobody. */
export function figureDays(
  days: readonly UtcDay[],
  told: ReadonlyMap<UtcDay, Pick<DayValue, "state" | "basis" | "value">>,
  { first, last }: Owed,
): FigureDay[] {
  return days.map((day): FigureDay => {
    const said = told.get(day);
    if (said !== undefined) return { day, state: said.state, basis: said.basis, value: said.value };
    const owed = first !== undefined && last !== undefined && day > first && day <= last;
    return { day, state: owed ? "missing" : "none", basis: null, value: null };
  });
}

/** The newest day that has a value: a final one where there is one. */
export function lastValued(days: readonly FigureDay[]): FigureDay | undefined {
  return (
    days.findLast(({ state, value }) => state === "final" && value !== null) ??
    days.findLast(({ value }) => value !== null)
  );
}

/** A stretch of days beside the one before it. */
export interface Comparison {
  /** The last day of the later stretch. */
  readonly to: UtcDay;
  readonly now: number;
  readonly before: number;
}

/**
 * Compares the last so many days that end with the newest final one with as many before them; undefined where one of all is not final,
 * or has no value. `days` are without gaps, oldest first.
 */
export function compared(days: readonly FigureDay[], count: number): Comparison | undefined {
  const end = days.findLastIndex(({ state }) => state === "final");
  const both = days.slice(Math.max(0, end + 1 - 2 * count), end + 1);
  const values = both.flatMap(({ state, value }) => (state === "final" && value !== null ? [value] : []));
  const to = days[end]?.day;
  if (to === undefined || values.length < 2 * count) return undefined;
  const sum = (some: readonly number[]) => some.reduce((all, value) => all + value, 0);
  return { to, now: sum(values.slice(count)), before: sum(values.slice(0, count)) };
}

/** Least count of the earlier stretch that a change of it is said in percent of. */
const LEAST = 50;

/** How far two counts lie apart: half and twice as many are equally far. */
export function distance({ now, before }: { readonly now: number; readonly before: number }): number {
  // One more on both sides, so that 0 of 1 is no greater than 0 of 100.
  return Math.abs(Math.log((Math.max(0, now) + 1) / (Math.max(0, before) + 1)));
}

/** From so many times as many on a change is said in times. */
const TIMES = 3;

/** "+2%", "−74%"; "7×" for many times as many; "−1" where the earlier count is too small for a percent. */
export function changeText(of: { readonly now: number; readonly before: number }): string {
  const { now, before } = of;
  const times = before > 0 && now - before >= TIMES ? now / before : 0;
  if (times >= TIMES) return `${formatCount(times)}×`;
  if (before >= LEAST) return `${signed(Math.round(((now - before) / before) * 100))}%`;
  return signed(before < TENTHS_BELOW ? Math.round((now - before) * 10) / 10 : Math.round(now - before));
}

/** What is normal, as precise as it is worth: "95", "8.8". */
export function usualText(mean: number): string {
  return mean < TENTHS_BELOW ? formatDecimal(mean) : formatCount(mean);
}
const TENTHS_BELOW = 20;

function signed(value: number): string {
  if (value === 0) return "0";
  return `${value > 0 ? "+" : "−"}${formatDecimal(Math.abs(value))}`;
}

/** What follows a day whose value is not final: ", ignored by rules"; "" where it is. */
export function stateAfter(state: DayState): string {
  return state === "final" ? "" : `, ${STATE_WORDS[state]}`;
}
