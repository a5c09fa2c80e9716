/** Counts of windows: sums over final days, and the day that stops a test where one is not final. */
import { dayOfNumber } from "../lib/day_number.ts";
import { FINAL, type FlowSeries, stateAt } from "./series.ts";
import { COHORT_WINDOWS, windowEnd } from "./window.ts";
import { countText, dayText } from "./wording.ts";

/** A sum that a number cannot hold exactly: each day was a legal count, but together they are more than can be judged. */
export class UncountableError extends Error {
  override readonly name = "UncountableError";
}

/**
 * Sum of the `days` days ending at a place of the series; NaN as soon as one of them is not final. Throws an
 * UncountableError when the sum is beyond the whole numbers that are held exactly.
 */
export function windowSum(series: FlowSeries, end: number, days: number): number {
  let sum = 0;
  for (let index = end; index > end - days; index--) {
    if (series.states[index] !== FINAL) return Number.NaN;
    sum += series.counts[index] ?? 0;
  }
  if (sum > Number.MAX_SAFE_INTEGER) {
    const to = dayText(dayOfNumber(series.firstDay + end));
    throw new UncountableError(
      `the counts of the ${days} days to ${to} add up to more than ${countText(Number.MAX_SAFE_INTEGER)}`,
    );
  }
  return sum;
}

/** Mean of the four cohort sums, the expected count; NaN when any cohort day is not final. */
export function cohortMean(series: FlowSeries, end: number, days: number): number {
  let sum = 0;
  for (let back = 1; back <= COHORT_WINDOWS; back++)
    sum += windowSum(series, windowEnd(end, days, back), days);
  return sum / COHORT_WINDOWS;
}

/** Where a day that is not final lies. */
export interface Blocker {
  readonly index: number;
  readonly within: "test_window" | "cohort";
}

/** The newest day that is not final, of the test window first, then of the cohort; undefined when all are. */
export function blockerOf(series: FlowSeries, end: number, days: number): Blocker | undefined {
  for (let back = 0; back <= COHORT_WINDOWS; back++) {
    const last = windowEnd(end, days, back);
    for (let index = last; index > last - days; index--) {
      if (stateAt(series, index) !== FINAL) return { index, within: back === 0 ? "test_window" : "cohort" };
    }
  }
  return undefined;
}
