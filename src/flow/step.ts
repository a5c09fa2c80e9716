/** Days that may not be compared: those before a step, from which the series is counted otherwise, and those that the operator marked. */
import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type MarkedDays, markOn } from "../rules/mod.ts";
import { type FlowSeries, MARKED, MISSING } from "./series.ts";

/**
 * The series as it stands for a day: without the day of the last step up to it and all that was before, which is neither compared nor
 * measured. `step` is that day; undefined where the series has none of its days before it.
 */
export function sinceStep(
  series: FlowSeries,
  day: UtcDay,
): { readonly since: FlowSeries; readonly step: UtcDay | undefined } {
  const last = series.steps?.findLast((step) => step <= dayNumber(day));
  if (last === undefined || last < series.firstDay) return { since: series, step: undefined };
  const states = series.states.slice().fill(MISSING, 0, last - series.firstDay + 1);
  return { since: { ...series, states }, step: dayOfNumber(last) };
}

/**
 * The series with its marked days told apart. They are not final, so a window or cohort that holds one stops the test, and level,
 * weekday shares and spread pass over it.
 */
export function withMarks(series: FlowSeries, marks: readonly MarkedDays[]): FlowSeries {
  if (marks.length === 0) return series;
  const states = series.states.map((state, place) =>
    markOn(marks, dayOfNumber(series.firstDay + place)) === undefined ? state : MARKED,
  );
  return { ...series, states };
}
