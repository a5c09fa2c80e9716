import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { evaluateFlow, expectedRange } from "../../src/rules/flow.ts";
import { flowSeries } from "../support/flow_history.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const FIRST = "2026-01-01" as UtcDay;
const seriesOf = (
  counts: readonly number[],
  states: Readonly<Record<number, "missing" | "provisional">> = {},
) =>
  flowSeries(
    counts.map((value, place) => {
      const state = states[place] ?? "final";
      return [addDays(FIRST, place), { value: state === "missing" ? undefined : value, state }] as const;
    }),
  );

test("the expected range of a day holds every count that the rule would not flag, and no other", () => {
  const level = fc.constantFrom(0.4, 1, 4, 12, 110, 3_000);
  const history = level.chain((mean) =>
    fc.array(fc.integer({ min: 0, max: Math.ceil(2 * mean) }), { minLength: 40, maxLength: 200 }),
  );
  const thresholds = fc
    .constantFrom<"measured" | number>("measured", 1, 4)
    .map((dispersion) => ({ ...DEFAULT_FLOW_THRESHOLDS, dispersion }));
  fc.assert(
    fc.property(history, thresholds, fc.nat(20_000), (counts, rule, other) => {
      const day = addDays(FIRST, counts.length - 1);
      const range = expectedRange(seriesOf(counts), day, rule);
      const { low, high } = range ?? { low: 0, high: null };
      for (const count of [low - 1, low, high ?? low, (high ?? low) + 1, other]) {
        if (count < 0) continue;
        const verdict = evaluateFlow(seriesOf([...counts.slice(0, -1), count]), day, rule);
        expect(verdict.outcome === "tested").toBe(range !== undefined);
        const isInside = count >= low && (high === null || count <= high);
        if (verdict.outcome === "tested") expect(verdict.fires === null).toBe(isInside);
      }
    }),
  );
});

test("a day that is not final yet has the range of the days before it; one that cannot be tested has none", () => {
  const counts = Array.from({ length: 60 }, (_, place) => 40 + (place % 7));
  const day = addDays(FIRST, 59);
  const range = expectedRange(seriesOf(counts), day, DEFAULT_FLOW_THRESHOLDS);
  expect(range).toMatchObject({ windowDays: 1, expected: 43 });
  expect(expectedRange(seriesOf(counts, { 59: "provisional" }), day, DEFAULT_FLOW_THRESHOLDS)).toEqual(range);
  expect(expectedRange(seriesOf(counts, { 52: "missing" }), day, DEFAULT_FLOW_THRESHOLDS)).toBeUndefined();
  const marked = { ...DEFAULT_FLOW_THRESHOLDS, marked_days: [{ name: "Sale", dates: [day] }] } as never;
  expect(expectedRange(seriesOf(counts), day, marked)).toBeUndefined();
  expect(expectedRange(seriesOf(counts), addDays(day, 1), DEFAULT_FLOW_THRESHOLDS)).toBeUndefined();
  const vast = Array.from({ length: 60 }, () => Number.MAX_SAFE_INTEGER);
  expect(expectedRange(seriesOf(vast), day, DEFAULT_FLOW_THRESHOLDS)).toBeUndefined();
});
