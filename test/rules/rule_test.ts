import { expect, test } from "bun:test";
import fc from "fast-check";
import { poissonTails } from "../../src/base/statistics.ts";
import type { SeriesState as ReadingState } from "../../src/reports/series_days.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { evaluateMetric, judgedRules } from "../../src/rules/flow_inputs.ts";
import type { TestedFlow } from "../../src/rules/verdict.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import { daysBefore, even, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const BARE: FlowThresholds = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 };

function tested(series: ReturnType<typeof historyOf>, thresholds = DEFAULT_FLOW_THRESHOLDS): TestedFlow {
  const verdict = evaluateFlow(series, TESTED_DAY, thresholds);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  return verdict;
}

for (const [perDay, days] of [
  [5, 1],
  [3, 2],
  [1.5, 4],
  [1, 5],
  [0.5, 10],
] as const) {
  test(`flow 2: a steady ${perDay} a day is tested on ${days} days, and a full stop over them fires`, () => {
    const steady = even(perDay);
    const verdict = tested(historyOf(120, (back) => (back < days ? 0 : steady(back))));
    expect(verdict.windowDays).toBe(days);
    expect(verdict.dispersion.phi).toBe(1);
    expect(verdict.observed).toEqual({ from: daysBefore(days - 1), to: TESTED_DAY, count: 0 });
    expect(verdict.fires).toBe("drop");
  });
}

test("flow 2: 4.61 a day is the edge of one day: 18 in four weeks are tested on two days, 19 on one", () => {
  const cohortOf = (fifth: number) =>
    historyOf(60, (back) => (back % 7 === 0 ? (back === 7 ? fifth : 5) : 3));
  expect(tested(cohortOf(3)).windowDays).toBe(2);
  expect(tested(cohortOf(4)).windowDays).toBe(1);
});

