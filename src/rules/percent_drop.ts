/**
 * percent-drop: the last seven final days against the mean of four earlier weeks. It applies only above a minimum
 * absolute count (spec, Volume-aware flow rules 5), and the caller lets it speak only where no flow flag is open.
 */

import { countText } from "../base/text.ts";
import { dayNumber, dayOfNumber, type UtcDay } from "../base/time.ts";
import { EXCLUDED, FINAL, PROVISIONAL } from "../reports/series_days.ts";
import type { FlowThresholds } from "../sites/thresholds.ts";
import { COHORT_WINDOWS, historyDaysNeeded, windowEnd } from "./dispersion.ts";
import { type FlowSeries, historyStart, MARKED, sinceStep, stateAt, withMarks } from "./flow_series.ts";
import {
  type CountedWindow,
  type FailedJudging,
  type NotTestedReason,
  orFailed,
  UncountableError,
} from "./verdict.ts";

// Counts of windows: sums over final days, and the day that stops a test where one is not final.

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
  // Without a day: pages show a sent count on another one than its report's.
  if (sum > Number.MAX_SAFE_INTEGER)
    throw new UncountableError(
      `the counts of ${days} days add up to more than ${countText(Number.MAX_SAFE_INTEGER)}`,
    );
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
interface Blocker {
  readonly index: number;
  readonly within: "test_window" | "cohort";
}

/** The newest day that is not final, of the test window first, then of the cohort; undefined when all are. */
function blockerOf(series: FlowSeries, end: number, days: number): Blocker | undefined {
  for (let back = 0; back <= COHORT_WINDOWS; back++) {
    const last = windowEnd(end, days, back);
    for (let index = last; index > last - days; index--) {
      if (stateAt(series, index) !== FINAL) return { index, within: back === 0 ? "test_window" : "cohort" };
    }
  }
  return undefined;
}

// What stands in the way of reading a window and its cohort.

/** The metric is too young for its four earlier windows; `start` is the place of its first reading, if it has one. */
interface YoungHistory {
  readonly reason: "too_little_history";
  readonly start: number | undefined;
}

/** A day that is not final. */
interface BlockedDay extends Blocker {
  readonly reason: "missing_day" | "provisional_day" | "excluded_day" | "marked_day";
}

/** Why the windows of `days` days could not be read: the tested days come first, then the metric's youth, then its cohort. */
export function obstacleAt(series: FlowSeries, end: number, days: number): YoungHistory | BlockedDay {
  const start = historyStart(series);
  if (start >= series.states.length) return { reason: "too_little_history", start: undefined };
  const blocker = blockerOf(series, end, days);
  const young = end - historyDaysNeeded(days) < start;
  if (blocker === undefined || (young && (blocker.within === "cohort" || blocker.index < start))) {
    return { reason: "too_little_history", start };
  }
  return { ...blocker, reason: reasonOf(stateAt(series, blocker.index)) };
}

function reasonOf(state: number): BlockedDay["reason"] {
  if (state === PROVISIONAL) return "provisional_day";
  if (state === MARKED) return "marked_day";
  return state === EXCLUDED ? "excluded_day" : "missing_day";
}

/** Days of each of the five windows. */
const PERCENT_DROP_DAYS = 7;

export type TestedPercentDrop = Extract<ReturnType<typeof judged>, { outcome: "tested" }>;

interface NotTestedPercentDrop {
  readonly outcome: "not_tested";
  readonly reason: Exclude<NotTestedReason, "too_few_events" | "failed"> | "below_minimum_count";
  readonly day: UtcDay;
  /** The newest day that is not final; absent for the other reasons. */
  readonly blockedBy?: UtcDay;
  /** The day from which the series is counted otherwise, where that lies within the five weeks. */
  readonly step?: UtcDay;
  /** Mean count of the four earlier weeks, where it lies below the minimum. */
  readonly expected?: number;
}

export type PercentDropVerdict = TestedPercentDrop | NotTestedPercentDrop | FailedJudging;

/** Judges the seven days ending at `day`; it never throws. */
export function evaluatePercentDrop(
  series: FlowSeries,
  day: UtcDay,
  thresholds: FlowThresholds,
): PercentDropVerdict {
  return orFailed(day, () => {
    const { since, step } = sinceStep(withMarks(series, thresholds.marked_days), day);
    const verdict = judged(since, day, thresholds);
    if (step === undefined || verdict.outcome === "tested" || verdict.reason !== "too_little_history")
      return verdict;
    return { outcome: "not_tested", reason: "consent_step", day, step };
  });
}

function judged(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds) {
  const end = dayNumber(day) - series.firstDay;
  const { percent, minimum_count: minimumCount } = thresholds.percent_drop;
  const count = windowSum(series, end, PERCENT_DROP_DAYS);
  const expected = cohortMean(series, end, PERCENT_DROP_DAYS);
  if (Number.isNaN(count + expected)) {
    const obstacle = obstacleAt(series, end, PERCENT_DROP_DAYS);
    const blocked = "index" in obstacle && { blockedBy: dayOfNumber(series.firstDay + obstacle.index) };
    return { outcome: "not_tested", reason: obstacle.reason, day, ...blocked } satisfies NotTestedPercentDrop;
  }
  if (expected === 0 || expected < minimumCount)
    return { outcome: "not_tested", reason: "below_minimum_count", day, expected } as const;
  return {
    outcome: "tested",
    day,
    observed: week(series, end),
    /** The four earlier weeks, newest first. */
    cohort: Array.from({ length: COHORT_WINDOWS }, (_, place) =>
      week(series, windowEnd(end, PERCENT_DROP_DAYS, place + 1)),
    ),
    /** Mean count of the four earlier weeks. */
    expected,
    /** How far the count lies below the mean, in percent; negative when it lies above. */
    dropPercent: (1 - count / expected) * 100,
    percent,
    minimumCount,
    // Compared without the division, so that exactly 40 percent is 40 percent.
    fires: (expected - count) * 100 >= percent * expected,
  } as const;
}

function week(series: FlowSeries, last: number): CountedWindow {
  return {
    from: dayOfNumber(series.firstDay + last - PERCENT_DROP_DAYS + 1),
    to: dayOfNumber(series.firstDay + last),
    count: windowSum(series, last, PERCENT_DROP_DAYS),
  };
}
