/** A report of about 2 kB: every measure, some findings; no rule fires. */

import { addDays, formatInstant, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { fullCodebaseReport } from "../../support/make/codebase_report.ts";

export function smallReport(asset: string, date: UtcDay): string {
  const files = Array.from({ length: 6 }, (_, i) => ({
    path: `packages/web/src/feature_${i}/view_model.ts`,
    code_lines: 900 - i,
  }));
  return JSON.stringify(
    reportOf(asset, date, { largestFiles: files, unused: [{ kind: "file", path: "src/old.ts" }] }),
  );
}

/** A report of about 148 kB: every list at its bound, with long paths. */
export function largeReport(asset: string, date: UtcDay): string {
  const path = (i: number) =>
    `packages/${"directory_with_a_long_name/".repeat(16)}file_${i}.ts`.padEnd(490, "x");
  return JSON.stringify(
    reportOf(asset, date, {
      duplicates: Array.from({ length: 20 }, (_, i) => ({
        lines: 40,
        files: Array.from({ length: 10 }, (_, k) => ({ path: path(i * 10 + k), startLine: k })),
      })),
      complexFunctions: Array.from({ length: 20 }, (_, i) => ({
        path: path(i),
        name: `decide${i}`,
        line: i,
        complexity: 20,
        length: 90,
      })),
      unused: Array.from({ length: 50 }, (_, i) => ({ kind: "file", path: path(i) })),
      largestFiles: Array.from({ length: 10 }, (_, i) => ({ path: path(i), code_lines: 900 })),
    }),
  );
}

function reportOf(asset: string, date: UtcDay, findings: object): object {
  return {
    ...fullCodebaseReport({ asset, generatedAt: formatInstant(startOfDay(date)) }),
    measures: MEASURES,
    findings,
  };
}

/** Below every threshold, and the same each day: all five rules run, none fires. */
const MEASURES = {
  ...fullCodebaseReport().measures,
  duplication_percent: 2,
  unused_files: 1,
  unused_dependencies: 0,
  vulnerable_dependencies: 0,
};

/** The measures of a report on which three rules fire each time. */
export function firingReport(asset: string, date: UtcDay): string {
  const measures = { ...MEASURES, duplication_percent: 20, unused_files: 30, vulnerable_dependencies: 3 };
  return JSON.stringify({ ...(JSON.parse(smallReport(asset, date)) as object), measures });
}

/** The days on which a site of the benches has a history: every one of the last `days`. */
export function historyDays(today: UtcDay, days: number): UtcDay[] {
  return Array.from({ length: days }, (_, i) => addDays(today, i - days));
}
