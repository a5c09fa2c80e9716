import { expect, test } from "bun:test";
import fc from "fast-check";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { flowRuleInputs } from "../../src/rules/flow_inputs.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import type { JudgedSecond, TestedFlow } from "../../src/rules/verdict.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { randomCount, seeded } from "../support/random_counts.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const BARE: FlowThresholds = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 };
const FIXED_2: FlowThresholds = { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 2 };

function tested(series: FlowSeries, thresholds = DEFAULT_FLOW_THRESHOLDS): TestedFlow {
  const verdict = evaluateFlow(series, TESTED_DAY, thresholds);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  return verdict;
}

function judged(series: FlowSeries, thresholds = DEFAULT_FLOW_THRESHOLDS): JudgedSecond {
  const { second } = tested(series, thresholds);
  if (second.state !== "judged") throw new Error(second.state);
  return second;
}

test("second condition: worked by hand for ten a day at a variance of 2x: m 10, f 2 + 2/28, mid-p tails", () => {
  const second = judged(
    historyOf(130, (back) => (back === 0 ? 2 : 10)),
    FIXED_2,
  );
  expect(second).toMatchObject({
    windowDays: 1,
    mean: 10,
    holds: false,
    level: { days: 28, count: 280, value: 10, from: daysBefore(28), to: daysBefore(1) },
    shares: { days: 91, kept: 0, from: daysBefore(91), to: daysBefore(1) },
  });
  expect(second.shares?.noise).toBeCloseTo(2 / (13 * 10), 15);
  const factor = 2 + 2 / 28;
  expect(second.varianceFactor).toBeCloseTo(factor, 13);
  // P(0) = f^(−m/(f−1)), P(1) = P(0)·m/f, P(2) = P(1)·(r+1)/2·(f−1)/f with r = m/(f−1).
  const nothing = factor ** (-10 / (factor - 1));
  const one = (nothing * 10) / factor;
  const two = ((one * (10 / (factor - 1) + 1)) / 2) * ((factor - 1) / factor);
  expect(second.tails.atMost).toBeCloseTo(nothing + one + two / 2, 13);
  expect(second.tails.atLeast).toBeCloseTo(1 - nothing - one - two / 2, 13);
});

test("second condition: a quiet weekday is judged by its own share of the level", () => {
  const second = judged(
    historyOf(130, (back) => (back === 0 ? 0 : back % 7 === 0 ? 6 : 20)),
    FIXED_2,
  );
  // x̄ = 126/7 = 18, so r is 1/3 on the quiet day and 10/9 on the six others.
  const noise = 2 / (13 * 18);
  const variance = ((2 / 3) ** 2 + 6 * (1 / 9) ** 2) / 6 - noise;
  const kept = variance / (variance + noise);
  expect(second.shares?.kept).toBeCloseTo(kept, 12);
  const share = 1 - (2 / 3) * kept;
  expect(second.level?.value).toBeCloseTo(18, 10);
  expect(second.mean).toBeCloseTo(18 * share, 10);
  const ofLevel = (2 * 18 * share ** 2) / 28;
  const ofShares = kept * noise * 18 ** 2;
  expect(second.varianceFactor).toBeCloseTo(2 + (ofLevel + ofShares) / (18 * share), 10);
});

test("second condition: a count that only a wide spread would explain is no flag; a stop is one", () => {
  const wild = (back: number) => (Math.floor(back / 7) % 2 === 0 ? 20 : 60);
  const series = historyOf(130, (back) => (back === 0 ? 20 : wild(back)));
  expect(tested(series, BARE).fires).toBe("drop");
  const verdict = tested(series);
  expect(verdict.dispersion.phi).toBeGreaterThan(5);
  expect(verdict.fires).toBeNull();
  expect(tested(historyOf(130, (back) => (back === 0 ? 0 : 35 + (back % 3) * 5))).fires).toBe("drop");
});

test("second condition: a metric that wanders up and down within weeks is not flagged for wandering; one that falls steadily is", () => {
  const source = seeded(9);
  const around = (mean: (back: number) => number) => {
    const counts = Array.from({ length: 170 }, (_, back) => randomCount(source, mean(back), 1));
    return historyOf(170, (back) => counts[back] ?? 0);
  };
  const wandering = around((back) => 5_000 * (1 + 0.1 * Math.cos((2 * Math.PI * (back + 14)) / 42)));
  expect(judged(wandering).level?.wander).toBeGreaterThan(0.003);
  expect(tested(wandering)).toMatchObject({ fires: null, second: { state: "judged" } });
  const falling = around((back) => 3_000 * 0.95 ** (-Math.min(back, 100) / 7));
  expect(judged(falling, FIXED_2).level?.wander).toBeLessThan(0.001);
  expect(tested(falling, FIXED_2).fires).toBe("drop");
});

