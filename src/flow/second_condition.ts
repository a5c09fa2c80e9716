/**
 * The second condition of the flow rule. The specification's test must have fired; this can only take the flag away. It
 * asks whether the count is also improbable for a metric of this level, shape of the week and spread, over a window long
 * enough for that question.
 */
import { negativeBinomialMidTails, negativeBinomialZero } from "../lib/negative_binomial.ts";
import type { FlowThresholds } from "../rules/mod.ts";
import { cohortMean, windowSum } from "./baseline.ts";
import type { Spread } from "./dispersion.ts";
import { expectationOf, levelBefore, weekdayShares } from "./level.ts";
import type { FlowSeries } from "./series.ts";
import { improbable, windowTest } from "./tested_window.ts";
import type { JudgedSecond, SecondCondition, WeekdayShares, WindowTest } from "./verdict.ts";
import { COHORT_WINDOWS } from "./window.ts";

/** What four cohort windows leave open about a mean that comes from them alone. */
const COHORT_NOISE = 1 + 1 / COHORT_WINDOWS;

/** Asks the second condition about the specification's test `first`, whose window ends at the place `end`. */
export function secondCondition(
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
