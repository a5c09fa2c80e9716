import { expect, test } from "bun:test";
import {
  flowMessage,
  milestoneMessage,
  notTestedMessage,
  percentDropMessage,
} from "../../src/flow/message.ts";
import { evaluatePercentDrop } from "../../src/flow/percent_drop.ts";
import { evaluateFlow } from "../../src/flow/rule.ts";
import type { FlowSeries } from "../../src/flow/series.ts";
import type { FlowThresholds } from "../../src/rules/mod.ts";
import { historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

function message(series: FlowSeries, thresholds: FlowThresholds = DEFAULT_FLOW_THRESHOLDS): string {
  const verdict = evaluateFlow(series, TESTED_DAY, thresholds);
  return verdict.outcome === "tested" ? flowMessage("sign-ups", verdict) : notTestedMessage(verdict);
}

test("flow message: it carries its own proof", () => {
  expect(message(historyOf(40, (back) => (back === 0 ? 0 : 6)))).toBe(
    "0 sign-ups on 18 Nov. Expected 6, from four earlier Wednesdays (6, 6, 6, 6). " +
      "Chance of this few at the old rate: 0.0025, below alpha 0.01. " +
      "With a spread assumed until it is measured (variance 1.12 times the mean), at its level of the 28 days before: " +
      "6 expected, mid-p chance 0.0019, below alpha.",
  );
  const fourDays = [7, 5, 6, 6];
  const counts = (back: number) => (back % 7 === 2 ? (fourDays[Math.floor(back / 7) - 1] ?? 0) : 0);
  expect(message(historyOf(40, counts), { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 })).toBe(
    "0 sign-ups in the 3 days to 18 Nov. Expected 6, from four earlier windows (7, 5, 6, 6). " +
      "Chance of this few at the old rate: 0.0025, below alpha 0.01.",
  );
});

test("flow message: the second probability stands beside the first", () => {
  const wild = historyOf(97, (back) => (back === 0 ? 0 : Math.floor(back / 7) % 2 === 0 ? 8 : 18));
  expect(message(wild)).toMatch(
    / With its own spread \(variance \d\.\d+ times the mean\), at its level of the 28 days before: 13 expected, mid-p chance 0\.0\d+, below alpha\.$/,
  );
  expect(message(wild, { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 2 })).toContain(
    "With the spread set for it (variance 2 times the mean), ",
  );
  expect(message(historyOf(97, (back) => (back === 0 ? 0 : 6)))).toContain(
    "Its own spread is no wider than that of chance alone.",
  );
});

test("flow message: a second window that is longer is said with its own counts", () => {
  expect(
    message(
      historyOf(130, (back) => (back < 2 ? 0 : 5)),
      { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 3 },
    ),
  ).toBe(
    "0 sign-ups on 18 Nov. Expected 5, from four earlier Wednesdays (5, 5, 5, 5). " +
      "Chance of this few at the old rate: 0.0067, below alpha 0.01. " +
      "With the spread set for it (variance 3 times the mean), at its level of the 28 days before: " +
      "0 in the 2 days to 18 Nov, where 10 are expected, mid-p chance 0.0026, below alpha.",
  );
});

test("flow message: a rise says many", () => {
  expect(message(historyOf(60, (back) => (back === 0 ? 1_204 : 1_000)))).toContain(
    "1,204 sign-ups on 18 Nov. Expected 1,000, from four earlier Wednesdays (1,000, 1,000, 1,000, 1,000). Chance of this many",
  );
});

test("flow message: an earlier window that stood out itself is named", () => {
  expect(message(historyOf(97, (back) => (back === 0 || back === 14 ? 0 : 40)))).toContain(
    "The earlier window to 4 Nov stood out itself.",
  );
});

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
    "Not tested: the rule failed, the counts of the 2 days to 18 Nov add up to more than 9,007,199,254,740,991.",
  );
});

test("percent-drop and milestone messages", () => {
  const verdict = evaluatePercentDrop(
    historyOf(40, (back) => (back < 7 ? 330 : 600)),
    TESTED_DAY,
    DEFAULT_FLOW_THRESHOLDS,
  );
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  expect(percentDropMessage("page_views", verdict)).toBe(
    "2,310 page_views in the 7 days to 18 Nov. Expected 4,200, from four earlier weeks (4,200, 4,200, 4,200, 4,200). " +
      "That is 45% down; the rule fires at 40%.",
  );
  expect(milestoneMessage("page_views", 20_000)).toBe("The total of page_views passed 20,000.");
});