test("flow 2: a metric below 0.33 a day is not tested, and the verdict says how many events it would need", () => {
  const verdict = evaluateFlow(historyOf(120, even(0.3)), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
  expect(verdict).toMatchObject({ outcome: "not_tested", reason: "too_few_events", windowDays: 14 });
  if (verdict.outcome === "not_tested" && verdict.reason === "too_few_events") {
    expect(verdict.lowestTestedDaily).toBeCloseTo(0.329, 3);
    expect(verdict.dailyBaseline).toBeLessThan(0.33);
  }
});

test("flow 3: a daily metric's baseline is the mean of its four matching prior weekdays", () => {
  const counts: Record<number, number> = { 0: 14, 7: 12, 14: 11, 21: 15, 28: 10 };
  const verdict = tested(historyOf(29, (back) => counts[back] ?? 999));
  expect(verdict.expected).toBe(12);
  expect(verdict.cohort.map((window) => window.count)).toEqual([12, 11, 15, 10]);
  expect(verdict.cohort.map((window) => window.to)).toEqual([7, 14, 21, 28].map(daysBefore));
  expect(verdict.poisson).toEqual(poissonTails(14, 12));
});

test("flow 6: a new daily metric is tested after 28 days, and before that the verdict names the day it starts", () => {
  const steady = even(20);
  expect(evaluateFlow(historyOf(29, steady), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS).outcome).toBe("tested");
  expect(evaluateFlow(historyOf(28, steady), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toEqual({
    outcome: "not_tested",
    reason: "too_little_history",
    day: TESTED_DAY,
    windowDays: 1,
    historyFrom: daysBefore(27),
    historyDaysNeeded: 28,
    startsOn: daysBefore(-1),
  });
});

test("flow 4: a missing cohort day means no flag; no other baseline takes its place", () => {
  const verdict = evaluateFlow(
    historyOf(200, (back) => (back === 0 ? 0 : 50), { 14: "missing" }),
    TESTED_DAY,
    DEFAULT_FLOW_THRESHOLDS,
  );
  expect(verdict).toEqual({
    outcome: "not_tested",
    reason: "missing_day",
    day: TESTED_DAY,
    windowDays: 1,
    blockedBy: daysBefore(14),
    within: "cohort",
  });
});

test("freshness: today's provisional value never raises a flag, and an excluded day stops the test", () => {
  for (const [state, reason] of [
    ["provisional", "provisional_day"],
    ["excluded", "excluded_day"],
    ["missing", "missing_day"],
  ] as const) {
    expect(
      evaluateFlow(
        historyOf(100, () => 50, { 0: state }),
        TESTED_DAY,
        DEFAULT_FLOW_THRESHOLDS,
      ),
    ).toMatchObject({
      outcome: "not_tested",
      reason,
      within: "test_window",
      blockedBy: TESTED_DAY,
    });
  }
});

test("flow: 0 sign-ups where 6 were expected fire at 0.0025, 1 at 0.017 does not", () => {
  const history = (seen: number) => historyOf(60, (back) => (back === 0 ? seen : 6));
  expect(tested(history(0)).poisson.atMost).toBeCloseTo(0.0025, 4);
  expect(tested(history(0)).fires).toBe("drop");
  expect(tested(history(1)).poisson.atMost).toBeCloseTo(0.017, 3);
  expect(tested(history(1)).fires).toBeNull();
});

test("flow: a sum beyond the whole numbers that are held exactly is not tested, with its reason, and nothing throws", () => {
  const largest = Number.MAX_SAFE_INTEGER;
  const big = historyOf(40, (back) => (back < 3 ? largest : 0));
  expect(evaluateMetric(big, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toMatchObject({
    flow: {
      outcome: "not_tested",
      reason: "failed",
      day: TESTED_DAY,
      detail: "the counts of 2 days add up to more than 9,007,199,254,740,991",
    },
    percentDrop: {
      outcome: "not_tested",
      reason: "failed",
      day: TESTED_DAY,
      detail: "the counts of 7 days add up to more than 9,007,199,254,740,991",
    },
  });
});

/** Numbers that are no numbers, anywhere in a value. */
function unfit(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(unfit);
}

test("flow: every legal history gets an answer without a number that is none (property)", () => {
  const largest = Number.MAX_SAFE_INTEGER;
  const counts = fc.oneof(
    fc.constantFrom(0, 1, largest, largest - 1, 2 ** 52, 1e10, 1e15),
    fc.nat(30),
    fc.maxSafeNat(),
  );
  const states = fc.constantFrom<ReadingState>("final", "final", "final", "final", "missing", "excluded");
  const days = fc.tuple(counts, states);
  const dispersions = fc.constantFrom<number | "measured">("measured", 1, 2, 100);
  fc.assert(
    fc.property(
      fc.array(days, { minLength: 1, maxLength: 7 }),
      fc.array(days, { maxLength: 30 }),
      dispersions,
      fc.constantFrom(0.9, 0.01, 1e-9),
      (week, recent, dispersion, alpha) => {
        const place = (back: number) => recent[back] ?? week[back % week.length] ?? [0, "final"];
        const marked = Object.fromEntries(Array.from({ length: 150 }, (_, back) => [back, place(back)[1]]));
        const series = historyOf(150, (back) => place(back)[0], marked);
        const thresholds = { ...DEFAULT_FLOW_THRESHOLDS, dispersion, alpha };
        const verdict = evaluateMetric(series, TESTED_DAY, thresholds);
        expect(unfit(verdict)).toBe(false);
        if (verdict.flow.outcome === "not_tested" && verdict.flow.reason === "failed")
          expect(verdict.flow.detail).toContain("add up to more than");
        expect(judgedRules({ source: "pulse", metric: "visits" }, verdict, thresholds).length).toBe(3);
      },
    ),
    { numRuns: 300 },
  );
});

test("what was tested and does not fire clears its flag, what was not tested leaves it to the next reading", () => {
  const states = (days: number) => {
    const verdict = evaluateMetric(
      historyOf(days, () => 100),
      TESTED_DAY,
      BARE,
    );
    return judgedRules({ source: "pulse", metric: "visits" }, verdict, BARE).map((one) => one.verdict.state);
  };
  expect(new Set(states(130))).toEqual(new Set(["clear"]));
  expect(new Set(states(3))).toEqual(new Set(["next_reading"]));
});
