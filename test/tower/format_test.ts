import { describe, expect, test } from "bun:test";
import { countWords as countOf } from "../../src/base/text.ts";
import type { UtcDay } from "../../src/base/time.ts";
import {
  formatAge,
  formatDay,
  formatFullClock,
  formatInZone,
  formatMoment,
  formatNarrow,
  formatPercent,
  formatRatio,
  formatSpan,
} from "../../src/tower/format.ts";

const NOW = Date.parse("2026-11-20T14:02:10Z");
const day = (text: string) => text as UtcDay;

describe("format", () => {
  test("numbers carry separators and at most one decimal", () => {
    expect([0, 47_894, 3.42, 999_999_999].map(formatNarrow)).toEqual(["0", "47,894", "3.4", "999,999,999"]);
    expect([0, 8.64, 100].map(formatPercent)).toEqual(["0%", "8.6%", "100%"]);
    expect([0, 0.714, 1.2].map(formatRatio)).toEqual(["0.00", "0.71", "1.20"]);
  });

  test("huge numbers stay narrow", () => {
    for (const value of [1e9, Number.MAX_SAFE_INTEGER, 1e300, Number.MAX_VALUE]) {
      expect(formatNarrow(value).length).toBeLessThanOrEqual(9);
      expect(formatRatio(value).length).toBeLessThanOrEqual(9);
    }
  });

  test("a count takes its noun", () => {
    expect([countOf(0, "file"), countOf(1, "file"), countOf(1_200, "file")]).toEqual([
      "0 files",
      "1 file",
      "1,200 files",
    ]);
  });

  test("days are short, with the year only when it is another one", () => {
    expect(formatDay(day("2026-11-18"), NOW)).toBe("18 Nov");
    expect(formatDay(day("2026-09-01"), NOW)).toBe("1 Sep");
    expect(formatDay(day("2025-12-31"), NOW)).toBe("31 Dec 2025");
  });

  test("times are UTC whatever the computer's zone", () => {
    expect(formatMoment(Date.parse("2026-11-18T23:59:00-02:00"), NOW)).toBe("19 Nov 01:59");
    expect(formatFullClock(NOW)).toBe("14:02:10");
    expect(formatFullClock(Date.parse("2026-11-20T00:00:05Z"))).toBe("00:00:05");
  });

  test("an age is in its largest whole unit", () => {
    const ages = [0, 59_999, 60_000, 3_600_000, 47 * 3_600_000, 48 * 3_600_000, 4e10].map((ms) =>
      formatAge(NOW - ms, NOW),
    );
    expect(ages).toEqual([
      "just now",
      "just now",
      "1 min ago",
      "1 h ago",
      "47 h ago",
      "2 d ago",
      "462 d ago",
    ]);
    expect(formatAge(NOW + 300_000, NOW)).toBe("in 5 min");
    expect([59_999, 60_000].map(formatSpan)).toEqual(["under 1 min", "1 min"]);
  });

  test("a moment in a zone has that zone's day and clock, and the name of its city", () => {
    expect(formatInZone(Date.parse("2026-11-20T23:02:10Z"), "Europe/Berlin")).toBe(
      "Sat 21 Nov 2026, 00:02:10 in Berlin",
    );
    expect(formatInZone(Date.parse("2026-07-01T02:00:00Z"), "America/New_York")).toBe(
      "Tue 30 Jun 2026, 22:00:00 in New York",
    );
  });
});
