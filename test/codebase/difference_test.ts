import { describe, expect, test } from "bun:test";
import type { CodebaseReport } from "../../src/codebase/contract.ts";
import { findingsDifference } from "../../src/codebase/difference.ts";
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
    expect(difference.duplicates).toEqual({ fresh: [], gone: [], cut: false });
    expect(difference.complexFunctions).toEqual({ fresh: [], gone: [], cut: false });
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

  test("says when a list is full, since an item may lie beyond its end", () => {
    const full = Array.from({ length: 20 }, (_, index) => found(`f${index}`));
    const difference = findingsDifference(
      withFindings({ complexFunctions: full }),
      withFindings({ complexFunctions: [found("g")] }),
    );
    expect(difference.complexFunctions?.cut).toBe(true);
  });
});
