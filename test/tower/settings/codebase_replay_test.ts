import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import type { StoredReport } from "../../../src/reports/codebase.ts";
import type { Measures } from "../../../src/reports/measures.ts";
import { codebaseTrial, replayCodebase } from "../../../src/tower/settings/tune.tsx";
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

function replay(list: readonly StoredReport[], from: UtcDay, rule: string, changes = {}) {
  const thresholds = { ...DEFAULT_CODEBASE_THRESHOLDS, ...changes };
  const [replayed] = replayCodebase(list, from, [rule], thresholds);
  if (replayed === undefined) throw new Error("nothing was replayed");
  return replayed;
}

describe("codebase rules over stored reports", () => {
  test("counts the reports at which each rule fires, under both sets of thresholds", () => {
    const list = reports(20, (back) => ({ duplication_percent: back < 5 ? 12 : 9 }));
    const inEffect = replay(list, YEAR, "codebase-duplication");
    const proposed = replay(list, YEAR, "codebase-duplication", { duplication_percent: 10 });
    expect([inEffect.judged, inEffect.raised.size, proposed.raised.size]).toEqual([20, 20, 5]);
    const change = { name: "duplication_percent", from: 8, to: 10 };
    const sides = { inEffect: [inEffect], proposed: [proposed] };
    const { history, sentences } = codebaseTrial(sides, { from: YEAR, to: LAST }, [change]);
    expect(history?.figures).toEqual([["codebase-duplication", "20", "20", "5"]]);
    expect(history?.lists[0]?.days[0]).toEqual({
      day: LAST,
      said: "12% of the code is repeated.",
      inEffect: "raised",
      proposed: "raised",
    });
    expect(history?.lists[0]?.days.at(-1)?.proposed).toBeUndefined();
    expect(sentences).toEqual([
      "With duplication_percent 10 codebase-duplication would have been raised at 5 of 20 stored reports instead of 20.",
    ]);
  });

  test("lists the newest 20 reports that raise a rule, and says of how many", () => {
    const list = reports(25, () => ({ duplication_percent: 12 }));
    const raised = [replay(list, YEAR, "codebase-duplication")];
    const { history } = codebaseTrial({ inEffect: raised, proposed: raised }, { from: YEAR, to: LAST }, []);
    const [listed] = history?.lists ?? [];
    expect([listed?.note, listed?.days.length]).toEqual(["the newest 20 of 25", 20]);
  });

  test("of several rules only those that would change are told, and only those whose count differs are listed", () => {
    const list = reports(3, () => ({ duplication_percent: 12, unused_files: 20 }));
    const rules = ["codebase-duplication", "codebase-unused"];
    const inEffect = replayCodebase(list, YEAR, rules, DEFAULT_CODEBASE_THRESHOLDS);
    const stricter = { ...DEFAULT_CODEBASE_THRESHOLDS, unused_items: 21 };
    const proposed = replayCodebase(list, YEAR, rules, stricter);
    const change = { name: "unused_items", from: 10, to: 21 };
    const trial = codebaseTrial({ inEffect, proposed }, { from: YEAR, to: LAST }, [change]);
    expect(trial.history?.lists.map(({ heading }) => heading)).toEqual([
      "Reports that raise codebase-unused",
    ]);
    expect(trial.sentences).toEqual([
      "With unused_items 21 codebase-unused would have been raised at 0 of 3 stored reports instead of 3.",
    ]);
  });

  test("while nothing is proposed only what is in effect is told", () => {
    const list = reports(1, () => ({ duplication_percent: 12 }));
    const sides = { inEffect: [replay(list, YEAR, "codebase-duplication")], proposed: undefined };
    const { history, sentences } = codebaseTrial(sides, { from: YEAR, to: LAST }, []);
    expect(history?.figures).toEqual([["codebase-duplication", "1", "1"]]);
    expect(sentences).toEqual([
      "With the thresholds in effect codebase-duplication would have been raised at 1 of 1 stored report.",
    ]);
  });

  test("a report without the figure, or without a comparison report, is not judged (spec, Codebase rules: no input, no run)", () => {
    const list = reports(40, (back) => (back === 2 ? {} : { code_lines: back < 10 ? 2_000 : 1_000 }));
    const { judged, raised } = replay(list, YEAR, "codebase-growth");
    // Forty days hold twelve reports with another one 28 to 45 days before; one of those carries no figure.
    expect([judged, raised.size]).toEqual([11, 9]);
  });

  test("reports before the span only serve to be compared with", () => {
    const list = reports(60, (back) => ({ code_lines: back < 10 ? 2_000 : 1_000 }));
    const { judged, raised } = replay(list, addDays(LAST, -4), "codebase-growth");
    expect([judged, raised.size]).toEqual([5, 5]);
  });
});
