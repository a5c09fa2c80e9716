/** Steps: days from which a series is counted otherwise, so that what lies before one is another series. */
import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type FlowSeries, MISSING } from "./series.ts";

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
