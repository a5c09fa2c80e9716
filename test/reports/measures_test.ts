import { describe, expect, test } from "bun:test";
import {
  acceptedMeasures,
  holdsUnit,
  MEASURE_KEYS,
  MEASURE_UNITS,
  type UnitClass,
  unmeasuredKeys,
} from "../../src/reports/measures.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";

const NUMBERS: Readonly<
  Record<UnitClass, { readonly good: readonly number[]; readonly bad: readonly number[] }>
> = {
  count: {
    good: [0, -0, 1, 42, 2 ** 53 - 1],
    bad: [
      -1,
      0.5,
      1.0000001,
      2 ** 53,
      2 ** 53 + 2,
      1e300,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -Number.MIN_VALUE,
    ],
  },
  percent: {
    good: [0, -0, 0.01, 99.99, 100],
    bad: [-0.01, 100.01, 101, Number.NaN, Number.NEGATIVE_INFINITY],
  },
  ratio: { good: [0, -0, 0.3, 1, 1.7, 1e308], bad: [-0.0001, -1, Number.NaN, Number.POSITIVE_INFINITY] },
  pass: { good: [0, -0, 1], bad: [2, -1, 0.5, 1.0000001, Number.NaN] },
};

const NOT_NUMBERS: readonly unknown[] = ["1", "", true, false, null, undefined, [], [1], {}, 1n];

describe("unit classes (spec, Measures)", () => {
  for (const unit of ["count", "percent", "ratio", "pass"] as const) {
    for (const value of NUMBERS[unit].good)
      test(`${value} is a ${unit}`, () => expect(holdsUnit(unit, value)).toBe(true));
    for (const value of NUMBERS[unit].bad)
      test(`${value} is no ${unit}`, () => expect(holdsUnit(unit, value)).toBe(false));
    test(`booleans, numeric strings, null, lists and objects are no ${unit}`, () => {
      for (const value of NOT_NUMBERS) expect(holdsUnit(unit, value)).toBe(false);
    });
  }

  test("there are 23 measures, with the unit that the specification names", () => {
    expect(MEASURE_KEYS).toHaveLength(23);
    const of = (unit: UnitClass) => MEASURE_KEYS.filter((key) => MEASURE_UNITS[key] === unit);
    expect(of("percent")).toEqual(["duplication_percent"]);
    expect(of("ratio")).toEqual(["test_ratio", "mean_function_complexity"]);
    expect(of("pass")).toEqual(["build_passed", "tests_passed"]);
    expect(of("count")).toHaveLength(18);
  });
});

describe("an absent measure is unmeasured, never 0 (spec, Measures 1)", () => {
  for (const key of MEASURE_KEYS) {
    test(`${key} is absent when absent and 0 when 0`, () => {
      const { [key]: _, ...without } = fullCodebaseReport().measures;
      expect(acceptedMeasures(without)).toEqual(without);
      expect(unmeasuredKeys(without)).toEqual([key]);
      expect(acceptedMeasures({ [key]: 0 })).toEqual({ [key]: 0 });
      expect(unmeasuredKeys({ [key]: 0 })).not.toContain(key);
    });

    test(`${key} is unmeasured when what is stored is no number the contract accepts`, () => {
      for (const stored of [...NOT_NUMBERS, ...NUMBERS[MEASURE_UNITS[key]].bad]) {
        expect(acceptedMeasures({ [key]: stored })).toEqual({});
      }
    });
  }
});
