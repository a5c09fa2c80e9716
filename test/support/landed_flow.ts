/** The inputs of a stored flow flag: one window, no `second`. */

const DAY = "2026-11-18";
const COHORT = [
  { from: "2026-11-10", to: "2026-11-11", count: 20 },
  { from: "2026-11-03", to: "2026-11-04", count: 22 },
  { from: "2026-10-27", to: "2026-10-28", count: 21 },
  { from: "2026-10-20", to: "2026-10-21", count: 19 },
];

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
  dispersion: { phi: 2.5, basis: "measured", ratio: 2.5, days: 68, left_out: ["2026-10-01"] },
};
