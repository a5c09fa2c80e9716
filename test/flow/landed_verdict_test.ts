import { expect, test } from "bun:test";
import { currentVerdict } from "../../src/flow/landed_verdict.ts";
import { judgeMetric, type MetricVerdict } from "../../src/flow/metric_verdict.ts";
import { historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { metricVerdictBefore } from "../support/landed_flow.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

test("stored verdicts: one given before the second condition had its own window reads in today's shape", () => {
  const { flow } = currentVerdict(metricVerdictBefore());
  if (flow.outcome !== "tested") throw new Error(flow.reason);
  expect(flow.dispersion).toMatchObject({ phi: 2, ratio: 2 });
  expect(flow.second).toMatchObject({
    state: "judged",
    holds: true,
    basis: "cohort",
    windowDays: 2,
    mean: 20.5,
    varianceFactor: 2.5,
    tails: { atMost: 0.0019, atLeast: 0.999 },
  });
});

test("stored verdicts: a steady one reads as the first condition alone, and today's are left as they are", () => {
  const before = metricVerdictBefore({
    dispersion: { phi: 1, basis: "steady", ratio: 1, days: 68, leftOut: [] },
  });
  expect(currentVerdict(before).flow).toMatchObject({ second: { state: "poisson_count" } });
  const quiet = metricVerdictBefore({
    dispersion: { phi: 1, basis: "steady", ratio: 1, days: 68, leftOut: [] },
    fires: null,
  });
  expect(currentVerdict(quiet).flow).toMatchObject({ second: { state: "not_needed" } });
  const today: MetricVerdict = judgeMetric(
    historyOf(130, (back) => (back === 0 ? 0 : 9)),
    TESTED_DAY,
    DEFAULT_FLOW_THRESHOLDS,
  );
  expect(currentVerdict(today)).toBe(today);
});
