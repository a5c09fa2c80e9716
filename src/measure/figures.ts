/** The measures of one run with the reasons of the absent ones and what must be said beside the others, as they are found. */

import { MEASURE_KEYS, type MeasureKey } from "../reports/measures.ts";

/** A measure is in `measures` or has a reason in `unmeasured`, never both, never 0 for absent. */
export interface Figures {
  readonly measures: Partial<Record<MeasureKey, number>>;
  readonly unmeasured: Partial<Record<MeasureKey, string>>;
  /** What is to be said beside a measure; only those of measures that have a value reach the report. */
  readonly notes: Partial<Record<MeasureKey, string>>;
}

/** Longest note in code points: notes of every measure leave the report most of its room for findings. */
const NOTE_LENGTH = 500;

/** Before anything is measured. */
export function noFigures(): Figures {
  return { measures: {}, unmeasured: {}, notes: {} };
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

/** Says something beside the keys' values, such as what they leave out. A second text for a key follows the first. */
export function note(figures: Figures, keys: readonly MeasureKey[], text: string): void {
  for (const key of keys) {
    const said = figures.notes[key];
    if (said === text) continue;
    figures.notes[key] = shortened(said === undefined ? text : `${said}; ${text}`);
  }
}

function shortened(text: string): string {
  const letters = text.length > NOTE_LENGTH ? [...text] : [];
  return letters.length > NOTE_LENGTH ? `${letters.slice(0, NOTE_LENGTH - 1).join("")}…` : text;
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

/** Why nothing was measured: the checkout itself, or a `--path` that is not in it; with what to do about it. It ends the run. */
export class NotMeasurableError extends Error {
  readonly hint: string | undefined;
  readonly fault: "checkout" | "path";

  constructor(reason: string, hint?: string, fault: "checkout" | "path" = "checkout") {
    super(reason);
    this.name = "NotMeasurableError";
    this.hint = hint;
    this.fault = fault;
  }
}

/** The refusal of a checkout whose blobs were never fetched. */
export function partialClone(): NotMeasurableError {
  return new NotMeasurableError(
    "Objects of the commit are missing: the checkout is a partial clone.",
    "Fetch the full repository (git clone without --filter).",
  );
}
