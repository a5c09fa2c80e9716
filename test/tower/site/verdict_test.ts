import { describe, expect, test } from "bun:test";
import { evaluateMetric } from "../../../src/rules/flow_inputs.ts";
import type { FlowSeries } from "../../../src/rules/flow_series.ts";
import type { StoredVerdict } from "../../../src/rules/verdicts.ts";
import { percentDropWords, verdictWords } from "../../../src/tower/site/verdict.tsx";
import { even, historyOf, TESTED_DAY } from "../../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";

const stored = (series: FlowSeries, thresholds = DEFAULT_FLOW_THRESHOLDS): StoredVerdict => ({
  asset: "harbor",
  source: "pulse",
  metric: "signups",
  judgedAt: 0,
  date: TESTED_DAY,
  verdict: evaluateMetric(series, TESTED_DAY, thresholds),
});
const words = (series: FlowSeries) =>
  verdictWords({ judgedElsewhere: false, figures: { last24h: 1 }, stored: stored(series) });

describe("every metric has a verdict in words", () => {
  test("tested: as expected, or which of the two conditions raised or took away the flag", () => {
    expect(words(historyOf(97, (back) => (back === 0 ? 2 : 12)))).toMatchObject({
      state: "tested",
      words: "Fewer than expected: flag raised",
      flow: { fires: "drop" },
    });
    const wild = (back: number) => (back === 0 ? 2 : Math.floor(back / 7) % 2 === 0 ? 5 : 25);
    expect(words(historyOf(130, wild)).words).toBe("No flag: the second condition takes it away");
    expect(words(historyOf(130, () => 5)).words).toBe("As expected");
  });

  test.each([
    ["too few events", historyOf(97, even(0.2)), "Not tested: fewer than 0.33 a day."],
    [
      "a missing day",
      historyOf(97, () => 20, { 7: "missing" }),
      "Not tested: the reading of 11 Nov is missing.",
    ],
    [
      "counts beyond what can be added up",
      historyOf(97, (back) => (back < 3 ? Number.MAX_SAFE_INTEGER : 0)),
      "Not tested: the rule failed, the counts of the 2 days to 18 Nov add up to more than 9,007,199,254,740,991.",
    ],
    ["a short history", historyOf(5, () => 20), "Not tested. Starts 12 Dec: needs 28 days of history."],
  ])("not tested, because of %s", (_why, series, sentence) => {
    expect(words(series)).toEqual({ state: "not_tested", words: sentence });
  });

  test("what was not looked at says so too", () => {
    const known = { judgedElsewhere: false, figures: { last24h: 1 }, stored: undefined };
    expect(verdictWords({ ...known, judgedElsewhere: true }).words).toBe(
      "Not tested: stale-ingest judges this metric.",
    );
    expect(verdictWords({ ...known, figures: undefined }).words).toContain(
      "the latest report does not have it",
    );
    expect(verdictWords({ ...known, figures: {} }).words).toContain("has no last24h of it");
    expect(verdictWords(known).words).toContain("Not tested yet");
  });
});

test("percent-drop says what it saw, or why it was not tested", () => {
  const drop = (series: FlowSeries) =>
    percentDropWords(evaluateMetric(series, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS).percentDrop);
  expect(drop(historyOf(97, (back) => (back < 7 ? 50 : 100)))).toBe(
    "350 in 7 days, 50% below the mean 700 of four earlier weeks; the rule fires at 40% below.",
  );
  expect(drop(historyOf(97, (back) => (back < 7 ? 110 : 100)))).toContain("10% above the mean 700");
  expect(drop(historyOf(97, () => 3))).toBe("Not tested: 21 a week is below its minimum count.");
  expect(drop(historyOf(9, () => 300))).toBe("Not tested: too little history.");
  expect(drop(historyOf(97, () => Number.MAX_SAFE_INTEGER))).toStartWith("Not tested: the rule failed, ");
});
