/**
 * The flow rule (spec, Volume-aware flow rules): one metric on one day against its own cohort. Two conditions must hold
 * for a flag: the count is improbable under Poisson(λ), which is the specification's test, and it is improbable under
 * the metric's own measured spread. With a dispersion of 1 the second is the first.
 */
import { negativeBinomialTails, negativeBinomialZero } from "../lib/negative_binomial.ts";
import { poissonTails } from "../lib/poisson.ts";
import type { Tails } from "../lib/tails.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { cohortMean, windowSum } from "./baseline.ts";
import { dayNumber, dayOfNumber } from "./day_number.ts";
import { type Dispersion, fixedDispersion, measureDispersion } from "./dispersion.ts";
import { obstacleAt } from "./obstacle.ts";
import type { FlowSeries } from "./series.ts";
import type { FlowThresholds } from "./thresholds.ts";
import { orFailed } from "./total.ts";
import type {
  CohortWindow,
  CountedWindow,
  Direction,
  FlowVerdict,
  NotTestedFlow,
  QuietFlow,
  TestedFlow,
} from "./verdict.ts";
import { COHORT_WINDOWS, historyDaysNeeded, lowestTestedDaily, windowEnd } from "./window.ts";

/**
 * Judges one day of a series. The window grows a day at a time until a count of 0 would meet both conditions; a day
 * that is not final, in the window or its cohort, stops the test. The verdict reads nothing after `day`.
 */
export function evaluateFlow(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): FlowVerdict {
  return orFailed(day, () => judged(series, day, thresholds));
}

function judged(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): FlowVerdict {
  const end = dayNumber(day) - series.firstDay;
  const { alpha, max_window_days: longest } = thresholds;
  let dispersion: Dispersion | undefined;
  let specificationWindow: number | undefined;
  let expected = 0;
  for (let days = 1; days <= longest; days++) {
    const observed = windowSum(series, end, days);
    expected = cohortMean(series, end, days);
    if (Number.isNaN(observed + expected)) return stopped(series, end, days);
    if (Math.exp(-expected) >= alpha) continue;
    specificationWindow ??= days;
    dispersion ??= dispersionAt(series, end, thresholds);
    if (negativeBinomialZero(expected, dispersion.phi) >= alpha) continue;
    return tested(series, end, days, specificationWindow, observed, expected, dispersion, alpha);
  }
  dispersion ??= dispersionAt(series, end, thresholds);
  return quiet(day, specificationWindow, expected, dispersion, thresholds);
}

function dispersionAt(series: FlowSeries, end: number, thresholds: FlowThresholds): Dispersion {
  const { dispersion } = thresholds;
  return dispersion === "measured" ? measureDispersion(series, end) : fixedDispersion(dispersion);
}

function tested(
  series: FlowSeries,
  end: number,
  windowDays: number,
  specificationWindowDays: number,
  count: number,
  expected: number,
  dispersion: Dispersion,
  alpha: number,
): TestedFlow {
  const poisson = poissonTails(count, expected);
  const negativeBinomial =
    dispersion.phi === 1 ? poisson : negativeBinomialTails(count, expected, dispersion.phi);
  const cohort: CohortWindow[] = [];
  for (let back = 1; back <= COHORT_WINDOWS; back++) {
    const last = windowEnd(end, windowDays, back);
    const window = counted(series, last, windowDays, windowSum(series, last, windowDays));
    const standsOut = dispersion.leftOut.some((left) => left >= window.from && left <= window.to);
    cohort.push({ ...window, standsOut });
  }
  return {
    outcome: "tested",
    day: dayOfNumber(series.firstDay + end),
    windowDays,
    specificationWindowDays,
    expected,
    observed: counted(series, end, windowDays, count),
    cohort,
    poisson,
    negativeBinomial,
    dispersion,
    alpha,
    fires: direction(poisson, negativeBinomial, alpha),
  };
}

function counted(series: FlowSeries, last: number, days: number, count: number): CountedWindow {
  return {
    from: dayOfNumber(series.firstDay + last - days + 1),
    to: dayOfNumber(series.firstDay + last),
    count,
  };
}

/** Each tail is tested at alpha, and both conditions must hold for it. */
function direction(first: Tails, second: Tails, alpha: number): Direction | null {
  if (first.atMost < alpha && second.atMost < alpha) return "drop";
  if (first.atLeast < alpha && second.atLeast < alpha) return "rise";
  return null;
}

function stopped(series: FlowSeries, end: number, windowDays: number): NotTestedFlow {
  const obstacle = obstacleAt(series, end, windowDays);
  const day = dayOfNumber(series.firstDay + end);
  if (obstacle.reason !== "too_little_history") {
    const blockedBy = dayOfNumber(series.firstDay + obstacle.index);
    const { reason, within } = obstacle;
    return { outcome: "not_tested", reason, day, windowDays, blockedBy, within };
  }
  const needed = historyDaysNeeded(windowDays);
  const first = obstacle.start === undefined ? undefined : series.firstDay + obstacle.start;
  return {
    outcome: "not_tested",
    reason: "too_little_history",
    day,
    windowDays,
    historyFrom: first === undefined ? undefined : dayOfNumber(first),
    historyDaysNeeded: needed,
    startsOn: first === undefined ? undefined : dayOfNumber(first + needed),
  };
}

function quiet(
  day: UtcDay,
  specificationWindow: number | undefined,
  expected: number,
  dispersion: Dispersion,
  thresholds: FlowThresholds,
): QuietFlow {
  const { alpha, max_window_days: longest } = thresholds;
  return {
    outcome: "not_tested",
    reason: specificationWindow === undefined ? "too_few_events" : "too_few_events_for_spread",
    day,
    windowDays: longest,
    expected,
    dailyBaseline: expected / longest,
    lowestTestedDaily: lowestTestedDaily(alpha, longest),
    dispersion,
    alpha,
  };
}
