import { describe, expect, test } from "bun:test";
import { boundReport, checkReport, reportText } from "../../src/measure/measure.ts";
import { MAX_REPORT_BYTES, MEASURE_KEYS } from "../../src/reports/measures.ts";

const BARE = { asset: "harbor", generatedAt: "2026-03-31T12:00:00.000Z", measures: {} };

describe("the envelope (measure.md 3.10)", () => {
  test("a report that fits is left alone", () => {
    expect(boundReport(BARE)).toEqual({ report: BARE, dropped: {} });
  });

  test("last items of the longest list go until the body fits, and are counted", () => {
    const path = (list: string, i: number) => `${list}/${i}/`.padEnd(512, "漢");
    const report = {
      ...BARE,
      findings: {
        duplicates: Array.from({ length: 20 }, (_, i) => ({
          lines: 9,
          files: Array.from({ length: 10 }, (_, j) => ({ path: path(`d${i}`, j), startLine: j })),
        })),
        unused: Array.from({ length: 50 }, (_, i) => ({ kind: "file", path: path("u", i) })),
        largestFiles: Array.from({ length: 10 }, (_, i) => ({ path: path("l", i), code_lines: 1 })),
      },
    };
    const bounded = boundReport(report);
    expect(Buffer.byteLength(reportText(bounded.report))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(bounded.dropped["duplicates"]).toBeGreaterThan(0);
    expect(bounded.report.findings?.duplicates?.[0]).toEqual(report.findings.duplicates[0]);
    expect(bounded.report.findings?.largestFiles).toHaveLength(10);
    checkReport(bounded.report);
  });

  test("dismissals give way as findings do; notes and reasons stay whole, and the fullest of reports fits", () => {
    const path = (i: number) => `${i}/`.padEnd(512, "漢");
    const words = Object.fromEntries(MEASURE_KEYS.map((key) => [key, "漢".repeat(500)]));
    const report = {
      ...BARE,
      paths: Array.from({ length: 20 }, (_, i) => path(i)),
      notes: words,
      findings: { unused: Array.from({ length: 50 }, (_, i) => ({ kind: "file", path: path(i) })) },
      dismissed: Array.from({ length: 50 }, (_, i) => ({
        kind: "unused-export",
        path: path(i),
        name: "漢".repeat(200),
        reason: "漢".repeat(200),
        count: i,
      })),
    };
    const bounded = boundReport(report);
    expect(Buffer.byteLength(reportText(bounded.report))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(bounded.dropped["dismissed"]).toBeGreaterThan(0);
    expect(bounded.report.dismissed?.[0]).toEqual(report.dismissed[0]);
    expect(bounded.report.notes).toEqual(words);
    checkReport(bounded.report);
  });

  test("a report that the server would refuse or ignore is a fault of this program", () => {
    checkReport(BARE);
    expect(() => checkReport({ ...BARE, measures: { code_lines: -1 } })).toThrow("/measures/code_lines");
    expect(() => checkReport({ ...BARE, measures: { lines: 1 } } as typeof BARE)).toThrow(
      "does not know /measures/lines",
    );
  });
});
