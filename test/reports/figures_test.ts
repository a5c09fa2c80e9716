import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { codebaseFigures, countPasses, type FigureReport } from "../../src/reports/codebase_view.ts";
import { type CodebaseReport, MEASURE_KEYS, type Measures } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

const DAY = "2026-11-18" as UtcDay;
const report = (measures: Measures, body: Partial<CodebaseReport> = {}, date = DAY): FigureReport => ({
  date,
  measures,
  tools: body.tools,
  body: sentReport(body),
});

/** What stands beside each figure is recorded in `any_code_test.ts`. */
describe("figures", () => {
  test("every measure of the contract stands somewhere on the tab", () => {
    const latest = report({});
    const { figures, work } = codebaseFigures(latest, null, [latest]);
    expect(figures.map((held) => held.label)).toMatchSnapshot();
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
});
