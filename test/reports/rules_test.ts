import { expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../src/base/time.ts";
import { evaluateCodebase, type RuleReport } from "../../src/reports/codebase_rules.ts";
import type { Measures } from "../../src/reports/measures.ts";
import type { CodebaseRuleId } from "../../src/sites/rule_catalogue.ts";
import type { CodebaseThresholds } from "../../src/sites/thresholds.ts";
import { recordEach } from "../support/mixtures.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";

const LATEST = { date: "2026-03-31" as UtcDay, revision: 2 };
const BEFORE = { date: "2026-03-01" as UtcDay, revision: 1 };

function judge(
  rule: CodebaseRuleId,
  now: Measures,
  before?: Measures,
  changed: Partial<CodebaseThresholds> = {},
) {
  const comparison: RuleReport | undefined =
    before === undefined ? undefined : { ...BEFORE, measures: before };
  const judged = evaluateCodebase({ ...LATEST, measures: now }, comparison, {
    ...DEFAULT_CODEBASE_THRESHOLDS,
    ...changed,
  });
  const verdict = judged.find((one) => one.rule === rule)?.verdict;
  if (verdict === undefined) throw new TypeError(`${rule} was not judged`);
  return verdict;
}

/** The verdict of a rule on two reports with more in them than measures. */
function verdictBetween(
  rule: CodebaseRuleId,
  now: Omit<RuleReport, "date" | "revision">,
  before: Omit<RuleReport, "date" | "revision">,
) {
  const judged = evaluateCodebase(
    { ...LATEST, ...now },
    { ...BEFORE, ...before },
    DEFAULT_CODEBASE_THRESHOLDS,
  );
  const verdict = judged.find((one) => one.rule === rule)?.verdict;
  if (verdict === undefined) throw new TypeError(`${rule} was not judged`);
  return verdict;
}

test("a codebase grows by at least 25 percent and at least 500 lines, neither a line less; recorded", () => {
  const grown = [
    ...[
      [10_000, 12_499],
      [10_000, 12_500],
      [10_000, 12_501],
      [100, 599],
      [100, 600],
      [2_000, 2_499],
    ],
    [2_000, 2_500],
  ];
  recordEach(grown, ([from = 0, to = 0]) =>
    judge("codebase-growth", { code_lines: to }, { code_lines: from }),
  );
});

test("growth is worked out in whole numbers (property)", () => {
  const lines = fc.integer({ min: 1, max: 10_000_000 });
  fc.assert(
    fc.property(lines, lines, (from, to) => {
      const fires = BigInt(to - from) * 100n >= 25n * BigInt(from) && to - from >= 500;
      const { state } = judge("codebase-growth", { code_lines: to }, { code_lines: from });
      expect(state).toBe(fires ? "fires" : "clear");
    }),
    { numRuns: 1_000 },
  );
});

test("duplication fires from 8 percent on, unused files and packages from 10 on, without exports; recorded", () => {
  recordEach([7.999999, 8, 8.000001, 0, 100], (duplication_percent) =>
    judge("codebase-duplication", { duplication_percent }),
  );
  const unused: readonly Measures[] = [
    ...[4, 5, 6].map((unused_dependencies) => ({ unused_files: 5, unused_dependencies })),
    ...[{ unused_files: 9, unused_exports: 500, unused_dependencies: 0 }, { unused_exports: 500 }],
  ];
  recordEach(unused, (measures) => judge("codebase-unused", measures));
});

test("complex functions fire from 5 more on, vulnerable packages from 1 on, whatever lower threshold is set; recorded", () => {
  const complex = [
    [14, 10],
    [15, 10],
    [16, 10],
    [5, 0],
    [3, 10],
  ];
  recordEach(complex, ([now = 0, before = 0]) =>
    judge("codebase-complexity", { complex_functions: now }, { complex_functions: before }),
  );
  const vulnerable = [
    [0, 1],
    [1, 1],
    [2, 1],
    [0, 0],
    [1, 0],
    [1, -3],
    [0, 0.5],
    [1, 0.5],
    [3, 0],
    [2, 3],
  ];
  recordEach(vulnerable, ([count = 0, threshold = 0]) =>
    judge("codebase-vulnerabilities", { vulnerable_dependencies: count }, undefined, {
      vulnerable: threshold,
    }),
  );
});

test("a count that left files out then does not run: functions that were not seen are not told as new ones", () => {
  const before = {
    measures: { complex_functions: 10 },
    notes: { complex_functions: "1 file not parsed: a.ts" },
  };
  for (const notes of [undefined, {}]) {
    const now = { measures: { complex_functions: 40 }, ...(notes && { notes }) };
    expect(verdictBetween("codebase-complexity", now, before).state).toBe("not_run");
  }
});

test("between two versions of a tool the rule fires as specified, and its inputs say which tool was updated", () => {
  const of = (code_lines: number, counter: string) => ({
    measures: { code_lines },
    tools: { line_counter: `codelines ${counter}`, duplication: counter },
  });
  expect(verdictBetween("codebase-growth", of(2_000, "1.1.0"), of(1_000, "1.0.0"))).toMatchObject({
    message: "The code grew 100% in 30 days (1000 -> 2000 lines).",
    inputs: { tools_updated: { line_counter: "codelines 1.0.0 -> codelines 1.1.0" } },
  });
});
