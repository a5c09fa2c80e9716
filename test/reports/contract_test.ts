import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { codebaseReport, fullCodebaseReport } from "../support/make/codebase_report.ts";

function judge(report: unknown) {
  return readContract(CodebaseReportSchema, report);
}

/** A report without one field of the path that leads to it. */
function without(path: readonly string[]): unknown {
  const copy = structuredClone(fullCodebaseReport()) as unknown as Record<string, unknown>;
  const parent = path.slice(0, -1).reduce((node, key) => node[key] as Record<string, unknown>, copy);
  delete parent[path.at(-1) ?? ""];
  return copy;
}

/** What `any_body_test.ts` records of every place of a report is not claimed here. */
describe("what a codebase report may hold (spec, Codebase report)", () => {
  for (const list of ["duplicates", "complexFunctions", "unused", "largestFiles"]) {
    test(`findings.${list} may be absent or empty, and the two stay different (spec, Measures 3)`, () => {
      const absent = judge(without(["findings", list]));
      expect(absent.ok && list in (absent.value.findings ?? {})).toBe(false);
      const empty = judge({ ...codebaseReport(), findings: { [list]: [] } });
      expect(empty).toMatchObject({ ok: true, value: { findings: { [list]: [] } } });
    });
  }

  test("a version has its own bound, an image its own, each told beside other mistakes of the tools", () => {
    const tools = {
      image: "i".repeat(513),
      lines: "v".repeat(201),
      duplication: "v".repeat(600),
      complexity: 1,
    };
    const result = judge({ ...codebaseReport(), tools });
    expect(
      result.ok ? [] : result.errors.map(({ pointer, message }) => `${pointer} ${message}`).sort(),
    ).toEqual([
      "/tools/complexity must be a string",
      "/tools/duplication must have at most 200 characters",
      "/tools/image must have at most 512 characters",
      "/tools/lines must have at most 200 characters",
    ]);
  });

  test("-0 is 0", () => {
    const result = judge(codebaseReport({ measures: { code_lines: -0, test_ratio: -0 } }));
    expect(result.ok && Object.is(result.value.measures.code_lines, 0)).toBe(true);
    expect(result.ok && Object.is(result.value.measures.test_ratio, 0)).toBe(true);
  });

  test("a measure key that the contract does not know is named, not stored and not an error", () => {
    const result = judge({
      ...codebaseReport(),
      measures: { code_line: 5, files: 1 },
      unmeasured: { codelines: "x" },
      notes: { code_lined: "x" },
    });
    expect(result).toMatchObject({
      ok: true,
      ignored: ["/measures/code_line", "/unmeasured/codelines", "/notes/code_lined"],
    });
    expect(result.ok && result.value.measures).toEqual({ files: 1 });
  });
});
