import { describe, expect, test } from "bun:test";
import type { Measures, StoredReport } from "../../../src/codebase/mod.ts";
import { addDays, type UtcDay } from "../../../src/lib/utc_day.ts";
import { DEFAULT_CODEBASE_THRESHOLDS } from "../../../src/rules/mod.ts";
import { codebaseSentence, previewCodebase } from "../../../src/tower/tune/codebase_preview.ts";

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
  }));
}

const same = { inEffect: DEFAULT_CODEBASE_THRESHOLDS, proposed: DEFAULT_CODEBASE_THRESHOLDS };

describe("the preview of codebase rules", () => {
  test("counts the reports at which each rule fires, under both sets of thresholds", () => {
    const list = reports(20, (back) => ({ duplication_percent: back < 5 ? 12 : 9 }));
    const proposed = { ...DEFAULT_CODEBASE_THRESHOLDS, duplication_percent: 10 };
    const [preview] = previewCodebase(list, addDays(LAST, -365), ["codebase-duplication"], {
      ...same,
      proposed,
    });
    expect(preview).toMatchObject({ judged: 20, inEffect: 20, proposed: 5 });
    expect(preview?.fired[0]).toEqual({
      date: LAST,
      inEffect: true,
      proposed: true,
      message: "12% of the code is repeated.",
    });
    if (preview === undefined) throw new Error("no preview");
    expect(codebaseSentence("duplication_percent 10", preview)).toBe(
      "With duplication_percent 10 codebase-duplication would have been raised at 5 of 20 stored reports instead of 20.",
    );
  });

  test("a report without the figure, or without a comparison report, is not judged (spec, Codebase rules: no input, no run)", () => {
    const list = reports(40, (back) => (back === 2 ? {} : { code_lines: back < 10 ? 2_000 : 1_000 }));
    const [preview] = previewCodebase(list, addDays(LAST, -365), ["codebase-growth"], same);
    // Forty days hold twelve reports with another one 28 to 45 days before; one of those carries no figure.
    expect(preview?.judged).toBe(11);
    expect(preview?.inEffect).toBe(9);
  });

  test("reports before the span only serve to be compared with", () => {
    const list = reports(60, (back) => ({ code_lines: back < 10 ? 2_000 : 1_000 }));
    const [preview] = previewCodebase(list, addDays(LAST, -4), ["codebase-growth"], same);
    expect(preview).toMatchObject({ judged: 5, inEffect: 5, proposed: 5 });
  });
});
