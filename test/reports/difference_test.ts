import { describe, expect, test } from "bun:test";
import { newFindings } from "../../src/reports/codebase_difference.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

const block = (...paths: string[]) => ({
  lines: 9,
  files: paths.map((path, index) => ({ path, startLine: index + 1 })),
});
const found = (name: string, complexity = 20) => ({ path: "a.ts", name, line: 1, complexity, length: 9 });
const withFindings = (findings: CodebaseReport["findings"]) => sentReport({ findings: findings ?? {} });

describe("findings against the comparison report", () => {
  test("an item listed in both is not new, whatever its lines and the order of its files", () => {
    const now = withFindings({ duplicates: [block("a", "b")], complexFunctions: [found("f", 40)] });
    const then = withFindings({
      duplicates: [{ ...block("b", "a"), lines: 30 }],
      complexFunctions: [found("f", 20)],
    });
    expect(newFindings(now, then)).toEqual({ duplicates: [], complexFunctions: [], unused: null });
  });

  test("two blocks between the same files are two", () => {
    const now = withFindings({ duplicates: [block("a", "b"), block("a", "b")] });
    const then = withFindings({ duplicates: [block("a", "b")] });
    expect(newFindings(now, then).duplicates).toHaveLength(1);
    expect(newFindings(then, now).duplicates).toEqual([]);
  });

  test("a list that one of the reports left out is not compared", () => {
    expect(newFindings(withFindings({}), withFindings({ duplicates: [] })).duplicates).toBeNull();
    expect(newFindings(sentReport(), sentReport()).complexFunctions).toBeNull();
  });

  test("an unused export is the same by kind, path and name, wherever it lies in its file", () => {
    const one = (path: string, name: string, line: number) => ({ kind: "export", path, name, line });
    const { unused } = newFindings(
      withFindings({ unused: [one("a.ts", "f", 9), one("b.ts", "f", 1), { kind: "file", path: "a.ts" }] }),
      withFindings({ unused: [one("a.ts", "f", 2), one("a.ts", "g", 3)] }),
    );
    expect(unused).toEqual([one("b.ts", "f", 1), { kind: "file", path: "a.ts" }]);
  });

  test("lists that not one version of a tool made are not compared", () => {
    const made = (tools: CodebaseReport["tools"]) =>
      sentReport({ ...(tools === undefined ? {} : { tools }), findings: { unused: [], duplicates: [] } });
    const before = made({ duplication: "1" });
    const none = { complexFunctions: null };
    const named = newFindings(made({ duplication: "1", unused: "1" }), before);
    expect(named).toEqual({ ...none, duplicates: [], unused: null });
    expect(newFindings(made({ duplication: "2" }), before)).toEqual({
      ...none,
      duplicates: null,
      unused: [],
    });
    expect(newFindings(made(undefined), before).duplicates).toBeNull();
  });
});
