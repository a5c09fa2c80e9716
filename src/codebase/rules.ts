/** The five codebase rules (spec, Codebase rules): pure checks on the latest report and its comparison report. */
import type { RuleInputs, Verdict } from "../flags/contract.ts";
import { percentText } from "../lib/percent.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import {
  asRead,
  CODEBASE_RULES,
  type CodebaseRuleId,
  type CodebaseThresholds,
  RULES,
  THRESHOLDS,
} from "../rules/mod.ts";
import { MEASURE_KEYS, type MeasureKey, type MeasureNotes, type Measures } from "./measures.ts";
import { noteOf } from "./reading.ts";
import { changedTools, changesOf, TOOLS_UPDATED, type Tools } from "./tools.ts";

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
export function judgeCodebase(
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
  const changes = changedTools(comparison?.tools, latest.tools);
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
