/** The five codebase rules (spec, Codebase rules): pure checks on the latest report and its comparison report. */
import type { RuleInputs, Verdict } from "../flags/contract.ts";
import { percentText } from "../lib/percent.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { Measures } from "./measures.ts";
import type { CodebaseThresholds } from "./thresholds.ts";

/** What a rule may read of one report. */
export interface RuleReport {
  readonly date: UtcDay;
  readonly revision: number;
  readonly measures: Measures;
}

export type CodebaseRuleId =
  | "codebase-growth"
  | "codebase-duplication"
  | "codebase-unused"
  | "codebase-complexity"
  | "codebase-vulnerabilities";

interface Input {
  readonly latest: RuleReport;
  readonly comparison: RuleReport | undefined;
  readonly thresholds: CodebaseThresholds;
}

const NOT_RUN: Verdict = { state: "not_run" };
const CLEAR: Verdict = { state: "clear" };

/** Judges all five rules, in the order of the specification. */
export function judgeCodebase(
  latest: RuleReport,
  comparison: RuleReport | undefined,
  thresholds: CodebaseThresholds,
): { readonly rule: CodebaseRuleId; readonly verdict: Verdict }[] {
  const input: Input = { latest, comparison, thresholds };
  return [
    { rule: "codebase-growth", verdict: growth(input) },
    { rule: "codebase-duplication", verdict: duplication(input) },
    { rule: "codebase-unused", verdict: unused(input) },
    { rule: "codebase-complexity", verdict: complexity(input) },
    { rule: "codebase-vulnerabilities", verdict: vulnerabilities(input) },
  ];
}

/** Fires when code_lines grew at least the percentage and at least the lines. Growth from 0 lines does not run. */
function growth(input: Input): Verdict {
  const { latest, comparison, thresholds } = input;
  const now = latest.measures.code_lines;
  const before = comparison?.measures.code_lines;
  if (now === undefined || before === undefined || before === 0) return NOT_RUN;
  const lines = now - before;
  // Multiplied out, so that exactly 25 percent is 25 percent and not 24.999….
  if (lines < thresholds.growth_lines || lines * 100 < thresholds.growth_percent * before) return CLEAR;
  const percent = (lines * 100) / before;
  return {
    state: "fires",
    severity: "warn",
    kind: "anomaly",
    message: `The code grew ${percentText(percent)}% in 30 days (${before} -> ${now} lines).`,
    inputs: inputs(input, {
      code_lines: now,
      code_lines_before: before,
      grown_lines: lines,
      grown_percent: percent,
      thresholds: { growth_percent: thresholds.growth_percent, growth_lines: thresholds.growth_lines },
    }),
  };
}

function duplication(input: Input): Verdict {
  const percent = input.latest.measures.duplication_percent;
  if (percent === undefined) return NOT_RUN;
  const { duplication_percent } = input.thresholds;
  if (percent < duplication_percent) return CLEAR;
  return {
    state: "fires",
    severity: "warn",
    kind: "opportunity",
    message: `${percentText(percent)}% of the code is repeated.`,
    inputs: inputs(input, { duplication_percent: percent, thresholds: { duplication_percent } }),
  };
}

/** Adds unused files and packages, whichever are measured; unused exports are not counted. */
function unused(input: Input): Verdict {
  const { unused_files: files, unused_dependencies: packages } = input.latest.measures;
  if (files === undefined && packages === undefined) return NOT_RUN;
  const { unused_items } = input.thresholds;
  if ((files ?? 0) + (packages ?? 0) < unused_items) return CLEAR;
  return {
    state: "fires",
    severity: "info",
    kind: "opportunity",
    message: unusedMessage(files, packages),
    inputs: inputs(input, {
      unused_files: files ?? null,
      unused_dependencies: packages ?? null,
      thresholds: { unused_items },
    }),
  };
}

function unusedMessage(files: number | undefined, packages: number | undefined): string {
  if (packages === undefined) return `${files} files are not used. Packages: Not measured.`;
  if (files === undefined) return `${packages} packages are not used. Files: Not measured.`;
  return `${files} files and ${packages} packages are not used.`;
}

function complexity(input: Input): Verdict {
  const now = input.latest.measures.complex_functions;
  const before = input.comparison?.measures.complex_functions;
  if (now === undefined || before === undefined) return NOT_RUN;
  const { complex_functions } = input.thresholds;
  const more = now - before;
  if (more < complex_functions) return CLEAR;
  return {
    state: "fires",
    severity: "info",
    kind: "opportunity",
    message: `${more} more functions became hard to change in 30 days.`,
    inputs: inputs(input, {
      complex_functions: now,
      complex_functions_before: before,
      more_functions: more,
      thresholds: { complex_functions },
    }),
  };
}

/** A threshold below 1 is read as 1: a site without a vulnerable package never has an alert about one. */
function vulnerabilities(input: Input): Verdict {
  const packages = input.latest.measures.vulnerable_dependencies;
  if (packages === undefined) return NOT_RUN;
  const vulnerable = Math.max(1, input.thresholds.vulnerable);
  if (packages < vulnerable) return CLEAR;
  return {
    state: "fires",
    severity: "info",
    kind: "opportunity",
    message: `${packages} packages have a known vulnerability.`,
    inputs: inputs(input, { vulnerable_dependencies: packages, thresholds: { vulnerable } }),
  };
}

function inputs({ latest, comparison }: Input, numbers: RuleInputs): RuleInputs {
  return {
    ...numbers,
    report: { date: latest.date, revision: latest.revision },
    comparison: comparison === undefined ? null : { date: comparison.date, revision: comparison.revision },
  };
}
