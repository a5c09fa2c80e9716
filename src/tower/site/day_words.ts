/** What a day of a figure says, in words. Pure. */

import type { UtcDay } from "../../base/time.ts";
import type { DayValue, SeriesBasis } from "../../reports/series_days.ts";
import { formatCount, formatDay, formatDecimal, formatPercent } from "../format.ts";
import { type ChartDay, type DayState, STATE_WORDS } from "../kit/chart.tsx";
import { type FigureUnit, figureText } from "./lanes.ts";

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

/** A stretch of days beside the one before it: only where both are equally long, complete and final. Pure. */

/** What keeps two stretches from being compared, and on which day. */
interface Obstacle {
  readonly reason: "missing" | "provisional" | "excluded" | "before_first" | "nothing_final" | "no_sum";
  /** The newest day that is in the way; undefined where no single day is. */
  readonly day: FigureDay["day"] | undefined;
}

export type Comparison =
  | {
      readonly outcome: "compared";
      readonly count: number;
      /** The last day of the later stretch. */
      readonly to: FigureDay["day"];
      readonly now: number;
      readonly before: number;
    }
  | ({ readonly outcome: "not_compared" } & Obstacle);

/**
 * Compares the last so many days that end with the newest final one with as many before them. `days` are without gaps, oldest first,
 * and reach back far enough for both; what lies before them was never told.
 */
export function compared(days: readonly FigureDay[], count: number): Comparison {
  const end = days.findLastIndex(({ state }) => state === "final");
  if (end === -1) return { outcome: "not_compared", reason: "nothing_final", day: undefined };
  const to = days[end]?.day;
  let [now, before] = [0, 0];
  for (let back = 0; back < 2 * count; back++) {
    const at = days[end - back];
    const reason = obstacleOf(at);
    if (reason !== undefined) return { outcome: "not_compared", reason, day: at?.day };
    if (back < count) now += at?.value ?? 0;
    else before += at?.value ?? 0;
  }
  if (to === undefined) return { outcome: "not_compared", reason: "nothing_final", day: undefined };
  return { outcome: "compared", count, to, now, before };
}

function obstacleOf(day: FigureDay | undefined): Obstacle["reason"] | undefined {
  if (day === undefined || day.state === "none") return "before_first";
  if (day.state === "final") return day.value === null ? "missing" : undefined;
  return day.state;
}

/** Least count of the earlier stretch that a change of it is said in percent of. */
const LEAST = 50;

/** The change in percent; undefined where the earlier stretch holds too little for one. */
export function changeOf({
  now,
  before,
}: {
  readonly now: number;
  readonly before: number;
}): number | undefined {
  return before < LEAST ? undefined : ((now - before) / before) * 100;
}

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
  const percent = changeOf(of);
  if (percent !== undefined) return `${signed(Math.round(percent))}%`;
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

/** What two stretches of days come to: "512 in the 30 days to 18 Nov, 498 in the 30 before", or why they are not compared. */
export function comparisonWords(comparison: Comparison, unit: FigureUnit, now: number): string {
  if (comparison.outcome === "compared") {
    const { count, to } = comparison;
    const change = changeOf(comparison);
    const percent = change === undefined ? "" : ` (${change > 0 ? "+" : ""}${formatPercent(change)})`;
    const span = `in the ${count} days to ${formatDay(to, now)}`;
    return `${figureText(unit, comparison.now)} ${span}, ${figureText(unit, comparison.before)} in the ${count} before${percent}`;
  }
  const { reason, day } = comparison;
  const on = day === undefined ? "" : formatDay(day, now);
  switch (reason) {
    case "no_sum":
      return "Not compared: its days do not add up.";
    case "nothing_final":
      return "Not compared: no day is final yet.";
    case "before_first":
      return on === "" ? "No earlier data to compare" : `No earlier data to compare: ${on} and before.`;
    case "missing":
    case "provisional":
    case "excluded":
      return `Not compared: ${on} is ${reason === "missing" ? "without data" : STATE_WORDS[reason]}.`;
  }
}
