import { expect, test } from "bun:test";
import { evaluateFlow } from "../../src/rules/flow.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import { notTestedMessage } from "../../src/rules/verdict.ts";
import { historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

function message(series: FlowSeries): string {
  const verdict = evaluateFlow(series, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
  if (verdict.outcome === "tested") throw new Error("tested");
  return notTestedMessage(verdict);
}

test("not tested: every reason is a sentence", () => {
  expect(message(historyOf(120, () => 9, { 0: "provisional" }))).toBe("Not tested: 18 Nov is provisional.");
  expect(message(historyOf(120, () => 9, { 7: "missing" }))).toBe(
    "Not tested: the reading of 11 Nov is missing.",
  );
  expect(message(historyOf(120, () => 9, { 7: "excluded" }))).toBe("Not tested: 11 Nov is excluded.");
  expect(message(historyOf(120, () => 0))).toBe("Not tested: fewer than 0.33 a day.");
  expect(message(historyOf(6, () => 9))).toBe("Starts 11 Dec: needs 28 days of history.");
  expect(message(historyOf(0, () => 9))).toBe("Not tested: no reading yet.");
  expect(message(historyOf(40, (back) => (back < 3 ? Number.MAX_SAFE_INTEGER : 0)))).toBe(
    "Not tested: the rule failed, the counts of 2 days add up to more than 9,007,199,254,740,991.",
  );
});
