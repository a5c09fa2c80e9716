import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import {
  codebaseFigures,
  countPasses,
  type Figure,
  type FigureReport,
} from "../../src/reports/codebase_view.ts";
import { type CodebaseReport, MEASURE_KEYS, type Measures } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

const DAY = "2026-11-18" as UtcDay;
const report = (measures: Measures, body: Partial<CodebaseReport> = {}, date = DAY): FigureReport => ({
  date,
  measures,
  tools: body.tools,
  body: sentReport(body),
});

function figure(id: string, measures: Measures, body: Partial<CodebaseReport> = {}): Figure {
  const latest = report(measures, body);
  const { figures, work } = codebaseFigures(latest, null, [latest]);
  const found = [...figures, ...work].find((held) => held.id === id);
  if (found === undefined) throw new Error(`no figure ${id}`);
  return found;
}

describe("figures", () => {
  test("every measure of the contract stands somewhere on the tab", () => {
    const latest = report({});
    const { figures, work } = codebaseFigures(latest, null, [latest]);
    expect(figures.map((held) => held.label)).toEqual([
      "Lines of code",
      "Repeated code",
      "Unused code",
      "Hard-to-change functions",
      "Test coverage by size",
      "Build",
      "Tests",
      "Vulnerable packages",
    ]);
    for (const key of MEASURE_KEYS) {
      const one = report({ [key]: 1 });
      const all = codebaseFigures(one, null, [one]);
      const readings = [...all.figures, ...all.work].flatMap((held) => [
        held.latest,
        ...held.details.map((detail) => detail.reading),
      ]);
      expect(readings.some((reading) => reading.measured)).toBe(true);
    }
    expect(work.length).toBe(4);
  });

  test("without measures nothing reads 0: every figure gives a reason", () => {
    const latest = report({});
    const { figures, work } = codebaseFigures(latest, latest, [latest]);
    for (const held of [...figures, ...work]) {
      for (const reading of [held.latest, held.before, ...held.details.map((detail) => detail.reading)]) {
        expect(reading?.measured).toBe(false);
        expect(reading?.measured === false ? reading.reason.length : 0).toBeGreaterThan(10);
      }
    }
  });

  test("the report's own reason is told before the reviewed one", () => {
    const told = figure("lines", {}, { unmeasured: { code_lines: "The counter did not run." } });
    expect(told.latest).toEqual({ measured: false, reason: "The counter did not run." });
    expect(figure("build", {}).latest).toEqual({
      measured: false,
      reason: "The sender's workflow did not pass this figure in.",
    });
  });

  test("unused code is the sum of the measured ones of three", () => {
    expect(figure("unused", { unused_files: 2, unused_dependencies: 5 }).latest).toEqual({
      measured: true,
      value: 7,
    });
    expect(figure("unused", { unused_exports: 0 }).latest).toEqual({ measured: true, value: 0 });
  });

  test("unused code is Not measured when none of the three was, each reason told once", () => {
    const reason = "The project is written in Ruby.";
    const held = figure("unused", {}, { unmeasured: { unused_files: reason, unused_exports: reason } });
    expect(held.latest).toEqual({
      measured: false,
      reason: `${reason} No tool measures unused packages yet.`,
    });
  });
});

