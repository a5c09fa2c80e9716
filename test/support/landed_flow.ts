/** A flow verdict and the inputs of a flow flag as the first released version stored them: one window, no `second`. */
import type { MetricVerdict } from "../../src/flow/metric_verdict.ts";

const DAY = "2026-11-18";
const COHORT = [
  { from: "2026-11-10", to: "2026-11-11", count: 20 },
  { from: "2026-11-03", to: "2026-11-04", count: 22 },
  { from: "2026-10-27", to: "2026-10-28", count: 21 },
  { from: "2026-10-20", to: "2026-10-21", count: 19 },
];

/** The stored verdict, read back from its JSON; `changes` replaces fields of its flow part. */
export function metricVerdictBefore(changes: Readonly<Record<string, unknown>> = {}): MetricVerdict {
  const stored = {
    flow: {
      outcome: "tested",
      day: DAY,
      windowDays: 2,
      specificationWindowDays: 1,
      expected: 20.5,
      observed: { from: "2026-11-17", to: DAY, count: 4 },
      cohort: COHORT.map((window) => ({ ...window, standsOut: false })),
      poisson: { atMost: 0.00001, atLeast: 0.99999 },
      negativeBinomial: { atMost: 0.0019, atLeast: 0.999 },
      dispersion: { phi: 2.5, basis: "measured", ratio: 2.5, days: 68, leftOut: ["2026-10-01"] },
      alpha: 0.01,
      fires: "drop",
      ...changes,
    },
    percentDrop: { outcome: "not_tested", reason: "below_minimum_count", day: DAY, expected: 70 },
  };
  return JSON.parse(JSON.stringify(stored)) as MetricVerdict;
}

/** The `rule_inputs` of its flag. */
export const RULE_INPUTS_BEFORE = {
  day: DAY,
  direction: "drop",
  alpha: 0.01,
  window_days: 2,
  specification_window_days: 1,
  expected: 20.5,
  observed: { from: "2026-11-17", to: DAY, count: 4 },
  cohort: COHORT.map((window) => ({ ...window, stands_out: false })),
  poisson: { at_most: 0.00001, at_least: 0.99999 },
  negative_binomial: { at_most: 0.0019, at_least: 0.999 },
  dispersion: { phi: 2.5, basis: "measured", ratio: 2.5, days: 68, left_out: ["2026-10-01"] },
};
