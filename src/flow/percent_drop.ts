/**
 * percent-drop: the last seven final days against the mean of four earlier weeks. It applies only above a minimum
 * absolute count (spec, Volume-aware flow rules 5), and the caller lets it speak only where no flow flag is open.
 */

import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { FlowThresholds } from "../rules/mod.ts";
import { cohortMean, windowSum } from "./baseline.ts";
import { obstacleAt } from "./obstacle.ts";
import type { FlowSeries } from "./series.ts";
import { sinceStep, withMarks } from "./step.ts";
import { orFailed } from "./total.ts";
import type { CountedWindow, FailedJudging } from "./verdict.ts";
import { COHORT_WINDOWS, windowEnd } from "./window.ts";

/** Days of each of the five windows. */
const PERCENT_DROP_DAYS = 7;

export interface TestedPercentDrop {
  readonly outcome: "tested";
  readonly day: UtcDay;
  readonly observed: CountedWindow;
  /** The four earlier weeks, newest first. */
  readonly cohort: readonly CountedWindow[];
  /** Mean count of the four earlier weeks. */
  readonly expected: number;
  /** How far the count lies below the mean, in percent; negative when it lies above. */
  readonly dropPercent: number;
  readonly percent: number;
  readonly minimumCount: number;
  readonly fires: boolean;
}

export interface NotTestedPercentDrop {
  readonly outcome: "not_tested";
  readonly reason:
    | "missing_day"
    | "provisional_day"
    | "excluded_day"
    | "marked_day"
    | "too_little_history"
    | "consent_step"
    | "not_a_count"
    | "below_minimum_count";
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

function judged(
  series: FlowSeries,
  day: UtcDay,
  thresholds: FlowThresholds,
): TestedPercentDrop | NotTestedPercentDrop {
  const end = dayNumber(day) - series.firstDay;
  const { percent, minimum_count: minimumCount } = thresholds.percent_drop;
  const count = windowSum(series, end, PERCENT_DROP_DAYS);
  const expected = cohortMean(series, end, PERCENT_DROP_DAYS);
  if (Number.isNaN(count + expected)) return stopped(series, end, day);
  if (expected === 0 || expected < minimumCount) {
    return { outcome: "not_tested", reason: "below_minimum_count", day, expected };
  }
  const dropPercent = (1 - count / expected) * 100;
  const cohort: CountedWindow[] = [];
  for (let back = 1; back <= COHORT_WINDOWS; back++) {
    cohort.push(week(series, windowEnd(end, PERCENT_DROP_DAYS, back)));
  }
  return {
    outcome: "tested",
    day,
    observed: week(series, end),
    cohort,
    expected,
    dropPercent,
    percent,
    minimumCount,
    // Compared without the division, so that exactly 40 percent is 40 percent.
    fires: (expected - count) * 100 >= percent * expected,
  };
}

function week(series: FlowSeries, last: number): CountedWindow {
  return {
    from: dayOfNumber(series.firstDay + last - PERCENT_DROP_DAYS + 1),
    to: dayOfNumber(series.firstDay + last),
    count: windowSum(series, last, PERCENT_DROP_DAYS),
  };
}

function stopped(series: FlowSeries, end: number, day: UtcDay): NotTestedPercentDrop {
  const obstacle = obstacleAt(series, end, PERCENT_DROP_DAYS);
  if (obstacle.reason === "too_little_history")
    return { outcome: "not_tested", reason: obstacle.reason, day };
  const blockedBy = dayOfNumber(series.firstDay + obstacle.index);
  return { outcome: "not_tested", reason: obstacle.reason, day, blockedBy };
}
