import { expect, test } from "bun:test";
import { poissonTails } from "../../src/base/statistics.ts";
import { parseUtcDay, startOfDay } from "../../src/base/time.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { type FlowRuleInputs, flowRuleInputs } from "../../src/rules/flow_inputs.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import { daysBefore, historyOf, TESTED_DAY } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

function inputsOf(series: FlowSeries, thresholds: FlowThresholds = DEFAULT_FLOW_THRESHOLDS): FlowRuleInputs {
  const verdict = evaluateFlow(series, TESTED_DAY, thresholds);
  if (verdict.outcome !== "tested") throw new Error(verdict.reason);
  return flowRuleInputs(verdict);
}

test("flow 8: a raised flag records what it takes to work it out again", () => {
  const inputs = inputsOf(historyOf(97, (back) => (back === 0 ? 0 : 6)));
  expect(JSON.parse(JSON.stringify(inputs))).toEqual(inputs);
  expect(inputs).toMatchSnapshot();
  expect(inputs.cohort.map((window) => [window.to, window.count])).toEqual(
    [7, 14, 21, 28].map((back) => [daysBefore(back), 6]),
  );
  expect(inputs.poisson.at_most).toBe(poissonTails(0, 6).atMost);
});

test("flow 8: the second condition can be worked out from its inputs: mean, variance factor, probability", () => {
  const counts = (back: number) => (back < 2 ? 0 : back === 14 ? 90 : 4 + ((back * 5) % 7));
  const inputs = inputsOf(historyOf(140, counts), { ...DEFAULT_FLOW_THRESHOLDS, dispersion: 4 });
  expect(JSON.parse(JSON.stringify(inputs))).toEqual(inputs);
  const { second, dispersion } = inputs;
  if (second.state !== "judged" || !("mean" in second)) throw new Error(second.state);
  const { level, shares, observed } = second;
  if (level === null || shares === null) throw new Error("no level");
  expect(dispersion.left_out).toContain(daysBefore(14));
  expect(second.window_days).toBeGreaterThan(inputs.window_days);
  expect(level.value).toBe(level.events / level.shares_sum);
  // Σ of the shares of the window's days, and each weekday's days squared.
  const byWeekday = Object.values(shares.by_weekday);
  const times = new Map<number, number>();
  let sum = 0;
  for (let back = 0; back < second.window_days; back++) {
    const weekday = new Date(startOfDay(daysBefore(back))).getUTCDay();
    times.set(weekday, (times.get(weekday) ?? 0) + 1);
    sum += byWeekday[weekday] ?? Number.NaN;
  }
  expect(second.mean).toBeCloseTo(level.value * sum, 12);
  const squares = [...times.values()].reduce((all, time) => all + time * time, 0);
  const unknown =
    (dispersion.phi * level.value * sum * sum) / level.shares_sum +
    shares.kept * shares.noise * level.value * level.value * squares +
    level.wander * second.mean * second.mean;
  expect(second.variance_factor).toBeCloseTo(dispersion.phi + unknown / second.mean, 12);
  const factor = second.variance_factor;
  expect(observed.count).toBe(0);
  expect(second.mid_p.at_most).toBeCloseTo(factor ** (-second.mean / (factor - 1)) / 2, 14);
  expect(second.poisson.at_most).toBeCloseTo(Math.exp(-second.expected), 14);
  expect(second.cohort.map(({ to }) => parseUtcDay(to))).toEqual([7, 14, 21, 28].map(daysBefore));
});
