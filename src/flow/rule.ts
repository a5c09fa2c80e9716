/**
 * The flow rule (spec, Volume-aware flow rules): one metric on one day against its own cohort. The specification's own
 * test at its own window comes first and must fire; the second condition can only take the flag away, where the metric's
 * own spread, level or odd days explain the count.
 */

import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { type FlowThresholds, markOn } from "../rules/mod.ts";
import { cohortMean, windowSum } from "./baseline.ts";
import { type Dispersion, measureSpread } from "./dispersion.ts";
import { movedLevel } from "./lasting.ts";
import { obstacleAt } from "./obstacle.ts";
import { secondCondition } from "./second_condition.ts";
import { FINAL, type FlowSeries } from "./series.ts";
import { sinceStep, withMarks } from "./step.ts";
import { improbable, windowTest } from "./tested_window.ts";
import { orFailed } from "./total.ts";
import type { FlowVerdict, NotTestedFlow, QuietFlow, SecondCondition, TestedFlow } from "./verdict.ts";
import { historyDaysNeeded, lowestTestedDaily, smallestWindowDays } from "./window.ts";

/**
 * Judges one day of a series; it never throws. The window grows a day at a time until its cohort expects enough events
 * for a count of 0 to be improbable; a day that is not final, in the window or its cohort, stops the test. The verdict
 * reads nothing after `day`.
 */
export function evaluateFlow(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): FlowVerdict {
  return orFailed(day, () => {
    const { since, step } = sinceStep(withMarks(series, thresholds.marked_days), day);
    const verdict = judged(since, day, thresholds);
    if (step === undefined || verdict.outcome === "tested" || verdict.reason !== "too_little_history")
      return verdict;
    const { windowDays, startsOn } = verdict;
    return { outcome: "not_tested", reason: "consent_step", day, windowDays, step, startsOn };
  });
}

function judged(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): FlowVerdict {
  const end = dayNumber(day) - series.firstDay;
  const { alpha, max_window_days: longest } = thresholds;
  let expected = 0;
  for (let days = 1; days <= longest; days++) {
    const count = windowSum(series, end, days);
    expected = cohortMean(series, end, days);
    if (Number.isNaN(count + expected)) return stopped(series, end, days, thresholds);
    if (Math.exp(-expected) < alpha) return tested(series, end, days, { count, expected }, thresholds);
  }
  return quiet(day, expected, measureSpread(series, end, thresholds.dispersion).dispersion, thresholds);
}

function tested(
  series: FlowSeries,
  end: number,
  days: number,
  counts: { readonly count: number; readonly expected: number },
  thresholds: FlowThresholds,
): TestedFlow {
  const { alpha } = thresholds;
  const spread = measureSpread(series, end, thresholds.dispersion);
  const first = windowTest(series, end, days, counts, spread);
  const second = secondCondition(series, end, first, spread, thresholds);
  const fires = letsStand(second) ? improbable(first, alpha) : null;
  const moved = fires === null ? undefined : movedLevel(series, end - days, spread);
  return {
    outcome: "tested",
    day: dayOfNumber(series.firstDay + end),
    ...first,
    second,
    dispersion: spread.dispersion,
    alpha,
    fires,
    ...(moved !== undefined && { moved }),
  };
}

/** Whether a flag that the first condition raises stands. */
function letsStand(second: SecondCondition): boolean {
  return second.state === "judged" ? second.holds : second.state === "poisson_count";
}

function stopped(
  series: FlowSeries,
  end: number,
  windowDays: number,
  thresholds: FlowThresholds,
): NotTestedFlow {
  const obstacle = obstacleAt(series, end, windowDays);
  const day = dayOfNumber(series.firstDay + end);
  if (obstacle.reason !== "too_little_history") {
    const blockedBy = dayOfNumber(series.firstDay + obstacle.index);
    const { reason, within } = obstacle;
    const mark = reason === "marked_day" ? markOn(thresholds.marked_days, blockedBy) : undefined;
    const blocked = { outcome: "not_tested", reason, day, windowDays, blockedBy, within } as const;
    return mark === undefined ? blocked : { ...blocked, mark };
  }
  const start = obstacle.start;
  const likely = start === undefined ? windowDays : likelyWindow(series, start, end, windowDays, thresholds);
  const needed = historyDaysNeeded(likely);
  const first = start === undefined ? undefined : series.firstDay + start;
  return {
    outcome: "not_tested",
    reason: "too_little_history",
    day,
    windowDays: likely,
    historyFrom: first === undefined ? undefined : dayOfNumber(first),
    historyDaysNeeded: needed,
    startsOn: first === undefined ? undefined : dayOfNumber(first + needed),
  };
}

/**
 * The window a young metric will need at its rate so far, so that the day it starts is said once: the window that was
 * stopped grows by a day each night, and a start counted from it would move on each night.
 */
function likelyWindow(
  series: FlowSeries,
  start: number,
  end: number,
  stoppedAt: number,
  { alpha, max_window_days: longest }: FlowThresholds,
): number {
  let sum = 0;
  let days = 0;
  for (let index = start; index <= end; index++) {
    if (series.states[index] !== FINAL) continue;
    sum += series.counts[index] ?? 0;
    days++;
  }
  const atThisRate = days === 0 ? stoppedAt : (smallestWindowDays(sum / days, alpha, longest) ?? longest);
  return Math.max(stoppedAt, atThisRate);
}

function quiet(day: UtcDay, expected: number, dispersion: Dispersion, thresholds: FlowThresholds): QuietFlow {
  const { alpha, max_window_days: longest } = thresholds;
  return {
    outcome: "not_tested",
    reason: "too_few_events",
    day,
    windowDays: longest,
    expected,
    dailyBaseline: expected / longest,
    lowestTestedDaily: lowestTestedDaily(alpha, longest),
    dispersion,
    alpha,
  };
}
