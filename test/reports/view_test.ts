import { describe, expect, test } from "bun:test";
import type { UtcDay } from "../../src/base/time.ts";
import { codebaseView } from "../../src/reports/codebase_view.ts";
import { LATEST_BODY, richInput, sentReport, viewReport } from "../support/tower_data.ts";

describe("the Codebase view", () => {
  test("a site without a report has none", () => {
    expect(codebaseView(richInput({ reports: [] }))).toBeUndefined();
  });

  test("the latest report is the newest day, in whatever order they come", () => {
    const input = richInput();
    const turned = codebaseView({ ...input, reports: [...input.reports].reverse() });
    expect(turned?.latest.date).toBe("2026-11-18" as UtcDay);
    expect(turned).toEqual(codebaseView(input));
  });

  test("the sentence reads the latest report against the comparison report", () => {
    const before = viewReport("2026-10-19" as UtcDay, { code_lines: 100 });
    const latest = viewReport("2026-11-18" as UtcDay, { code_lines: 125 });
    const view = codebaseView(
      richInput({ reports: [before, latest], comparison: { report: before, body: undefined } }),
    );
    expect(view?.sentence).toBe("The code grew 25% in 30 days while visitors grew 14.2%.");
    expect(codebaseView(richInput({ comparison: null }))?.sentence).toBe("No report from a month before yet");
  });

  test("an omitted list is Not measured and an empty one means nothing found", () => {
    const view = codebaseView(richInput({ latestBody: sentReport({ findings: { unused: [] } }) }));
    expect(view?.findings.unused).toEqual([]);
    expect(view?.findings.duplicates).toBeUndefined();
    expect(codebaseView(richInput({ latestBody: LATEST_BODY }))?.findings.largestFiles).not.toBeEmpty();
  });

  test("open and past flags are apart, newest first", () => {
    const view = codebaseView(richInput());
    expect(view?.openFlags.map((alert) => alert.id)).toEqual(["a1"]);
    expect(view?.pastFlags.map((alert) => alert.id)).toEqual(["a2"]);
  });

  test("the charts step back and forth over what lies outside the range", () => {
    const view = codebaseView(richInput({ range: 30, until: "2026-10-19" as UtcDay }));
    expect(view?.charts.range).toEqual({ from: "2026-09-20" as UtcDay, to: "2026-10-19" as UtcDay });
    expect([view?.charts.earlier, view?.charts.later]).toEqual([true, true]);
    expect(codebaseView(richInput({ until: "2030-01-01" as UtcDay }))?.charts.range.to).toBe(
      "2026-11-18" as UtcDay,
    );
  });
});
