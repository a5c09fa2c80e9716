import { describe, expect, test } from "bun:test";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { pictureOf } from "../../../src/tower/flags/picture.tsx";
import { formatChance } from "../../../src/tower/kit/proof.tsx";

const picture = (rule: string | null, rule_inputs: RuleInputs | null) => pictureOf({ rule, rule_inputs });
const shape = (rule: string, inputs: RuleInputs) => {
  const drawn = picture(rule, inputs);
  return { bars: drawn?.bars.map(({ value }) => value), line: drawn?.line.value };
};

describe("the picture of a test shows the values that were compared", () => {
  test("growth fires where both the percentage and the lines are reached", () => {
    const inputs = {
      code_lines: 2_000,
      code_lines_before: 1_000,
      thresholds: { growth_percent: 25, growth_lines: 500 },
    };
    expect(shape("codebase-growth", inputs)).toEqual({ bars: [1_000, 2_000], line: 1_500 });
    const large = { ...inputs, code_lines_before: 10_000, code_lines: 13_000 };
    expect(shape("codebase-growth", large)).toEqual({ bars: [10_000, 13_000], line: 12_500 });
  });

  test("levels show the latest value and the threshold; what was not measured is not added as 0", () => {
    expect(
      shape("codebase-duplication", { duplication_percent: 8.6, thresholds: { duplication_percent: 8 } }),
    ).toEqual({
      bars: [8.6],
      line: 8,
    });
    const unused = { unused_files: 12, unused_dependencies: null, thresholds: { unused_items: 10 } };
    expect(shape("codebase-unused", unused)).toEqual({ bars: [12], line: 10 });
    expect(picture("codebase-unused", { ...unused, unused_files: null })).toBeUndefined();
    expect(
      shape("codebase-vulnerabilities", { vulnerable_dependencies: 2, thresholds: { vulnerable: 1 } }),
    ).toEqual({
      bars: [2],
      line: 1,
    });
    const complex = {
      complex_functions: 42,
      complex_functions_before: 36,
      thresholds: { complex_functions: 5 },
    };
    expect(shape("codebase-complexity", complex)).toEqual({ bars: [36, 42], line: 41 });
  });

  for (const [what, rule, inputs] of [
    ["no inputs", "codebase-growth", null],
    ["a flow rule, whose days are drawn", "flow-drop", { observed: { count: 1 }, expected: 6 }],
    ["inputs of another shape", "codebase-growth", { code_lines: "x", thresholds: 3 }],
    ["numbers that are none", "codebase-duplication", { duplication_percent: "8", thresholds: null }],
    ["a flag that a site sent", null, { report: { date: "2026-11-18", revision: 1 } }],
  ] as const) {
    test(`${what}: no picture, and no page breaks`, () => {
      expect(picture(rule, inputs)).toBeUndefined();
    });
  }
});

describe("a probability never seems to contradict its flag", () => {
  for (const [probability, alpha, text] of [
    [0.0090731, 0.01, "0.00907"],
    [0.0099996, 0.01, "0.0099996"],
    [0.0100004, 0.01, "0.01"],
    [1e-9, 0.01, "less than 0.000001"],
    [0.5, undefined, "0.5"],
    [1, 0.01, "1"],
    [Number.MAX_VALUE, undefined, "more than 1"],
  ] as const) {
    test(`${probability} at alpha ${alpha} reads ${text}`, () => {
      expect(formatChance(probability, alpha)).toBe(text);
    });
  }
});