test("second condition: after a burst a count is told against the level without it", () => {
  const stop = (burst: number) =>
    tested(historyOf(130, (back) => (back === 0 ? 0 : back === 7 ? burst : 10)));
  const { expected, observed, usual } = flowRuleInputs(stop(400));
  expect(expected).toBe(107.5);
  expect(usual).toEqual({ observed, expected: 10 });
  expect(flowRuleInputs(stop(10)).usual).toBeUndefined();
});

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const means = fc.double({ min: 0.4, max: 40, noNaN: true });
const ratios = fc.constantFrom(1, 2, 4);

/** A history with some odd days and a changed last day or two, so that often enough something fires. */
function eventful(seed: number, mean: number, ratio: number, days = 170): Float64Array {
  const random = seeded(seed);
  const counts = Float64Array.from({ length: days }, () => randomCount(random, mean, ratio));
  for (let place = 0; place < 4; place++)
    counts[Math.floor(random() * days)] = Math.round(mean * (random() < 0.5 ? 0 : 4));
  const change = random();
  if (change < 0.6) counts[0] = Math.round((change < 0.3 ? 0.2 : 2.5) * mean);
  return counts;
}

function seriesOf(counts: Float64Array): FlowSeries {
  return historyOf(counts.length, (back) => counts[back] ?? 0);
}

test("second condition: no flag that the specification's test at the specification's window does not raise (property)", () => {
  fc.assert(
    fc.property(seeds, means, ratios, (seed, mean, ratio) => {
      const series = seriesOf(eventful(seed, mean, ratio));
      for (const thresholds of [DEFAULT_FLOW_THRESHOLDS, FIXED_2]) {
        const verdict = evaluateFlow(series, TESTED_DAY, thresholds);
        const bare = evaluateFlow(series, TESTED_DAY, BARE);
        expect(verdict.outcome).toBe(bare.outcome);
        if (verdict.outcome !== "tested" || bare.outcome !== "tested") continue;
        const { windowDays, expected, observed, poisson } = bare;
        expect(verdict).toMatchObject({ windowDays, expected, observed, poisson });
        if (verdict.fires !== null) expect<string | null>(verdict.fires).toBe(bare.fires);
      }
    }),
    { numRuns: 300 },
  );
});

test("second condition: dispersion 1 is the specification's test and nothing else (property)", () => {
  fc.assert(
    fc.property(seeds, means, ratios, (seed, mean, ratio) => {
      const verdict = evaluateFlow(seriesOf(eventful(seed, mean, ratio)), TESTED_DAY, BARE);
      if (verdict.outcome !== "tested") return;
      const { poisson, alpha, fires, second } = verdict;
      expect(fires).toBe(poisson.atMost < alpha ? "drop" : poisson.atLeast < alpha ? "rise" : null);
      expect(second.state).toBe(fires === null ? "not_needed" : "poisson_count");
    }),
    { numRuns: 200 },
  );
});

/** Shares of histories in which the last day is flagged, seeded. */
function shareOf(
  side: "drop" | "rise",
  mean: number,
  ratio: number,
  today: (mean: number) => number,
): number {
  const random = seeded(mean * 100 + ratio);
  let hits = 0;
  const histories = 1_500;
  for (let index = 0; index < histories; index++) {
    const counts = Float64Array.from({ length: 139 }, (_, back) =>
      randomCount(random, back === 0 ? today(mean) : mean, ratio),
    );
    const verdict = evaluateFlow(seriesOf(counts), TESTED_DAY, DEFAULT_FLOW_THRESHOLDS);
    if (verdict.outcome === "tested" && verdict.fires === side) hits++;
  }
  return hits / histories;
}

test("second condition: where nothing changes at most 1.5 % a tail are flagged, and a full stop of 8 a day is found on day one", () => {
  const most = 0.015 + 2 * Math.sqrt((0.015 * 0.985) / 1_500);
  expect(shareOf("drop", 8, 2, (mean) => mean)).toBeLessThanOrEqual(most);
  expect(shareOf("rise", 8, 2, (mean) => mean)).toBeLessThanOrEqual(most);
  expect(shareOf("drop", 8, 2, () => 0)).toBeGreaterThanOrEqual(0.95);
});

test("second condition: in its first 28 tested days a metric of 3x gets at most 1.2 flags where nothing changes", () => {
  const random = seeded(28);
  let flags = 0;
  for (let metric = 0; metric < 80; metric++) {
    const counts = Float64Array.from({ length: 56 }, () => randomCount(random, 20, 3));
    for (let back = 27; back >= 0; back--) {
      const verdict = evaluateFlow(seriesOf(counts), daysBefore(back), DEFAULT_FLOW_THRESHOLDS);
      if (verdict.outcome === "tested" && verdict.fires !== null) flags++;
    }
  }
  expect(flags / 80).toBeLessThanOrEqual(1.2);
});
