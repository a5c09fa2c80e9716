import { expect, test } from "bun:test";
import { isWithin, mustBe } from "../../src/sites/thresholds.ts";

test("a threshold's bounds are taken themselves, the number that it must lie above is not", () => {
  const from = (...values: number[]) => values.map((value) => isWithin({ least: 1, most: 10 }, value));
  expect(from(0.999, 1, 10, 10.001)).toEqual([false, true, true, false]);
  const above = (...values: number[]) => values.map((value) => isWithin({ above: 0, most: 0.5 }, value));
  expect(above(0, Number.MIN_VALUE, 0.5, 0.500_1)).toEqual([false, true, true, false]);
  const whole = (...values: number[]) =>
    values.map((value) => isWithin({ least: 0, most: 9, whole: true }, value));
  expect(whole(-1, 0, 0.5, 9, 10)).toEqual([false, true, false, true, false]);
  expect([Number.NaN, Number.POSITIVE_INFINITY].map((value) => isWithin({ most: 9 }, value))).toEqual([
    false,
    false,
  ]);
});

test("why a value is refused names the bounds as they are judged", () => {
  const of = (bounds: Parameters<typeof isWithin>[0], mayBeMeasured = false) =>
    mustBe({ default: 1, bounds, mayBeMeasured });
  expect(of({ least: 1, most: 10, whole: true })).toBe("must be a whole number from 1 to 10");
  expect(of({ above: 0, most: 0.5 }, true)).toBe('must be "measured" or a number above 0 and at most 0.5');
  expect(of({ above: 0, most: 1e-7 })).toBe("must be a number above 0 and at most 0.0000001");
});
