/**
 * The flow rule (spec, Volume-aware flow rules): one metric on one day against its own cohort. The specification's own
 * test at its own window comes first and must fire; the second condition can only take the flag away, where the metric's
 * own spread, level or odd days explain the count.
 */

import {
  negativeBinomialMidTails,
  negativeBinomialZero,
  poissonTails,
  type Tails,
} from "../base/statistics.ts";
import { dayNumber, dayOfNumber, type UtcDay } from "../base/time.ts";
import { FINAL } from "../reports/series_days.ts";
import { type FlowThresholds, markOn } from "../sites/thresholds.ts";
import {
  COHORT_WINDOWS,
  type Dispersion,
  historyDaysNeeded,
  lowestTestedDaily,
  measureSpread,
  type Spread,
  smallestWindowDays,
  windowEnd,
} from "./dispersion.ts";
import { type FlowSeries, MARKED, sinceStep, withMarks } from "./flow_series.ts";
import { expectationOf, levelBefore, movedLevel, weekdayShares } from "./lasting.ts";
import { cohortMean, obstacleAt, windowSum } from "./percent_drop.ts";
import {
  type CohortWindow,
  type CountedWindow,
  type Direction,
  type FlowVerdict,
  type JudgedSecond,
  type NotTestedFlow,
  orFailed,
  type QuietFlow,
  type SecondCondition,
  type TestedFlow,
  usualOf,
  type WeekdayShares,
  type WindowTest,
} from "./verdict.ts";

// The specification's test of one window against its cohort: counts, their mean and the Poisson tails.

/** Tests the window of `days` days that ends at a place, of which the count and the cohort's mean are known already. */
function windowTest(
  series: FlowSeries,
  end: number,
  days: number,
  { count, expected }: { readonly count: number; readonly expected: number },
  spread: Spread,
): WindowTest {
  const cohort: CohortWindow[] = [];
  for (let back = 1; back <= COHORT_WINDOWS; back++) {
    const last = windowEnd(end, days, back);
    const window = counted(series, last, days, windowSum(series, last, days));
    cohort.push({ ...window, standsOut: holdsOdd(spread, last, days) });
  }
  return {
    windowDays: days,
    observed: counted(series, end, days, count),
    cohort,
    expected,
    poisson: poissonTails(count, expected),
  };
}

/** The side on which a window's tails lie below alpha; each tail is tested at alpha. */
export function improbable({ poisson }: WindowTest, alpha: number): Direction | null {
  if (poisson.atMost < alpha) return "drop";
  return poisson.atLeast < alpha ? "rise" : null;
}

function counted(series: FlowSeries, last: number, days: number, count: number): CountedWindow {
  return {
    from: dayOfNumber(series.firstDay + last - days + 1),
    to: dayOfNumber(series.firstDay + last),
    count,
  };
}

function holdsOdd({ marks, from }: Spread, last: number, days: number): boolean {
  for (let index = last; index > last - days; index--) if (marks[index - from] === 1) return true;
  return false;
}

/**
 * The second condition of the flow rule. The specification's test must have fired; this can only take the flag away. It
 * asks whether the count is also improbable for a metric of this level, shape of the week and spread, over a window long
 * enough for that question.
 */

/** What four cohort windows leave open about a mean that comes from them alone. */
const COHORT_NOISE = 1 + 1 / COHORT_WINDOWS;

/** Asks the second condition about the specification's test `first`, whose window ends at the place `end`. */
function secondCondition(
  series: FlowSeries,
  end: number,
  first: WindowTest,
  spread: Spread,
  thresholds: FlowThresholds,
): SecondCondition {
  const { alpha, max_window_days: longest } = thresholds;
  const direction = improbable(first, alpha);
  if (direction === null) return { state: "not_needed" };
  if (isPoissonCount(first, spread)) return { state: "poisson_count" };
  const { phi } = spread.dispersion;
  const shares = weekdayShares(series, spread, end - first.windowDays + 1, phi);
  for (let days = first.windowDays; days <= longest; days++) {
    const count = windowSum(series, end, days);
    const cohort = cohortMean(series, end, days);
    if (Number.isNaN(count + cohort)) break;
    if (Math.exp(-cohort) >= alpha) continue;
    const expectation = expectationAt(series, phi, spread, shares, { end, days }, cohort);
    const { mean, varianceFactor } = expectation;
    // A window that is expected to hold nothing cannot tell anything, whatever alpha is.
    if (mean === 0 || negativeBinomialZero(mean, varianceFactor) / 2 >= alpha) continue;
    const test = windowTest(series, end, days, { count, expected: cohort }, spread);
    const tails = negativeBinomialMidTails(count, mean, varianceFactor);
    const tail = direction === "drop" ? "atMost" : "atLeast";
    const holds = test.poisson[tail] < alpha && tails[tail] < alpha;
    return { state: "judged", holds, ...test, ...expectation, tails };
  }
  return { state: "no_window" };
}