describe("what stands beside a figure", () => {
  const remarksOf = (id: string, measures: Measures, notes: NonNullable<CodebaseReport["notes"]>) =>
    figure(id, measures, { notes }).remarks;

  test("a note on all measured parts of a figure is about the figure, another names its part", () => {
    const measures = { unused_files: 3, unused_exports: 4 };
    const covered = "of 12 covered files";
    expect(remarksOf("unused", measures, { unused_files: covered, unused_exports: covered })).toEqual([
      { about: null, words: covered },
    ]);
    expect(remarksOf("unused", measures, { unused_files: covered, unused_exports: "x" })).toEqual([
      { about: "unused files", words: covered },
      { about: "unused shared pieces", words: "x" },
    ]);
    expect(remarksOf("unused", { unused_files: 0 }, { unused_files: covered })).toEqual([
      { about: null, words: covered },
    ]);
    expect(remarksOf("complex", { functions: 9 }, { functions: "x", max_function_complexity: "x" })).toEqual([
      { about: "functions", words: "x" },
    ]);
    expect(remarksOf("packages", { dependencies_direct: 0 }, { dependencies_direct: "x" })).toEqual([
      { about: null, words: "x" },
    ]);
  });

  test("a note on a measure without a value is not shown: its reason is", () => {
    const { remarks, latest } = figure("unused", {}, { notes: { unused_files: "of 12 covered files" } });
    expect(remarks).toEqual([]);
    expect(JSON.stringify(latest)).not.toContain("covered files");
  });

  test("what the repository left out of a figure stands beside it, so that a lower one looks no better", () => {
    const entry = (kind: string, count: number) => ({ kind, path: "src/**", reason: "x", count });
    const dismissed = [
      entry("unused-file", 60),
      entry("unused-export", 2),
      entry("unused-file", 0),
      entry("complex-function", 1),
      entry("duplicate", 0),
      entry("of another release", 9),
    ];
    const said = (id: string, measures: Measures) =>
      figure(id, measures, { dismissed }).remarks.map(({ words }) => words);
    expect(said("unused", { unused_files: 0 })).toEqual(["62 findings left out by the repository itself"]);
    expect(said("complex", { complex_functions: 0 })).toEqual([
      "1 function left out by the repository itself",
    ]);
    expect(said("repeated", { duplication_percent: 0 })).toEqual([]);
    expect(said("lines", { code_lines: 0 })).toEqual([]);
    expect(said("complex", {})).toEqual([]);
  });

  test("files that the repository left out are in no figure of files, so each of them says so, and no other", () => {
    const dismissed = [
      { kind: "path", path: "old/**", reason: "x", count: 200 },
      { kind: "duplicate", path: "src/**", reason: "x", count: 3 },
    ];
    const measures = Object.fromEntries(MEASURE_KEYS.map((key) => [key, 0]));
    const latest = report(measures, { dismissed });
    const { figures, work } = codebaseFigures(latest, null, [latest]);
    const said = [...figures, ...work].flatMap(({ id, remarks }) => remarks.map(({ words }) => [id, words]));
    const files = "200 files left out by the repository itself";
    expect(said).toEqual([
      ["lines", files],
      ["repeated", "200 files and 3 blocks left out by the repository itself"],
      ["unused", files],
      ["complex", files],
      ["test-ratio", files],
    ]);
  });

  test("the version of its tool, also beside a 0, and none beside what was not measured or names none", () => {
    const tools = { unused: "codemodules 1.0.0", history: "codehistory 1.0.0" };
    expect(figure("unused", { unused_files: 0 }, { tools }).tool).toBe("codemodules 1.0.0");
    expect(figure("commits", { commits_30d: 0 }, { tools }).tool).toBe("codehistory 1.0.0");
    expect(figure("commits", {}, { tools }).tool).toBeNull();
    expect(figure("unused", { unused_dependencies: 2 }, { tools }).tool).toBeNull();
    expect(figure("lines", { code_lines: 5 }, { tools }).tool).toBeNull();
    expect(figure("build", { build_passed: 1 }, { tools }).tool).toBeNull();
    // No code, and so no ratio to it; the number that stands beside it was measured.
    expect(figure("test-ratio", { test_lines: 0 }, { tools: { line_counter: "3" } }).tool).toBe("3");
  });

  test("of the comparison report only what is another there", () => {
    const then = report(
      { code_lines: 1, complex_functions: 1 },
      { tools: { line_counter: "1", complexity: "1" }, notes: { complex_functions: "2 files not parsed" } },
    );
    const now = report(
      { code_lines: 1, complex_functions: 1 },
      { tools: { line_counter: "2", complexity: "1" } },
    );
    const found = codebaseFigures(now, then, [now]).figures;
    expect(found.find(({ id }) => id === "lines")).toMatchObject({
      tool: "2",
      toolBefore: "1",
      remarksBefore: [],
    });
    expect(found.find(({ id }) => id === "complex")).toMatchObject({
      toolBefore: null,
      remarks: [],
      remarksBefore: [{ about: null, words: "2 files not parsed" }],
    });
    expect(codebaseFigures(then, then, [then]).figures.flatMap((one) => one.remarksBefore)).toEqual([]);
  });
});

describe("<n> of <m> reports passed in 30 days", () => {
  const at = (offset: number, measures: Measures) => report(measures, {}, addDays(DAY, offset));

  test("counts the reports of the 30 days that end at the latest and carry the figure", () => {
    const reports = [
      at(0, { build_passed: 0 }),
      at(-1, { build_passed: 1 }),
      at(-2, {}),
      at(-29, { build_passed: 1 }),
      at(-30, { build_passed: 1 }),
    ];
    expect(countPasses("build_passed", DAY, reports)).toEqual({ passed: 2, carried: 3 });
  });

  test("only Build and Tests count passes", () => {
    expect(figure("build", { build_passed: 1 }).passes).toEqual({ passed: 1, carried: 1 });
    expect(figure("tests", {}).passes).toEqual({ passed: 0, carried: 0 });
    expect(figure("lines", { code_lines: 1 }).passes).toBeNull();
  });
});
