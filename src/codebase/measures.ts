/** The 23 measures of a codebase report with their unit classes (spec, Measures). */

/** How a measure is counted, and so which numbers it may hold. */
export type UnitClass = "count" | "percent" | "ratio" | "pass";

export const MEASURE_UNITS = {
  code_lines: "count",
  comment_lines: "count",
  files: "count",
  languages: "count",
  test_lines: "count",
  test_ratio: "ratio",
  duplication_percent: "percent",
  duplicated_lines: "count",
  duplicate_blocks: "count",
  unused_files: "count",
  unused_exports: "count",
  unused_dependencies: "count",
  complex_functions: "count",
  functions: "count",
  max_function_complexity: "count",
  mean_function_complexity: "ratio",
  commits_30d: "count",
  files_touched_30d: "count",
  large_commits_30d: "count",
  dependencies_direct: "count",
  build_passed: "pass",
  tests_passed: "pass",
  vulnerable_dependencies: "count",
} as const satisfies Record<string, UnitClass>;

export type MeasureKey = keyof typeof MEASURE_UNITS;

/** Measured values by key. An absent key is unmeasured; it is never 0. */
export type Measures = { readonly [K in MeasureKey]?: number };

/** What must be said beside measures, by key. */
export type MeasureNotes = { readonly [K in MeasureKey]?: string };

export const MEASURE_KEYS = Object.keys(MEASURE_UNITS) as readonly MeasureKey[];

/** The sentence of each unit rule, for answers. */
export const UNIT_RULES: Readonly<Record<UnitClass, string>> = {
  count: "must be a whole number from 0 to 9007199254740991",
  percent: "must be a number from 0 to 100",
  ratio: "must be a number of 0 or more",
  pass: "must be 1 (passed) or 0 (failed)",
};

/** The same rules in JSON Schema, for the API's description. */
export const UNIT_BOUNDS = {
  count: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  percent: { minimum: 0, maximum: 100 },
  ratio: { minimum: 0 },
  pass: { type: "integer", enum: [0, 1], description: "1 passed, 0 failed." },
} as const satisfies Readonly<Record<UnitClass, object>>;

/** Whether a value is a number the contract accepts for a unit class. */
export function holdsUnit(unit: UnitClass, value: unknown): value is number {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  switch (unit) {
    case "count":
      return Number.isSafeInteger(value) && value >= 0;
    case "percent":
      return value >= 0 && value <= 100;
    case "ratio":
      return value >= 0;
    case "pass":
      return value === 0 || value === 1;
  }
}

/** The stored measures that the contract accepts; anything else is unmeasured (spec, Presentation). */
export function acceptedMeasures(stored: Readonly<Record<string, unknown>>): Measures {
  const accepted: Partial<Record<MeasureKey, number>> = {};
  for (const key of MEASURE_KEYS) {
    const value = stored[key];
    if (holdsUnit(MEASURE_UNITS[key], value)) accepted[key] = value;
  }
  return accepted;
}

/** The keys without a value, in the order of the specification. */
export function unmeasuredKeys(measures: Measures): MeasureKey[] {
  return MEASURE_KEYS.filter((key) => measures[key] === undefined);
}
