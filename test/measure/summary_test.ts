/** The words on the terminal: figures with their units, reasons, the worst findings, and no power of names over the terminal. */

import { describe, expect, test } from "bun:test";
import { type Account, summaryLines } from "../../src/measure/summary.ts";
import { type CodebaseReport, MEASURE_KEYS } from "../../src/reports/measures.ts";
import { measureFiles } from "./run.ts";

const ACCOUNT: Account = {
  leftOut: new Map([["vendored", 1200]]),
  dropped: { unused: 2 },
  seconds: 1.25,
  unused: [
    { kind: "file", path: "old.ts" },
    ...[1, 2, 3, 4].map((line) => ({
      kind: "export",
      path: "c.ts",
      name: `spare${line}`,
      line,
    })),
    { kind: "type", path: "d.ts", name: "Spare", line: 7 },
  ],
  hotspots: [{ path: "a.ts", changes: 1, complexity: 1200 }],
};

const REPORT: CodebaseReport = {
  asset: "harbor",
  generatedAt: "2026-03-31T12:00:00.000Z",
  repository: { commit: "a".repeat(40), ref: "main", committedAt: "2026-03-30T00:00:00+00:00" },
  paths: ["."],
  measures: { code_lines: 12_345, files: 1, test_ratio: 0.0556, duplication_percent: 4.06, build_passed: 0 },
  notes: { files: "of 12 covered files" },
  unmeasured: {
    functions: "No tool.",
    complex_functions: "No tool.",
    commits_30d: "The checkout is shallow.",
  },
  findings: {
    complexFunctions: [1, 2, 3, 4].map((line) => ({
      path: "a.ts",
      line,
      name: `f${line}`,
      complexity: 20,
      length: 9,
    })),
    duplicates: [{ lines: 9, files: [1, 20, 40].map((startLine) => ({ path: "src/b.ts", startLine })) }],
    unused: [
      { kind: "file", path: "old.ts" },
      { kind: "export", path: "c.ts", name: "spare", line: 4 },
    ],
  },
  dismissed: [
    { kind: "path", path: "legacy/**", reason: "Goes next year", count: 3 },
    { kind: "unused-file", path: "gone.ts", reason: "Loaded by name", count: 0 },
  ],
};

function said(change: Partial<CodebaseReport> = {}, account: Account = ACCOUNT): string {
  return summaryLines({ ...REPORT, ...change }, account).join("\n");
}

describe("the summary", () => {
  test("tells figures with their units and notes, reasons, worst findings, what was left out and dismissed; recorded", () => {
    expect(said()).toMatchSnapshot();
    // All unused code is listed when asked for, also what the report does not hold.
    expect(summaryLines(REPORT, ACCOUNT, true).join("\n")).toMatchSnapshot();
  });

  test("does not say of a part that an entry for another part can go", () => {
    expect(said({ paths: ["src"] })).toContain("unused-file gone.ts: 0 (Loaded by name)");
    expect(said({ paths: ["src"] })).toContain("\nOnly src\n");
  });

  test("knows a word for every measure", () => {
    const all = said({ measures: Object.fromEntries(MEASURE_KEYS.map((key) => [key, 1])) });
    expect(all).not.toContain("Not measured");
    const figures = all
      .split("\n\n")[1]
      ?.split("\n")
      .filter((line) => !line.startsWith("      "));
    expect(figures).toHaveLength(MEASURE_KEYS.length);
  });

  test("stays within 80 columns but for a name that is longer itself", () => {
    const path = "deep/".repeat(20);
    const text = said({
      unmeasured: { functions: "word ".repeat(60).trim() },
      findings: { unused: [{ kind: "file", path: `${path}漢字.ts` }] },
    });
    const wide = text.split("\n").filter((line) => Bun.stringWidth(line) > 80);
    expect(wide).toEqual([`  ${path}漢字.ts`]);
  });

  test("names of the repository do nothing to a terminal", () => {
    const EVIL = "\u001b[2J\u0007\r\n\u202e\u200b\u0085\u2028\ud800x";
    const named = (name: string) => {
      const item = { path: name, line: 1, startLine: 1, name, complexity: 20, length: 9 };
      return said({
        repository: { commit: "a".repeat(40), ref: name, remote: name },
        paths: [name],
        notes: { files: name },
        unmeasured: { functions: name },
        findings: {
          complexFunctions: [item],
          duplicates: [{ lines: 9, files: [item, item] }],
          unused: [
            { kind: "file", path: name },
            { kind: "export", path: name, name, line: 1 },
          ],
        },
        dismissed: [{ kind: "unused-export", path: name, name, reason: name, count: 1 }],
      });
    };
    const text = named(EVIL);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e]/);
    expect(text.isWellFormed()).toBe(true);
    expect(text.split("\n")).toHaveLength(named("x").split("\n").length);
  });

  test("holds the account of a real run", async () => {
    const { report, account } = await measureFiles({ "a.py": "x = 1\n", "vendor/b.py": "y = 1\n" });
    expect(summaryLines(report, account).join("\n")).toContain("Files left out\n  vendored: 1\n");
  });
});
