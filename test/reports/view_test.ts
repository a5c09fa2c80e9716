import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { type CodebaseViewInput, codebaseView, type ViewReport } from "../../src/reports/codebase_view.ts";
import type { Measures } from "../../src/reports/measures.ts";
import { sentReport } from "../support/tower_data.ts";

const LAST = "2026-11-18" as UtcDay;
const viewReport = (date: UtcDay, measures: Measures): ViewReport => {
  return { date, measures, revision: 1, receivedAt: 0, generatedAt: 0, tools: { duplication: "5.3.2" } };
};
const flag = { rule: "codebase-unused", severity: "info", message: "12 files are not used." } as const;

/** A site with a report every third day for 75 days, and a flag of each status. */
const inputOf = (changes: Partial<CodebaseViewInput> = {}): CodebaseViewInput => ({
  reports: Array.from({ length: 26 }, (_, place) =>
    viewReport(addDays(LAST, (place - 25) * 3), { code_lines: 40_000 + place * place * 10 }),
  ),
  latestBody: sentReport({ findings: { largestFiles: [{ path: "src/a.ts", code_lines: 1_920 }] } }),
  comparison: null,
  visitors: {
    percent: 14.2,
    windows: [
      { to: 20_774, visits: 571 },
      { to: 20_744, visits: 500 },
    ],
  },
  flags: [
    { ...flag, id: "a1", status: "open", heldSince: 2 },
    { ...flag, id: "a2", status: "resolved", heldSince: 1 },
  ],
  range: 90,
  ...changes,
});

describe("the Codebase view", () => {
  test("a site without a report has none", () => {
    expect(codebaseView(inputOf({ reports: [] }))).toBeUndefined();
  });

  test("the latest report is the newest day, in whatever order they come", () => {
    const input = inputOf();
    const turned = codebaseView({ ...input, reports: [...input.reports].reverse() });
    expect(turned?.latest.date).toBe(LAST);
    expect(turned).toEqual(codebaseView(input));
  });

  test("the sentence reads the latest report against the comparison report", () => {
    const before = viewReport("2026-10-19" as UtcDay, { code_lines: 100 });
    const latest = viewReport(LAST, { code_lines: 125 });
    const view = codebaseView(
      inputOf({ reports: [before, latest], comparison: { report: before, body: undefined } }),
    );
    expect(view?.sentence).toBe("The code grew 25% in 30 days while visitors grew 14.2%.");
    expect(codebaseView(inputOf())?.sentence).toBe("No report from a month before yet");
  });

  test("another version of a tool is told where the code was counted on both days", () => {
    const counted = { code_lines: 100 };
    for (const [then, now, told] of [
      [counted, counted, 1],
      [counted, {}, 0],
      [{}, counted, 0],
    ] as const) {
      const before = { ...viewReport("2026-10-19" as UtcDay, then), tools: { own: "1" } };
      const latest = { ...viewReport(LAST, now), tools: { own: "2" } };
      const comparison = { report: before, body: undefined };
      expect(codebaseView(inputOf({ reports: [latest], comparison }))?.counterUpdated).toHaveLength(told);
    }
  });

  test("an omitted list is Not measured and an empty one means nothing found", () => {
    const view = codebaseView(inputOf({ latestBody: sentReport({ findings: { unused: [] } }) }));
    expect(view?.findings.unused).toStrictEqual([]);
    expect(view?.findings.duplicates).toBeUndefined();
    expect(codebaseView(inputOf())?.findings.largestFiles).not.toBeEmpty();
  });

  test("open and past flags are apart, newest first", () => {
    const view = codebaseView(inputOf());
    expect(view?.openFlags.map((alert) => alert.id)).toEqual(["a1"]);
    expect(view?.pastFlags.map((alert) => alert.id)).toEqual(["a2"]);
  });

  test("the charts step back and forth over what lies outside the range", () => {
    const view = codebaseView(inputOf({ range: 30, until: "2026-10-19" as UtcDay }));
    expect(view?.charts.range).toEqual({ from: "2026-09-20" as UtcDay, to: "2026-10-19" as UtcDay });
    expect([view?.charts.earlier, view?.charts.later]).toEqual([true, true]);
    expect(codebaseView(inputOf({ until: "2030-01-01" as UtcDay }))?.charts.range.to).toBe(
      "2026-11-18" as UtcDay,
    );
  });
});
