/** A step begins another series: nothing of before it is compared or measured. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayOfNumber } from "../../src/base/time.ts";
import { FINAL } from "../../src/reports/series_days.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import { type FlowSeries, sinceStep } from "../../src/rules/flow_series.ts";
import { evaluatePercentDrop } from "../../src/rules/percent_drop.ts";
import { notTestedMessage } from "../../src/rules/verdict.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const FIRST = 20_000;

function seriesOf(counts: readonly number[], steps?: readonly number[]): FlowSeries {
  return {
    firstDay: FIRST,
    counts: Float64Array.from(counts),
    states: new Uint8Array(counts.length).fill(FINAL),
    ...(steps !== undefined && { steps }),
  };
}

const both = (series: FlowSeries, place: number) => {
  const day = dayOfNumber(FIRST + place);
  return {
    flow: evaluateFlow(series, day, DEFAULT_FLOW_THRESHOLDS),
    percentDrop: evaluatePercentDrop(series, day, DEFAULT_FLOW_THRESHOLDS),
  };
};

describe("a step", () => {
  test("hides what was before it, whatever that was (property)", () => {
    const counts = fc.array(fc.nat(60), { minLength: 40, maxLength: 160 });
    fc.assert(
      fc.property(counts, counts, fc.nat(159), (one, other, at) => {
        const place = one.length - 1;
        const step = Math.min(at, place);
        const changed = one.map((count, day) => (day <= step ? (other[day] ?? 7) : count));
        const of = (values: readonly number[]) => both(seriesOf(values, [FIRST + step]), place);
        expect(of(changed)).toEqual(of(one));
      }),
      { numRuns: 200 },
    );
  });

  test.each([28, 29])("%i days before the tested one stops it or does not", (back) => {
    const { flow } = both(seriesOf(Array(120).fill(20), [FIRST + 119 - back]), 119);
    expect(flow).toMatchObject(
      back === 28
        ? {
            reason: "consent_step",
            step: dayOfNumber(FIRST + 91),
            startsOn: dayOfNumber(FIRST + 120),
          }
        : { outcome: "tested" },
    );
  });

  test("after the tested day, or before all that is known, is none for it", () => {
    const counts = Array(120).fill(20);
    for (const step of [FIRST + 120, FIRST - 1]) {
      expect(both(seriesOf(counts, [step]), 119)).toEqual(both(seriesOf(counts), 119));
    }
  });

  test("of several the last up to the day counts", () => {
    const series = seriesOf(Array(120).fill(20), [FIRST + 3, FIRST + 40, FIRST + 110]);
    const stepAt = (place: number) => sinceStep(series, dayOfNumber(FIRST + place)).step;
    expect([2, 3, 100, 119].map(stepAt)).toEqual(
      [undefined, 3, 40, 110].map((place) => (place === undefined ? undefined : dayOfNumber(FIRST + place))),
    );
  });
});

describe("a marked day", () => {
  const TESTED = FIRST + 199;
  const judged = (counts: readonly number[], back: readonly number[]) => {
    const dates = back.map((days): string => dayOfNumber(TESTED - days));
    const thresholds = { ...DEFAULT_FLOW_THRESHOLDS, marked_days: [{ name: "Sale", dates }] };
    const [series, day] = [seriesOf(counts), dayOfNumber(TESTED)];
    return {
      flow: evaluateFlow(series, day, thresholds),
      percentDrop: evaluatePercentDrop(series, day, thresholds),
    };
  };

  test.each([
    [0, "test_window"],
    [7, "cohort"],
    [28, "cohort"],
  ] as const)("%i days before a daily test stops it by its name, as in its %s", (back, within) => {
    const { flow, percentDrop } = judged(Array(200).fill(20), [back]);
    const blockedBy = dayOfNumber(TESTED - back);
    expect(flow).toMatchObject({ reason: "marked_day", mark: "Sale", blockedBy, within });
    expect(percentDrop).toMatchObject({ reason: "marked_day", blockedBy });
    expect(flow.outcome === "not_tested" && notTestedMessage(flow)).toStartWith(
      "Not tested: marked day, Sale on ",
    );
  });

  test("outside of window and cohort changes nothing that is said, whatever its count was: level, weekdays and spread pass over it", () => {
    // Every fifth day swings, so that the second condition is asked and measures all three.
    const counts = Array.from({ length: 200 }, (_, place) => (place === 199 ? 2 : 20 + (place % 5) * 6));
    const back = [1, 3, 9, 40, 100];
    const wild = counts.map((count, place) => (back.includes(199 - place) ? 5_000 : count));
    const { flow } = judged(counts, back);
    expect(flow).toMatchObject({ outcome: "tested", second: { state: "judged", basis: "level" } });
    expect(judged(wild, back).flow).toEqual(flow);
    expect(judged(wild, []).flow).not.toEqual(flow);
  });
});
