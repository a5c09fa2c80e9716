import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  COHORT_WINDOWS,
  historyDaysNeeded,
  lowestTestedDaily,
  smallestWindowDays,
  spacingWeeks,
  windowEnd,
} from "../../src/rules/dispersion.ts";
import { improbable } from "../../src/rules/flow.ts";

for (const [baseline, days] of [
  [4.61, 1],
  [3, 2],
  [1.5, 4],
  [1, 5],
  [0.5, 10],
  [0.32, undefined],
] as const) {
  test(`flow 2: at the defaults ${baseline} a day is ${days === undefined ? "not tested" : `tested on ${days} days`}`, () => {
    expect(smallestWindowDays(baseline, 0.01, 14)).toBe(days);
  });
}

test("flow 2: below 0.33 a day no window can fire", () => {
  expect(lowestTestedDaily(0.01, 14)).toBeCloseTo(0.33, 2);
  expect(smallestWindowDays(lowestTestedDaily(0.01, 14) * 1.0001, 0.01, 14)).toBe(14);
  expect(smallestWindowDays(lowestTestedDaily(0.01, 14) * 0.9999, 0.01, 14)).toBeUndefined();
  expect(smallestWindowDays(0, 0.01, 14)).toBeUndefined();
});

test("flow 3: a tail of exactly alpha is no improbable one, on neither side", () => {
  const of = (atMost: number, atLeast: number) =>
    improbable({ poisson: { atMost, atLeast } } as Parameters<typeof improbable>[0], 0.01);
  expect([of(0.01, 1), of(1, 0.01)]).toEqual([null, null]);
  expect([of(0.009_999, 1), of(1, 0.009_999)]).toEqual(["drop", "rise"]);
});

test("flow 6: 28 days for a daily metric, 8 weeks plus the window beyond a week", () => {
  expect(historyDaysNeeded(1)).toBe(28);
  expect(historyDaysNeeded(7)).toBe(28 + 6);
  expect(historyDaysNeeded(8)).toBe(56 + 7);
  expect(historyDaysNeeded(14)).toBe(56 + 13);
});

test("flow 2: the window is minimal and e^(-baseline w) is below alpha (property)", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 50, noNaN: true }),
      fc.double({ min: 1e-6, max: 0.4, noNaN: true }),
      (baseline, alpha) => {
        const days = smallestWindowDays(baseline, alpha, 10_000);
        if (days === undefined) return;
        expect(Math.exp(-baseline * days)).toBeLessThan(alpha);
        if (days > 1) expect(Math.exp(-baseline * (days - 1))).toBeGreaterThanOrEqual(alpha * (1 - 1e-12));
      },
    ),
  );
});

test("flow 4: cohort windows end on the tested weekday and overlap neither each other nor the test window (property)", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 40_000 }), (days, tested) => {
      for (let back = 1; back <= COHORT_WINDOWS; back++) {
        const end = windowEnd(tested, days, back);
        expect((tested - end) % 7).toBe(0);
        expect(end).toBeLessThanOrEqual(windowEnd(tested, days, back - 1) - days);
        expect(windowEnd(tested, days, back - 1) - end).toBe(7 * spacingWeeks(days));
      }
    }),
  );
});
