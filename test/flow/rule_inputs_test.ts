import { expect, test } from "bun:test";
import { evaluateFlow } from "../../src/flow/rule.ts";
import { flowRuleInputs } from "../../src/flow/rule_inputs.ts";
import { DEFAULT_THRESHOLDS } from "../../src/flow/thresholds.ts";
import { poissonTails } from "../../src/lib/poisson.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";

test("flow 8: a raised flag records what it takes to work it out again", () => {
  const verdict = evaluateFlow(
    historyOf(97, (back) => (back === 0 ? 0 : 6)),
    TESTED_DAY,
    DEFAULT_THRESHOLDS,
  );
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  const inputs = flowRuleInputs(verdict);
  expect(JSON.parse(JSON.stringify(inputs))).toEqual(inputs);
  expect(inputs).toMatchObject({
    day: TESTED_DAY,
    direction: "drop",
    alpha: 0.01,
    window_days: 1,
    specification_window_days: 1,
    expected: 6,
    observed: { from: TESTED_DAY, to: TESTED_DAY, count: 0 },
    dispersion: { phi: 1, basis: "steady", days: 68, left_out: [] },
  });
  expect(inputs.cohort.map((window) => [window.to, window.count])).toEqual(
    [7, 14, 21, 28].map((back) => [daysBefore(back), 6]),
  );
  expect(inputs.poisson.at_most).toBe(poissonTails(0, 6).atMost);
});
