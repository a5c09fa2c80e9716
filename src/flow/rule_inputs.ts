/** What a raised flow flag records: its rule's inputs, spelled as rows of the service are (snake_case). */
import type { Tails } from "../lib/tails.ts";
import type { Dispersion } from "./dispersion.ts";
import { RAISED_BEYOND, type TestedLasting } from "./lasting.ts";
import type { TestedPercentDrop } from "./percent_drop.ts";
import type {
  CohortWindow,
  CountedWindow,
  Level,
  MovedLevel,
  PlainLevel,
  SecondCondition,
  TestedFlow,
  WeekdayShares,
  WindowTest,
} from "./verdict.ts";

/**
 * The inputs of flow-drop and flow-rise: both windows and both conditions, enough to work the flag out again. What stands
 * outside of `second` is the specification's test at its own window.
 */
export function flowRuleInputs(verdict: TestedFlow) {
  const { dispersion } = verdict;
  return {
    day: verdict.day,
    direction: verdict.fires,
    alpha: verdict.alpha,
    ...windowTestInputs(verdict),
    specification_window_days: verdict.windowDays,
    dispersion: dispersionInputs(dispersion),
    second: secondInputs(verdict.second),
    ...(verdict.moved !== undefined && { moved: movedInputs(verdict.moved) }),
  };
}

function dispersionInputs({ phi, basis, ratio, days, leftOut }: Dispersion) {
  return { phi, basis, ratio, days, left_out: leftOut };
}

function movedInputs({ since, level, before }: MovedLevel) {
  return { since, level, level_before: before };
}

/** The inputs of flow-decline and flow-growth. */
export function lastingInputs(verdict: TestedLasting) {
  const { day, trend, z, now, before, moved, yearAgo, dispersion, percent } = verdict;
  return {
    day,
    direction: trend,
    ...movedInputs(moved ?? { since: now.from, level: now.value, before: before.value }),
    since_known: moved !== null,
    observed: plainLevelInputs(now),
    earlier: plainLevelInputs(before),
    distance: z,
    needed: RAISED_BEYOND,
    year_ago:
      yearAgo === null
        ? null
        : {
            observed: plainLevelInputs(yearAgo.now),
            earlier: plainLevelInputs(yearAgo.before),
            level: yearAgo.expected,
            distance: yearAgo.beyond,
          },
    dispersion: dispersionInputs(dispersion),
    lasting_percent: percent,
  };
}

function windowTestInputs({ windowDays, expected, observed, cohort, poisson }: WindowTest) {
  return {
    window_days: windowDays,
    expected,
    observed: windowInputs(observed),
    cohort: cohort.map((window: CohortWindow) => ({
      ...windowInputs(window),
      stands_out: window.standsOut,
    })),
    poisson: tailInputs(poisson),
  };
}

function secondInputs(second: SecondCondition) {
  if (second.state !== "judged") return { state: second.state };
  return {
    state: second.state,
    basis: second.basis,
    ...windowTestInputs(second),
    mean: second.mean,
    variance_factor: second.varianceFactor,
    mid_p: tailInputs(second.tails),
    level: levelInputs(second.level),
    shares: sharesInputs(second.shares),
  };
}

function levelInputs(level: Level | null) {
  if (level === null) return null;
  return { ...plainLevelInputs(level), wander: level.wander };
}

function plainLevelInputs({ from, to, days, count, sharesSum, value }: PlainLevel) {
  return { from, to, days, events: count, shares_sum: sharesSum, value };
}

function sharesInputs(shares: WeekdayShares | null) {
  if (shares === null) return null;
  const { from, to, days, kept, noise, byWeekday } = shares;
  const [sunday, monday, tuesday, wednesday, thursday, friday, saturday] = byWeekday;
  const by_weekday = { sunday, monday, tuesday, wednesday, thursday, friday, saturday };
  return { from, to, days, kept, noise, by_weekday };
}

function tailInputs({ atMost, atLeast }: Tails) {
  return { at_most: atMost, at_least: atLeast };
}

/** The inputs of percent-drop. */
export function percentDropInputs(verdict: TestedPercentDrop) {
  return {
    day: verdict.day,
    observed: windowInputs(verdict.observed),
    cohort: verdict.cohort.map(windowInputs),
    expected: verdict.expected,
    drop_percent: verdict.dropPercent,
    percent: verdict.percent,
    minimum_count: verdict.minimumCount,
  };
}

function windowInputs(window: CountedWindow) {
  return { from: window.from, to: window.to, count: window.count };
}

/** Recorded inputs of a flow flag. */
export type FlowRuleInputs = ReturnType<typeof flowRuleInputs>;
