/** The five codebase rules (spec, Codebase rules): pure checks on the latest report and its comparison report. */

import { entryOf } from "../base/contract.ts";
import { percentText } from "../base/text.ts";
import type { UtcDay } from "../base/time.ts";
import type { RuleInputs } from "../flags/flags.ts";
import type { Verdict } from "../flags/reconcile.ts";
import { CODEBASE_RULES, type CodebaseRuleId, RULES } from "../sites/rule_catalogue.ts";
import { asRead, type CodebaseThresholds, THRESHOLDS } from "../sites/thresholds.ts";
import {
  type CodebaseReport,
  MEASURE_KEYS,
  type MeasureKey,
  type MeasureNotes,
  type Measures,
} from "./measures.ts";

// A figure as a reader meets it: a value, or the reason there is none. Never 0 for what was not measured.

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
function noteOf(notes: MeasureNotes | undefined, key: MeasureKey): string | undefined {
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
  const values = readings.flatMap((reading) => (reading.measured ? reading.value : []));
  if (values.length > 0) return { measured: true, value: values.reduce((sum, value) => sum + value) };
  const reasons = new Set(readings.flatMap((reading) => (reading.measured ? [] : reading.reason)));
  return { measured: false, reason: [...reasons].join(" ") };
}

// Which tool made which figure, and between which reports one was updated.

/** The versions of the tools that made a report's numbers, and the image they lie in. */
export type Tools = Readonly<Record<string, string>>;

/** The tool of each measure, by the name it has in a report; what the sender passes in has none. */
const TOOL_OF: { readonly [K in MeasureKey]?: string } = {
  code_lines: "line_counter",
  comment_lines: "line_counter",
  files: "line_counter",
  languages: "line_counter",
  test_lines: "line_counter",
  test_ratio: "line_counter",
  duplication_percent: "duplication",
  duplicated_lines: "duplication",
  duplicate_blocks: "duplication",
  unused_files: "unused",
  unused_exports: "unused",
  complex_functions: "complexity",
  functions: "complexity",
  max_function_complexity: "complexity",
  mean_function_complexity: "complexity",
  commits_30d: "history",
  files_touched_30d: "history",
  large_commits_30d: "history",
  dependencies_direct: "dependencies",
};

const KNOWN: ReadonlySet<string> = new Set(Object.values(TOOL_OF));

/** The input of a rule that names the tools updated between the two reports it compared. */
export const TOOLS_UPDATED = "tools_updated";

/** A tool that two reports both name with different versions. */
export interface ToolChange {
  readonly tool: string;
  readonly before: string;
  readonly now: string;
}

/**
 * The tools that two reports both name with different versions. One that only one of them names came or went with its figures,
 * which is no update. The image is left out: it is known only to some runs, and a rebuilt image may hold the same tools.
 */
export function changedTools(before: Tools | undefined, now: Tools | undefined): readonly ToolChange[] {
  if (before === undefined || now === undefined) return [];
  return Object.entries(now).flatMap(([tool, version]) => {
    const earlier = entryOf(before, tool);
    if (tool === "image" || earlier === undefined || earlier === version) return [];
    return [{ tool, before: earlier, now: version }];
  });
}

/** Most changes that are told of: a report may name thousands of tools, and each flag keeps what it tells. */
const MOST_TOLD = 20;

/**
 * Those of the changes that may have moved a measure: of its own tool first, then of tools whose figures are not known here, no more
 * than are told of.
 */
export function changesOf(changes: readonly ToolChange[], key: MeasureKey): readonly ToolChange[] {
  const own = changes.filter(({ tool }) => tool === TOOL_OF[key]);
  const unknown = changes.filter(({ tool }) => !KNOWN.has(tool));
  return [...own, ...unknown].slice(0, MOST_TOLD);
}

/** The version of the tool that made a measure; undefined where the report does not name it. */
export function toolVersion(tools: Tools | undefined, key: MeasureKey): string | undefined {
  const tool = TOOL_OF[key];
  return tools === undefined || tool === undefined ? undefined : entryOf(tools, tool);
}

/**
 * The days of the reports in which a tool has another version than in the report before. Where one of the two does not name it, its
 * figures were not measured there, and nothing is said of an update. `reports` are in the order of their days.
 */
export function toolChanges(
  reports: readonly { readonly date: UtcDay; readonly tools: Tools | undefined }[],
): ReadonlySet<UtcDay> {
  return new Set(
    reports.flatMap(({ date, tools }, place) =>
      changedTools(reports[place - 1]?.tools, tools).length === 0 ? [] : [date],
    ),
  );
}

/** What a rule may read of one report. */
export interface RuleReport {
  readonly date: UtcDay;
  readonly revision: number;
  readonly measures: Measures;
  readonly tools?: Tools | undefined;
  readonly notes?: MeasureNotes;
}

interface Input {
  readonly latest: RuleReport;
  readonly comparison: RuleReport | undefined;
  readonly thresholds: CodebaseThresholds;
}

/** What a check found: that it does not fire, or the words and the numbers it fires with. */
type Found = "not_run" | "clear" | { readonly message: string; readonly numbers: RuleInputs };

const CHECKS: Readonly<Record<CodebaseRuleId, (input: Input) => Found>> = {
  "codebase-growth": growth,
  "codebase-duplication": duplication,
  "codebase-unused": unused,
  "codebase-complexity": complexity,
  "codebase-vulnerabilities": vulnerabilities,
};