/** Whether the specification's test alone decides: dispersion fixed at 1, or a steady metric without an odd cohort day. */
function isPoissonCount({ cohort }: WindowTest, { dispersion }: Spread): boolean {
  if (dispersion.phi !== 1) return false;
  return dispersion.basis === "fixed" || cohort.every(({ standsOut }) => !standsOut);
}

/** Mean and spread of a window's count: from the level where there is one, else from the cohort. */
function expectationAt(
  series: FlowSeries,
  phi: number,
  spread: Spread,
  shares: WeekdayShares | undefined,
  window: { readonly end: number; readonly days: number },
  cohort: number,
): Pick<JudgedSecond, "basis" | "mean" | "varianceFactor" | "level" | "shares"> {
  const level = shares === undefined ? undefined : levelBefore(series, spread, shares, window);
  if (shares === undefined || level === undefined) {
    return { basis: "cohort", mean: cohort, varianceFactor: COHORT_NOISE * phi, level: null, shares: null };
  }
  return { basis: "level", ...expectationOf(series, phi, shares, level, window), level, shares };
}

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

/**
 * Between which counts a day raises no flag of this rule, all that was before it as it is: the same two conditions, asked of other counts
 * of the day. Its own count is not read, so a day that is not final yet has a range, too. Undefined where the day is not tested, or its
 * counts are too large to be added up; like a verdict it never throws.
 */
export function expectedRange(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds) {
  const range = orFailed(day, () => rangeOf(series, day, thresholds));
  return range === undefined || "outcome" in range ? undefined : range;
}

/** The counts of one day that raise no flag, and what is usual of the specification's window. */
export type ExpectedRange = NonNullable<ReturnType<typeof expectedRange>>;

function rangeOf(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds) {
  const end = dayNumber(day) - series.firstDay;
  const { since } = sinceStep(withMarks(series, thresholds.marked_days), day);
  if (end < 0 || end >= since.states.length || since.states[end] === MARKED) return undefined;
  const tried = { ...since, counts: since.counts.slice(), states: since.states.slice() };
  tried.states[end] = FINAL;
  tried.counts[end] = 0;
  const { alpha, max_window_days: longest } = thresholds;
  for (let days = 1; days <= longest; days++) {
    const rest = windowSum(tried, end, days);
    const expected = cohortMean(tried, end, days);
    if (Number.isNaN(rest + expected)) return undefined;
    if (Math.exp(-expected) >= alpha) continue;
    const spread = measureSpread(tried, end, thresholds.dispersion);
    const far = { count: rest + Math.ceil(FAR * (expected + FAR)), expected };
    const first = windowTest(tried, end, days, far, spread);
    const second = secondCondition(tried, end, first, spread, thresholds);
    const usual = usualOf({ ...first, second });
    const told = { windowDays: days, expected: (usual.expected / usual.windowDays) * days };
    const fires = firesAt(tried, end, { rest, expected, second }, alpha);
    // No count, however high, would raise one.
    if (fires === undefined) return { low: 0, high: null, ...told };
    const low = leastWhere((count) => !fires(count, "atMost"), 0);
    const high = leastWhere((count) => fires(count, "atLeast"), low) - 1;
    return { low, high, ...told };
  }
  return undefined;
}

/** So many times what is expected is improbable at any alpha. */
const FAR = 10;

/** Whether a count of the last day raises a flag on a side, by what both conditions read of the days before; undefined where none does. */
function firesAt(
  series: FlowSeries,
  end: number,
  {
    rest,
    expected,
    second,
  }: { readonly rest: number; readonly expected: number; readonly second: SecondCondition },
  alpha: number,
): ((count: number, tail: keyof Tails) => boolean) | undefined {
  const isFirst = (count: number, tail: keyof Tails) => poissonTails(rest + count, expected)[tail] < alpha;
  if (second.state === "poisson_count") return isFirst;
  if (second.state !== "judged") return undefined;
  const { windowDays, mean, varianceFactor } = second;
  const others = windowSum(series, end, windowDays);
  return (count, tail) =>
    isFirst(count, tail) &&
    poissonTails(others + count, second.expected)[tail] < alpha &&
    negativeBinomialMidTails(others + count, mean, varianceFactor)[tail] < alpha;
}

/** The least whole number from a start on that fits; whatever fits, all above it fits, too. */
function leastWhere(fits: (count: number) => boolean, from: number): number {
  if (fits(from)) return from;
  let [below, above] = [from, Math.max(1, 2 * from)];
  while (!fits(above)) [below, above] = [above, 2 * above];
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (fits(middle)) above = middle;
    else below = middle;
  }
  return above;
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
