/**
 * What the codebase rules find between two reports whose figures lie at and around every threshold, with figures left out, notes, other
 * versions of tools and other thresholds, recorded (`test/support/mixtures.ts`).
 */

import { test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { evaluateCodebase, type RuleReport } from "../../src/reports/codebase_rules.ts";
import { codebaseFigures, type FigureReport } from "../../src/reports/codebase_view.ts";
import { MEASURE_KEYS } from "../../src/reports/measures.ts";
import { recordEach, seeded } from "../support/mixtures.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../support/thresholds.ts";
import { sentReport } from "../support/tower_data.ts";

const NOTES = [
  "",
  " \n",
  "1 file not parsed: a.ts",
  " 1 file not parsed: a.ts\n",
  "2 files not parsed: a.ts, b.ts",
];

test("of 500 pairs of reports", () => {
  recordEach(
    Array.from({ length: 500 }, (_, seed) => seed + 1),
    (seed) => {
      const next = seeded(seed);
      const one = <T>(...of: readonly T[]) => of[Math.floor(next() * of.length)] as T;
      const often = <T>(share: number, value: T) => (next() < share ? value : undefined);
      const given = <T extends object>(all: T) =>
        Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as object;
      const lines = one(0, 100, 2_000, 10_000);
      const functions = one(0, 3, 10);
      const reportOf = (date: UtcDay, grown: number, more: number): RuleReport => ({
        date,
        revision: 1,
        measures: given({
          code_lines: often(0.9, Math.max(0, lines + grown)),
          duplication_percent: often(0.9, one(0, 7.999999, 8, 8.64, 20, 100)),
          unused_files: often(0.8, one(0, 1, 5, 9, 12)),
          unused_exports: often(0.5, 500),
          unused_dependencies: often(0.8, one(0, 1, 4, 5, 10)),
          complex_functions: often(0.9, functions + more),
          vulnerable_dependencies: often(0.9, one(0, 1, 2, 3)),
        }),
        ...given({
          notes: often(0.6, { complex_functions: one(...NOTES), unused_files: one(...NOTES), files: "x" }),
          tools: often(0.6, {
            line_counter: one("1", "2"),
            duplication: one("1", "2"),
            other: one("1", "2"),
            image: date,
          }),
        }),
      });
      const grown = one(-1_000, 0, 499, 500, 501, 2_499, 2_500, 2_640);
      const now = reportOf("2026-03-31" as UtcDay, grown, one(-3, 0, 4, 5, 6, 7));
      const before = often(0.85, reportOf("2026-03-01" as UtcDay, 0, 0));
      const other = {
        growth_percent: 10,
        growth_lines: 10,
        duplication_percent: 1,
        unused_items: 1,
        complex_functions: 1,
      };
      return evaluateCodebase(now, before, {
        ...DEFAULT_CODEBASE_THRESHOLDS,
        ...often(0.2, other),
        ...often(0.3, { vulnerable: one(0, -3, 0.5, 2, 3) }),
      }).map(({ rule, verdict }) =>
        verdict.state === "fires" ? [rule, verdict.message, verdict.inputs] : verdict.state,
      );
    },
  );
});

const KINDS = ["unused-file", "unused-export", "complex-function", "duplicate", "path", "of another release"];
const TOOLS = { line_counter: "1", duplication: "2", unused: "codemodules 1", complexity: "3", history: "4" };

test("what the tab makes of 200 pairs of reports: each figure, what stands beside it, and its tool", () => {
  recordEach(
    Array.from({ length: 200 }, (_, seed) => seed + 1),
    (seed) => {
      const next = seeded(seed);
      const some = <T>(share: number, keys: readonly string[], of: (key: string) => T) =>
        Object.fromEntries(keys.filter(() => next() < share).map((key) => [key, of(key)]));
      const reportOf = (date: UtcDay): FigureReport => {
        const tools = some(0.7, Object.keys(TOOLS), () => (next() < 0.5 ? "1" : "2"));
        const body = sentReport({
          notes: some(0.2, MEASURE_KEYS, () => (next() < 0.5 ? "of 12 covered files" : "x")),
          unmeasured: some(0.2, MEASURE_KEYS, () => (next() < 0.5 ? "The project is written in Ruby." : " ")),
          dismissed: KINDS.filter(() => next() < 0.4).map((kind) => ({
            ...{ kind, path: "src/**", reason: "x", count: Math.floor(next() * 3) },
          })),
        });
        return { date, measures: some(0.6, MEASURE_KEYS, () => Math.floor(next() * 3) * 4), tools, body };
      };
      const [latest, before] = ["2026-03-31", "2026-03-01"].map((date) => reportOf(date as UtcDay));
      if (latest === undefined || before === undefined) throw new Error("no reports");
      const { figures, work } = codebaseFigures(latest, next() < 0.8 ? before : null, [latest, before]);
      return [...figures, ...work];
    },
  );
});
