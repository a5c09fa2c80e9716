import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../src/base/time.ts";
import { evaluateCodebase, type RuleReport, type Tools } from "../../src/reports/codebase_rules.ts";
import type { MeasureNotes, Measures } from "../../src/reports/measures.ts";
import type { CodebaseRuleId } from "../../src/sites/rule_catalogue.ts";
import type { CodebaseThresholds } from "../../src/sites/thresholds.ts";
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

const stateOf = (...args: Parameters<typeof judge>) => judge(...args).state;

describe("codebase-growth (at least 25 percent and at least 500 lines)", () => {
  const grown = (from: number, to: number) =>
    stateOf("codebase-growth", { code_lines: to }, { code_lines: from });

  test("fires at exactly 25 percent and not one line below", () => {
    expect(grown(10_000, 12_499)).toBe("clear");
    expect(grown(10_000, 12_500)).toBe("fires");
    expect(grown(10_000, 12_501)).toBe("fires");
  });

  test("fires at exactly 500 lines and not at 499, however high the percentage", () => {
    expect(grown(100, 599)).toBe("clear");
    expect(grown(100, 600)).toBe("fires");
    expect(grown(2_000, 2_499)).toBe("clear");
    expect(grown(2_000, 2_500)).toBe("fires");
  });

  test("fires exactly when both thresholds are met, in whole-number arithmetic (property)", () => {
    const lines = fc.integer({ min: 1, max: 10_000_000 });
    fc.assert(
      fc.property(lines, lines, (from, to) => {
        const fires = BigInt(to - from) * 100n >= 25n * BigInt(from) && to - from >= 500;
        expect(grown(from, to)).toBe(fires ? "fires" : "clear");
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("codebase-duplication (at least 8 percent)", () => {
  const at = (percent: number) => stateOf("codebase-duplication", { duplication_percent: percent });

  test("fires at 8 percent and above, not just below", () => {
    expect(at(7.999999)).toBe("clear");
    expect(at(8)).toBe("fires");
    expect(at(8.000001)).toBe("fires");
    expect(at(0)).toBe("clear");
    expect(at(100)).toBe("fires");
  });
});

describe("codebase-unused (unused files plus unused packages at least 10)", () => {
  const at = (measures: Measures) => judge("codebase-unused", measures);

  test("adds files and packages: 9 are clear, 10 and 11 fire", () => {
    expect(at({ unused_files: 5, unused_dependencies: 4 }).state).toBe("clear");
    expect(at({ unused_files: 5, unused_dependencies: 5 }).state).toBe("fires");
    expect(at({ unused_files: 5, unused_dependencies: 6 }).state).toBe("fires");
  });

  test("does not count unused exports", () => {
    expect(at({ unused_files: 9, unused_exports: 500, unused_dependencies: 0 }).state).toBe("clear");
    expect(at({ unused_exports: 500 }).state).toBe("not_run");
  });
});

describe("codebase-complexity (at least 5 above the comparison report)", () => {
  const at = (now: number, before: number) =>
    stateOf("codebase-complexity", { complex_functions: now }, { complex_functions: before });

  test("fires at 5 more, not at 4", () => {
    expect(at(14, 10)).toBe("clear");
    expect(at(15, 10)).toBe("fires");
    expect(at(16, 10)).toBe("fires");
    expect(at(5, 0)).toBe("fires");
    expect(at(3, 10)).toBe("clear");
  });
});

describe("a count that leaves files out (spec, Codebase alert: a rule whose input is absent does not run)", () => {
  const NOTE = "1 file not parsed: src/huge.ts";
  const note = (text: string) => ({ complex_functions: text });
  const between = (now: number, before: number, notes: readonly (MeasureNotes | undefined)[]) =>
    verdictBetween(
      "codebase-complexity",
      { measures: { complex_functions: now }, ...(notes[0] === undefined ? {} : { notes: notes[0] }) },
      { measures: { complex_functions: before }, ...(notes[1] === undefined ? {} : { notes: notes[1] }) },
    ).state;

  test("functions that were only not seen then are not told as new ones", () => {
    expect(between(40, 10, [undefined, note(NOTE)])).toBe("not_run");
    expect(between(40, 10, [{}, note(NOTE)])).toBe("not_run");
  });
});

describe("numbers of two versions of a tool", () => {
  const grown = (tools: Tools | undefined, before: Tools | undefined) =>
    verdictBetween(
      "codebase-growth",
      { measures: { code_lines: 2_000 }, tools },
      { measures: { code_lines: 1_000 }, tools: before },
    );

  test("the rule fires as specified, and its inputs say which tool was updated", () => {
    expect(
      grown(
        { line_counter: "codelines 1.1.0", duplication: "2" },
        { line_counter: "codelines 1.0.0", duplication: "1" },
      ),
    ).toMatchObject({
      message: "The code grew 100% in 30 days (1000 -> 2000 lines).",
      inputs: { tools_updated: { line_counter: "codelines 1.0.0 -> codelines 1.1.0" } },
    });
  });
});

describe("codebase-vulnerabilities (at least 1)", () => {
  const at = (count: number, vulnerable = 1) =>
    stateOf("codebase-vulnerabilities", { vulnerable_dependencies: count }, undefined, { vulnerable });

  test("fires at 1, not at 0", () => {
    expect(at(0)).toBe("clear");
    expect(at(1)).toBe("fires");
    expect(at(2)).toBe("fires");
  });

  test("a threshold below 1 is read as 1 (spec, Codebase rules 1)", () => {
    for (const threshold of [0, -3, 0.5]) {
      expect(at(0, threshold)).toBe("clear");
      expect(at(1, threshold)).toBe("fires");
    }
    expect(
      judge("codebase-vulnerabilities", { vulnerable_dependencies: 3 }, undefined, { vulnerable: 0 }),
    ).toMatchObject({
      severity: "info",
      kind: "opportunity",
      message: "3 packages have a known vulnerability.",
      inputs: { vulnerable_dependencies: 3, thresholds: { vulnerable: 1 } },
    });
    expect(at(2, 3)).toBe("clear");
  });
});
