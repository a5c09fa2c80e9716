/** A figure as a reader meets it: a value, or the reason there is none. Never 0 for what was not measured. */
import type { CodebaseReport } from "./contract.ts";
import type { MeasureKey, MeasureNotes, Measures } from "./measures.ts";

export type MeasureReading =
  | {
      readonly measured: true;
      readonly value: number;
      /** What must be said beside it. */
      readonly note?: string;
    }
  | { readonly measured: false; readonly reason: string };

const NOT_PASSED_IN = "The sender's workflow did not pass this figure in.";
const SHALLOW = "The report carries no figure. A shallow checkout has no history to count.";
const COVERED =
  "The report carries no figure. Unused code is measured for JavaScript, TypeScript and Python.";
const ABSENT = "The report carries no figure.";

/** What to say when the report itself gives no reason. */
const DEFAULT_REASONS: { readonly [K in MeasureKey]?: string } = {
  build_passed: NOT_PASSED_IN,
  tests_passed: NOT_PASSED_IN,
  vulnerable_dependencies: NOT_PASSED_IN,
  unused_files: COVERED,
  unused_exports: COVERED,
  unused_dependencies: "No tool measures unused packages yet.",
  commits_30d: SHALLOW,
  files_touched_30d: SHALLOW,
  large_commits_30d: SHALLOW,
};

/** Why a measure has no value: the report's own words, else a reviewed sentence. */
export function reasonFor(key: MeasureKey, body: CodebaseReport | undefined): string {
  const told = body?.unmeasured?.[key]?.trim();
  return told === undefined || told === "" ? (DEFAULT_REASONS[key] ?? ABSENT) : told;
}

/** What a report says beside a measure; a blank text says nothing. */
export function noteOf(notes: MeasureNotes | undefined, key: MeasureKey): string | undefined {
  const note = notes?.[key]?.trim();
  return note === "" ? undefined : note;
}

/** Reads one measure of a report. */
export function readMeasure(
  measures: Measures,
  key: MeasureKey,
  body: CodebaseReport | undefined,
): MeasureReading {
  const value = measures[key];
  if (value === undefined) return { measured: false, reason: reasonFor(key, body) };
  const note = noteOf(body?.notes, key);
  return { measured: true, value, ...(note === undefined ? {} : { note }) };
}

/** The sum of those of the measures that have a value; with none, their reasons, each told once. */
export function readSum(
  measures: Measures,
  keys: readonly MeasureKey[],
  body: CodebaseReport | undefined,
): MeasureReading {
  const readings = keys.map((key) => readMeasure(measures, key, body));
  let sum = 0;
  let measured = false;
  const reasons = new Set<string>();
  for (const reading of readings) {
    if (reading.measured) {
      sum += reading.value;
      measured = true;
    } else {
      reasons.add(reading.reason);
    }
  }
  return measured ? { measured: true, value: sum } : { measured: false, reason: [...reasons].join(" ") };
}
