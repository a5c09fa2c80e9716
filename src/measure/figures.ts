/** The measures of one run with the reasons of the absent ones, as they are found. */
import { MEASURE_KEYS, type MeasureKey } from "../codebase/contract.ts";

/** A measure is in `measures` or has a reason in `unmeasured`, never both, never 0 for absent. */
export interface Figures {
  readonly measures: Partial<Record<MeasureKey, number>>;
  readonly unmeasured: Partial<Record<MeasureKey, string>>;
}

/** Records values; an `undefined` one is left for `explain`. */
export function record(figures: Figures, values: Partial<Record<MeasureKey, number | undefined>>): void {
  for (const key of MEASURE_KEYS) {
    const value = values[key];
    if (value !== undefined) figures.measures[key] = value;
  }
}

/** Gives the reason of keys that have no value. */
export function explain(figures: Figures, keys: readonly MeasureKey[], reason: string): void {
  for (const key of keys) {
    if (figures.measures[key] === undefined) figures.unmeasured[key] ??= reason;
  }
}

/** Keys that come from the files of the tree. */
export const LINE_KEYS = [
  "code_lines",
  "comment_lines",
  "files",
  "languages",
  "test_lines",
  "test_ratio",
] as const satisfies readonly MeasureKey[];
export const DUPLICATION_KEYS = [
  "duplication_percent",
  "duplicated_lines",
  "duplicate_blocks",
] as const satisfies readonly MeasureKey[];
export const UNUSED_KEYS = ["unused_files", "unused_exports"] as const satisfies readonly MeasureKey[];
export const COMPLEXITY_KEYS = [
  "complex_functions",
  "functions",
  "max_function_complexity",
  "mean_function_complexity",
] as const satisfies readonly MeasureKey[];
export const HISTORY_KEYS = [
  "commits_30d",
  "files_touched_30d",
  "large_commits_30d",
] as const satisfies readonly MeasureKey[];
export const PASSED_IN_KEYS = [
  "build_passed",
  "tests_passed",
  "vulnerable_dependencies",
] as const satisfies readonly MeasureKey[];
