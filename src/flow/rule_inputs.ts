/** What a raised flow flag records: its rule's inputs, spelled as rows of the service are (snake_case). */
import type { TestedPercentDrop } from "./percent_drop.ts";
import type { CountedWindow, TestedFlow } from "./verdict.ts";

/** The inputs of flow-drop and flow-rise: both windows and both conditions, enough to work the flag out again. */
export function flowRuleInputs(verdict: TestedFlow) {
  const { observed, cohort, poisson, negativeBinomial, dispersion } = verdict;
  return {
    day: verdict.day,
    direction: verdict.fires,
    alpha: verdict.alpha,
    window_days: verdict.windowDays,
    specification_window_days: verdict.specificationWindowDays,
    expected: verdict.expected,
    observed: windowInputs(observed),
    cohort: cohort.map((window) => ({ ...windowInputs(window), stands_out: window.standsOut })),
    poisson: { at_most: poisson.atMost, at_least: poisson.atLeast },
    negative_binomial: { at_most: negativeBinomial.atMost, at_least: negativeBinomial.atLeast },
    dispersion: {
      phi: dispersion.phi,
      basis: dispersion.basis,
      ratio: dispersion.ratio,
      days: dispersion.days,
      left_out: dispersion.leftOut,
    },
  };
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
/** Recorded inputs of a percent-drop flag. */
export type PercentDropInputs = ReturnType<typeof percentDropInputs>;