/** Judges all five rules, in the order of the specification. */
export function evaluateCodebase(
  latest: RuleReport,
  comparison: RuleReport | undefined,
  thresholds: CodebaseThresholds,
): { readonly rule: CodebaseRuleId; readonly verdict: Verdict }[] {
  const vulnerable = asRead(THRESHOLDS.codebase_rules.vulnerable, thresholds.vulnerable);
  const input: Input = { latest, comparison, thresholds: { ...thresholds, vulnerable } };
  return CODEBASE_RULES.map((rule) => ({ rule, verdict: verdictOf(rule, CHECKS[rule](input), input) }));
}

function verdictOf(rule: CodebaseRuleId, found: Found, { latest, comparison, thresholds }: Input): Verdict {
  if (typeof found === "string") return { state: found };
  const { raised, reads } = RULES[rule];
  return {
    state: "fires",
    ...raised,
    message: found.message,
    inputs: {
      ...found.numbers,
      ...besides(found.numbers, latest, comparison),
      thresholds: Object.fromEntries(reads.keys.map((key) => [key, thresholds[key]])),
      report: { date: latest.date, revision: latest.revision },
      comparison: comparison === undefined ? null : { date: comparison.date, revision: comparison.revision },
    },
  };
}

/** What a reader of the numbers has to know: what the reports say beside them, and which of their tools was updated in between. */
function besides(numbers: RuleInputs, latest: RuleReport, comparison: RuleReport | undefined): RuleInputs {
  const read = MEASURE_KEYS.filter((key) => typeof numbers[key] === "number");
  const compared = comparison === undefined ? [] : read.filter((key) => `${key}_before` in numbers);
  const changes = compared.length === 0 ? [] : changedTools(comparison?.tools, latest.tools);
  const updated = [...new Set(compared.flatMap((key) => changesOf(changes, key)))];
  return {
    ...unlessEmpty("notes", notesOf(read, latest.notes)),
    ...unlessEmpty("notes_before", notesOf(compared, comparison?.notes)),
    ...unlessEmpty(
      TOOLS_UPDATED,
      updated.map(({ tool, before, now }) => [tool, `${before} -> ${now}`]),
    ),
  };
}

function notesOf(
  keys: readonly MeasureKey[],
  notes: MeasureNotes | undefined,
): [key: string, note: string][] {
  return keys.flatMap((key): [string, string][] => {
    const note = noteOf(notes, key);
    return note === undefined ? [] : [[key, note]];
  });
}

function unlessEmpty(name: string, entries: readonly (readonly [string, unknown])[]): RuleInputs {
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) };
}

/** Fires when code_lines grew at least the percentage and at least the lines. Growth from 0 lines does not run. */
function growth(input: Input): Found {
  const { latest, comparison, thresholds } = input;
  const now = latest.measures.code_lines;
  const before = comparison?.measures.code_lines;
  if (now === undefined || before === undefined || before === 0) return "not_run";
  const lines = now - before;
  // Multiplied out, so that exactly 25 percent is 25 percent and not 24.999….
  if (lines < thresholds.growth_lines || lines * 100 < thresholds.growth_percent * before) return "clear";
  const percent = (lines * 100) / before;
  return {
    message: `The code grew ${percentText(percent)}% in 30 days (${before} -> ${now} lines).`,
    numbers: {
      code_lines: now,
      code_lines_before: before,
      grown_lines: lines,
      grown_percent: percent,
    },
  };
}

function duplication(input: Input): Found {
  const percent = input.latest.measures.duplication_percent;
  if (percent === undefined) return "not_run";
  const { duplication_percent } = input.thresholds;
  if (percent < duplication_percent) return "clear";
  return {
    message: `${percentText(percent)}% of the code is repeated.`,
    numbers: { duplication_percent: percent },
  };
}

/** Adds unused files and packages, whichever are measured; unused exports are not counted. */
function unused(input: Input): Found {
  const { unused_files: files, unused_dependencies: packages } = input.latest.measures;
  if (files === undefined && packages === undefined) return "not_run";
  const { unused_items } = input.thresholds;
  if ((files ?? 0) + (packages ?? 0) < unused_items) return "clear";
  return {
    message: unusedMessage(files, packages),
    numbers: {
      unused_files: files ?? null,
      unused_dependencies: packages ?? null,
    },
  };
}

function unusedMessage(files: number | undefined, packages: number | undefined): string {
  if (packages === undefined) return `${files} files are not used. Packages: Not measured.`;
  if (files === undefined) return `${packages} packages are not used. Files: Not measured.`;
  return `${files} files and ${packages} packages are not used.`;
}

/**
 * A report says beside its count which files it could not read. Two counts that do not leave out the same say nothing of each other:
 * functions that were only not seen then would be told as new ones, and those not seen now as gone.
 */
function complexity(input: Input): Found {
  const { latest, comparison } = input;
  const now = latest.measures.complex_functions;
  const before = comparison?.measures.complex_functions;
  if (now === undefined || before === undefined) return "not_run";
  if (noteOf(latest.notes, "complex_functions") !== noteOf(comparison?.notes, "complex_functions"))
    return "not_run";
  const { complex_functions } = input.thresholds;
  const more = now - before;
  if (more < complex_functions) return "clear";
  return {
    message: `${more} more functions became hard to change in 30 days.`,
    numbers: {
      complex_functions: now,
      complex_functions_before: before,
      more_functions: more,
    },
  };
}

/** The threshold is never read below 1: a site without a vulnerable package never has a flag about one. */
function vulnerabilities(input: Input): Found {
  const packages = input.latest.measures.vulnerable_dependencies;
  if (packages === undefined) return "not_run";
  if (packages < input.thresholds.vulnerable) return "clear";
  return {
    message: `${packages} packages have a known vulnerability.`,
    numbers: { vulnerable_dependencies: packages },
  };
}
