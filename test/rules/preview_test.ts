import { expect, test } from "bun:test";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { flagsExpectedByChance, previewFlow, previewSentence } from "../../src/rules/flow_inputs.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const series = historyOf(120, (back) => (back === 10 ? 0 : back === 20 ? 18 : 40), { 50: "missing" });
const strict = { ...DEFAULT_FLOW_THRESHOLDS, alpha: 1e-6 };

test("preview: it names the days that would have raised, each judged by what was before it", () => {
  const preview = previewFlow(series, DEFAULT_FLOW_THRESHOLDS, daysBefore(89), TESTED_DAY);
  const expected = [];
  for (let back = 89; back >= 0; back--) {
    const verdict = evaluateFlow(series, daysBefore(back), DEFAULT_FLOW_THRESHOLDS);
    if (verdict.outcome === "tested" && verdict.fires !== null) expected.push(verdict.day);
  }
  expect(preview.raised.map((raised) => raised.day)).toEqual(expected);
  expect(expected).toEqual([daysBefore(20), daysBefore(10)]);
});

test("preview: days that are not tested are counted by reason, and chance by both tails of the tests that ran", () => {
  const preview = previewFlow(series, DEFAULT_FLOW_THRESHOLDS, daysBefore(89), TESTED_DAY);
  expect(preview.notTested).toEqual({ missing_day: 5 });
  expect(preview.tests).toBe(85);
  expect(preview.expectedByChance).toBeCloseTo(flagsExpectedByChance(85, 0.01), 12);
  expect(preview.expectedByChance).toBeCloseTo(1.7, 12);
  const young = previewFlow(series, DEFAULT_FLOW_THRESHOLDS, daysBefore(119), daysBefore(92));
  expect(young).toMatchObject({ tests: 0, notTested: { too_little_history: 28 } });
});

test("preview: the sentence says what would have been, and what was", () => {
  const now = previewFlow(series, DEFAULT_FLOW_THRESHOLDS, daysBefore(89), TESTED_DAY);
  const proposed = previewFlow(series, strict, daysBefore(89), TESTED_DAY);
  expect(previewSentence("alpha 0.000001", proposed, now)).toBe(
    "With alpha 0.000001 there would have been 1 flag in the 90 days to 18 Nov instead of 2.",
  );
  expect(previewSentence("alpha 0.01", now, now)).toBe(
    "With alpha 0.01 there would have been 2 flags in the 90 days to 18 Nov, as now.",
  );
});
