import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import type { StoredReport } from "../../../src/reports/codebase.ts";
import type { Measures } from "../../../src/reports/measures.ts";
import { replayCodebase } from "../../../src/tower/settings/tune.tsx";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../../support/thresholds.ts";

const LAST = "2026-11-18" as UtcDay;

/** Reports newest first, one a day; `measures` by distance from the last. */
function reports(days: number, measures: (back: number) => Measures): StoredReport[] {
  return Array.from({ length: days }, (_, back) => ({
    asset: "shop",
    date: addDays(LAST, -back),
    revision: 1,
    receivedAt: 0,
    generatedAt: 0,
    measures: measures(back),
    tools: undefined,
    notes: {},
    id: 1,
    ignored: null,
  }));
}

const YEAR = addDays(LAST, -365);

const replay = (list: readonly StoredReport[], from: UtcDay, rules: readonly string[], changes = {}) =>
  replayCodebase(list, { from, to: LAST }, rules, { ...DEFAULT_CODEBASE_THRESHOLDS, ...changes });

describe("codebase rules over stored reports", () => {
  test("counts the reports at which each rule fires, by its thresholds", () => {
    const list = reports(20, (back) => ({ duplication_percent: back < 5 ? 12 : 9, unused_files: 10 }));
    const rules = ["codebase-duplication", "codebase-unused"];
    const { figures, raised } = replay(list, YEAR, rules, { duplication_percent: 10 });
    expect(figures).toEqual([
      ["codebase-duplication", "5 of 20 reports"],
      ["codebase-unused", "20 of 20 reports"],
    ]);
    expect(raised).toHaveLength(25);
    expect(raised[0]).toEqual({ day: LAST, words: "12% of the code is repeated." });
    expect(replay(list, YEAR, ["codebase-duplication"]).figures[0]?.[1]).toBe("20 of 20 reports");
  });

  test("a report without the figure, or without a comparison report, is not judged (spec, Codebase rules: no input, no run)", () => {
    const list = reports(40, (back) => (back === 2 ? {} : { code_lines: back < 10 ? 2_000 : 1_000 }));
    // Forty days hold twelve reports with another one 28 to 45 days before; one of those carries no figure.
    expect(replay(list, YEAR, ["codebase-growth"]).figures[0]?.[1]).toBe("9 of 11 reports");
  });

  test("reports before the span only serve to be compared with", () => {
    const list = reports(60, (back) => ({ code_lines: back < 10 ? 2_000 : 1_000 }));
    expect(replay(list, addDays(LAST, -4), ["codebase-growth"]).figures[0]?.[1]).toBe("5 of 5 reports");
  });
});
