import { expect, test } from "bun:test";
import { measureSpread } from "../../src/rules/dispersion.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { randomCount, seeded } from "../support/random_counts.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

function measured(series: FlowSeries) {
  return measureSpread(series, series.counts.length - 1).dispersion;
}

function random(
  seed: number,
  days: number,
  mean: number,
  dispersion: number,
  stopped: readonly number[] = [],
) {
  const source = seeded(seed);
  const counts = Array.from({ length: days }, () => randomCount(source, mean, dispersion));
  return historyOf(days, (back) => (stopped.includes(back) ? 0 : (counts[back] ?? 0)));
}

function meanRatio(mean: number, dispersion: number, stopped: readonly number[] = []): number {
  let sum = 0;
  for (let seed = 0; seed < 200; seed++)
    sum += measured(random(seed, 97, mean, dispersion, stopped)).ratio ?? 0;
  return sum / 200;
}

test("dispersion: a steady history gives 1, also with a strong week in it", () => {
  for (const series of [historyOf(97, () => 40), historyOf(97, (back) => (back % 7 < 2 ? 10 : 90))]) {
    expect(measured(series)).toMatchSnapshot();
  }
});

test("dispersion: until 28 days with a full cohort exist the ratio is drawn towards 2, as if 14 days of it had been seen", () => {
  const wild = (back: number) => (Math.floor(back / 7) % 2 === 0 ? 20 : 60);
  const young = measured(historyOf(28 + 28, wild));
  expect(young).toMatchObject({ basis: "too_few_days", days: 27 });
  expect(young.phi).toBeCloseTo((27 * (young.ratio ?? 0) + 28) / 41, 12);
  expect(measured(historyOf(28 + 29, wild))).toMatchObject({
    basis: "measured",
    days: 28,
  });
  expect(measured(historyOf(28 + 28, () => 20))).toMatchObject({
    phi: 1,
    ratio: 0,
  });
  expect(measured(historyOf(1, wild))).toMatchSnapshot();
});

test("dispersion: it is the variance over the mean, without the baseline's own noise, whatever the volume", () => {
  for (const mean of [5, 40, 300]) {
    for (const dispersion of [1, 2, 3]) {
      expect(meanRatio(mean, dispersion) / dispersion).toBeCloseTo(1, 0.9);
    }
  }
});

test("dispersion: an outage in the history is left out and does not hide the next one", () => {
  for (const stopped of [[26], [30, 31, 32], [46, 47, 48, 49, 50, 51, 52]]) {
    expect(meanRatio(40, 1, stopped) / meanRatio(40, 1)).toBeCloseTo(1, 0.9);
    const verdict = measured(random(1, 97, 100, 2, stopped));
    for (const back of stopped) expect(verdict.leftOut).toContain(daysBefore(back));
  }
  const series = random(7, 97, 40, 1, [0, 46, 47, 48, 49, 50, 51, 52]);
  expect(evaluateFlow(series, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toMatchObject({
    outcome: "tested",
    fires: "drop",
  });
});

test("dispersion: a burst in the history is left out, however great, and does not hide the next one", () => {
  const counts = (back: number) => (back === 0 ? 300 : back === 5 ? 882 : 10 + (back % 5));
  const series = historyOf(61, counts);
  expect(measured(series)).toMatchObject({ leftOut: [daysBefore(5)], phi: 1 });
  expect(evaluateFlow(series, TESTED_DAY, DEFAULT_FLOW_THRESHOLDS)).toMatchObject({ fires: "rise" });
});

test("dispersion: a metric that is always wild counts as wild, though many of its days would flag under Poisson", () => {
  expect(meanRatio(100, 8) / 8).toBeCloseTo(1, 0.9);
});

test("dispersion: a steady fall or rise is no spread, so the flags that the specification's own test raises stand", () => {
  for (const weekly of [0.93, 0.95, 1.05, 1.07]) {
    const source = seeded(11);
    const counts = Array.from({ length: 180 }, (_, day) =>
      randomCount(source, 5_000 * weekly ** (day / 7), 1),
    );
    const series = historyOf(180, (back) => counts[179 - back] ?? 0);
    expect(measured(series).ratio).toBeLessThan(2);
    const flagged = (dispersion: 1 | "measured") =>
      Array.from({ length: 28 }, (_, back) =>
        evaluateFlow(series, daysBefore(back), {
          ...DEFAULT_FLOW_THRESHOLDS,
          dispersion,
        }),
      ).filter((verdict) => verdict.outcome === "tested" && verdict.fires !== null).length;
    expect(flagged(1)).toBeGreaterThan(25);
    expect(flagged("measured")).toBeGreaterThan(0.9 * flagged(1));
  }
});
