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

const LARGEST = Number.MAX_SAFE_INTEGER;
const NUMBERS = [
  0, -0, 1, 2, 42, 1e300, 1e308, 0.01, 0.3, 0.5, 1.0000001, 1.7, 99.99, 100, 100.01, 101, -0.0001, -0.01,
  -0.5, -1,
].concat(LARGEST, LARGEST + 1, LARGEST + 3, -Number.MIN_VALUE, Number.NaN, 1 / 0, -1 / 0);
const UNITS = ["count", "percent", "ratio", "pass"] as const;
const NOT_NUMBERS: readonly unknown[] = ["1", "", true, false, null, undefined, [], [1], {}, 1n];

describe("unit classes (spec, Measures)", () => {
  test("which numbers are of each is recorded; booleans, numeric strings, null, lists and objects are of none", () => {
    for (const unit of UNITS) {
      const [good, bad] = [true, false].map((is) => NUMBERS.filter((value) => holdsUnit(unit, value) === is));
      expect({ unit, good, bad }).toMatchSnapshot();
      expect(NOT_NUMBERS.filter((value) => holdsUnit(unit, value))).toStrictEqual([]);
    }
  });

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
      for (const stored of [
        ...NOT_NUMBERS,
        ...NUMBERS.filter((value) => !holdsUnit(MEASURE_UNITS[key], value)),
      ]) {
        expect(acceptedMeasures({ [key]: stored })).toEqual({});
      }
    });
  }
});
