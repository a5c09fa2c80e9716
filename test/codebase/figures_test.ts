import { describe, expect, test } from "bun:test";
import type { CodebaseReport } from "../../src/codebase/contract.ts";
import { codebaseFigures, countPasses, type Figure, type FigureReport } from "../../src/codebase/figures.ts";
import { MEASURE_KEYS, type Measures } from "../../src/codebase/measures.ts";
import { addDays, type UtcDay } from "../../src/lib/utc_day.ts";
import { sentReport } from "../support/tower_data.ts";

const DAY = "2026-11-18" as UtcDay;
const report = (measures: Measures, body: Partial<CodebaseReport> = {}, date = DAY): FigureReport => ({
  date,
  measures,
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
