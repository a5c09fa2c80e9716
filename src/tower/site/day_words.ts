/** What a day of a figure says, in words. Pure. */

import type { UtcDay } from "../../base/time.ts";
import type { DayValue, SeriesBasis, SeriesState } from "../../reports/series_days.ts";
import { formatDay, formatPercent } from "../format.ts";
import { type FigureUnit, figureText } from "./lanes.ts";

/** The days of one figure as charts, tables and files show them: a value with its state, a gap, or nothing. Pure. */

/** `none` is empty paper: before the first day of which anything was told, and after the last. */
export type FigureState = SeriesState | "none";

export interface FigureDay {
  readonly day: UtcDay;
  readonly state: FigureState;
  readonly basis: SeriesBasis | null;
  /** Null where there is no value, which is never 0. */
  readonly value: number | null;
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

/** The newest day that has a value, final or not. */
export function lastValued(days: readonly FigureDay[]): FigureDay | undefined {
  return days.findLast(({ value }) => value !== null);
}

/** Which states are drawn of these figures. */
export function statesOf(figures: readonly (readonly FigureDay[])[]): ReadonlySet<FigureState> {
  return new Set(figures.flatMap((days) => days.map(({ state }) => state)));
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

/** The states as they are said. */
export const STATE_WORDS: Readonly<Record<FigureState, string>> = {
  final: "final",
  provisional: "provisional",
  missing: "no value",
  excluded: "left out of the rules",
  none: "none due",
};

/** What follows a day whose value is not final, short: ", left out"; "" where it is. */
export function stateAfter(state: FigureState): string {
  return state === "final" ? "" : `, ${state === "excluded" ? "left out" : STATE_WORDS[state]}`;
}

/** A day's value with its state, where that is not final: "1,204", "98, provisional", "no value"; "" where none is due. */
export function dayWords(unit: FigureUnit, { state, value }: FigureDay): string {
  if (value === null) return state === "none" || state === "final" ? "" : STATE_WORDS[state];
  const text = figureText(unit, value);
  return state === "final" ? text : `${text}, ${STATE_WORDS[state]}`;
}

/** What two stretches of days come to: "512 in the 30 days to 18 Nov, 498 in the 30 before", or why they are not compared. */
export function comparisonWords(comparison: Comparison, unit: FigureUnit, now: number): string {
  if (comparison.outcome === "compared") {
    const { count, to } = comparison;
    const change = changeOf(comparison);
    const percent = change === undefined ? "" : ` (${change > 0 ? "+" : ""}${formatPercent(change)})`;
    const span = count === 1 ? `on ${formatDay(to, now)}` : `in the ${count} days to ${formatDay(to, now)}`;
    const before = count === 1 ? "on the day before" : `in the ${count} before`;
    return `${figureText(unit, comparison.now)} ${span}, ${figureText(unit, comparison.before)} ${before}${percent}`;
  }
  const { reason, day } = comparison;
  const on = day === undefined ? "" : formatDay(day, now);
  switch (reason) {
    case "no_sum":
      return "Not compared: its days do not add up.";
    case "nothing_final":
      return "Not compared: no day is final yet.";
    case "before_first":
      return on === ""
        ? "Not compared: the days before were never told."
        : `No earlier data to compare: ${on} and before.`;
    case "missing":
      return `Not compared: ${on} has no value.`;
    case "provisional":
      return `Not compared: ${on} is provisional.`;
    case "excluded":
      return `Not compared: ${on} is left out.`;
  }
}
