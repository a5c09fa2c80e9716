import { describe, expect, test } from "bun:test";
import { findingsDifference } from "../../src/reports/codebase_difference.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

const block = (...paths: string[]) => ({
  lines: 9,
  files: paths.map((path, index) => ({ path, startLine: index + 1 })),
});
const found = (name: string, complexity = 20) => ({ path: "a.ts", name, line: 1, complexity, length: 9 });
const withFindings = (findings: CodebaseReport["findings"]) => sentReport({ findings: findings ?? {} });

describe("findings against the comparison report", () => {
  test("an item listed in both is neither new nor gone, whatever its lines and the order of its files", () => {
    const now = withFindings({ duplicates: [block("a", "b")], complexFunctions: [found("f", 40)] });
    const then = withFindings({
      duplicates: [{ ...block("b", "a"), lines: 30 }],
      complexFunctions: [found("f", 20)],
    });
    const difference = findingsDifference(now, then);
    expect(difference.duplicates).toEqual({ fresh: [], gone: [], cut: false, tools: "same" });
    expect(difference.complexFunctions).toEqual({ fresh: [], gone: [], cut: false, tools: "same" });
  });

  test("two blocks between the same files are two", () => {
    const now = withFindings({ duplicates: [block("a", "b"), block("a", "b")] });
    const then = withFindings({ duplicates: [block("a", "b")] });
    expect(findingsDifference(now, then).duplicates?.fresh.length).toBe(1);
    expect(findingsDifference(then, now).duplicates?.gone.length).toBe(1);
  });

  test("a list that one of the reports left out is not compared", () => {
    expect(findingsDifference(withFindings({}), withFindings({ duplicates: [] })).duplicates).toBeNull();
    expect(findingsDifference(sentReport(), sentReport()).complexFunctions).toBeNull();
  });

  test("an unused export is the same by kind, path and name, wherever it lies in its file", () => {
    const one = (path: string, name: string, line: number) => ({ kind: "export", path, name, line });
    const difference = findingsDifference(
      withFindings({ unused: [one("a.ts", "f", 9), one("b.ts", "f", 1), { kind: "file", path: "a.ts" }] }),
      withFindings({ unused: [one("a.ts", "f", 2), one("a.ts", "g", 3)] }),
    );
    expect(difference.unused?.fresh).toEqual([one("b.ts", "f", 1), { kind: "file", path: "a.ts" }]);
    expect(difference.unused?.gone).toEqual([one("a.ts", "g", 3)]);
  });

  test("against a report that names only the files of unused exports, files are compared", () => {
    const named = Array.from({ length: 50 }, (_, line) => ({
      kind: "export",
      path: line === 0 ? "new.ts" : "a.ts",
      name: `f${line}`,
      line: line + 1,
    }));
    const difference = findingsDifference(
      withFindings({ unused: named }),
      withFindings({
        unused: [
          { kind: "export", path: "a.ts" },
          { kind: "export", path: "gone.ts" },
        ],
      }),
    );
    expect(difference.unused).toEqual({
      fresh: [{ kind: "export", path: "new.ts" }],
      gone: [{ kind: "export", path: "gone.ts" }],
      cut: true,
      byFile: true,
      tools: "same",
    });
  });

  test("says whether one version of a tool made both lists", () => {
    const made = (tools: CodebaseReport["tools"]) =>
      sentReport({ ...(tools === undefined ? {} : { tools }), findings: { unused: [], duplicates: [] } });
    const before = made({ duplication: "1" });
    expect(findingsDifference(made({ duplication: "1", unused: "1" }), before)).toMatchObject({
      duplicates: { tools: "same" },
      unused: { tools: "unknown" },
    });
    expect(findingsDifference(made({ duplication: "2" }), before)).toMatchObject({
      duplicates: { tools: "updated" },
      unused: { tools: "same" },
    });
    expect(findingsDifference(made(undefined), before).duplicates?.tools).toBe("unknown");
  });

  test("says when a list is full, since an item may lie beyond its end", () => {
    const full = Array.from({ length: 20 }, (_, index) => found(`f${index}`));
    const difference = findingsDifference(
      withFindings({ complexFunctions: full }),
      withFindings({ complexFunctions: [found("g")] }),
    );
    expect(difference.complexFunctions?.cut).toBe(true);
  });
});
