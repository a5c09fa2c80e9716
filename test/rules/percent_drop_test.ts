import { expect, test } from "bun:test";
import { dayNumber } from "../../src/base/time.ts";
import { percentDropInputs } from "../../src/rules/flow_inputs.ts";
import { evaluatePercentDrop } from "../../src/rules/percent_drop.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const weeks = (last: number, before: number) => (back: number) => (back < 7 ? last : before);

test("percent-drop: 40 percent below the mean of four earlier weeks fires, one event less far does not", () => {
  const verdict = evaluatePercentDrop(historyOf(40, weeks(60, 100)), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  expect(verdict.fires).toBe(true);
  const observed = { from: daysBefore(6), to: TESTED_DAY, count: 420 };
  expect(percentDropInputs(verdict)).toMatchObject({
    observed,
    expected: 700,
    percent: 40,
    minimum_count: 350,
  });
  const one = historyOf(40, (back) => (back === 0 ? 61 : weeks(60, 100)(back)));
  expect(evaluatePercentDrop(one, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toMatchObject({ fires: false });
});

test("flow 5: a percentage drop applies only above the minimum absolute count", () => {
  const at = (daily: number) =>
    evaluatePercentDrop(historyOf(40, weeks(0, daily)), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
  expect(at(50)).toMatchObject({ outcome: "tested", expected: 350, fires: true });
  expect(at(49)).toMatchObject({ outcome: "not_tested", reason: "below_minimum_count", expected: 343 });
  const none = { ...DEFAULT_FLOW_THRESHOLDS, percent_drop: { percent: 40, minimum_count: 0 } };
  const empty = historyOf(40, () => 0);
  expect(evaluatePercentDrop(empty, TESTED_DAY, none).outcome).toBe("not_tested");
});

test("percent-drop: weeks that reach behind a change of consent mode stop it for that, and another day for its own reason", () => {
  const after = (step: number, holes: Parameters<typeof historyOf>[2] = {}) =>
    evaluatePercentDrop(
      { ...historyOf(60, weeks(0, 100), holes), steps: [dayNumber(daysBefore(step))] },
      TESTED_DAY,
      DEFAULT_FLOW_THRESHOLDS,
    );
  expect(after(34)).toMatchObject({ reason: "consent_step", step: daysBefore(34) });
  expect(after(35).outcome).toBe("tested");
  const whole = historyOf(35, weeks(0, 100), { 20: "missing" });
  expect(evaluatePercentDrop(whole, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toMatchObject({
    reason: "missing_day",
  });
  expect(after(40, { 3: "missing" })).toMatchObject({ reason: "missing_day", blockedBy: daysBefore(3) });
});
