import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { dayOffset, offsetChanges, type ReportTime } from "../../src/reports/shown_day.ts";

const FIRST = "2026-01-01" as UtcDay;
const HOUR_MS = 3_600_000;
const made = (...hours: readonly number[]): ReportTime[] =>
  hours.map((hour, place) => {
    const date = addDays(FIRST, place);
    return { date, generatedAt: startOfDay(date) + hour * HOUR_MS };
  });
const times = (count: number, hour: number): number[] => Array(count).fill(hour);

describe("the day that counts are shown on", () => {
  test.each([
    [[], 0],
    [[2.28], -1],
    [[12], 0],
    [[11.99], -1],
    [[2, 23], 0],
    [[2, 2, 23], -1],
    [[2, 23, 23], 0],
  ] as const)("of reports made at the hours %j is the report's date %i", (hours, offset) => {
    expect(dayOffset(made(...hours))).toBe(offset);
  });

  test("is that of the median hour where the hours have one (property)", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 23.99, noNaN: true }), { minLength: 1 }), (hours) => {
        const ordered = hours.toSorted((one, other) => one - other);
        const [low, high] = [ordered[(hours.length - 1) >> 1] ?? 0, ordered[hours.length >> 1] ?? 0];
        expect(dayOffset(made(...hours))).toBe(high < 12 ? -1 : 0);
        if (low >= 12) expect(dayOffset(made(...hours))).toBe(0);
      }),
    );
  });

  test("a site that reports at another hour changes it once, when most of 28 reports are made at that hour", () => {
    const reports = made(...times(40, 2), ...times(40, 22));
    expect([...offsetChanges(reports)]).toEqual([addDays(FIRST, 53)]);
    expect([...offsetChanges(made(...times(80, 2)))]).toEqual([]);
    expect([...offsetChanges(made(...times(27, 2), ...times(1, 22)))]).toEqual([]);
  });
});
