import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, daysBetween, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../src/base/time.ts";

const day = (text: string): UtcDay => {
  const parsed = parseUtcDay(text);
  if (parsed === undefined) throw new TypeError(`${text} is no day`);
  return parsed;
};

describe("UTC days", () => {
  test("the day of an instant is that of UTC, to the last millisecond", () => {
    expect(utcDayOf(Date.UTC(2026, 2, 1, 23, 59, 59, 999))).toBe(day("2026-03-01"));
    expect(utcDayOf(Date.UTC(2026, 2, 2))).toBe(day("2026-03-02"));
    expect(utcDayOf(-1)).toBe(day("1969-12-31"));
  });

  for (const text of [
    "2026-02-29",
    "2026-13-01",
    "2026-00-01",
    "2026-3-1",
    "2026-03-01T00:00:00Z",
    "",
    "20260301",
    "+002026-03-01",
  ]) {
    test(`${JSON.stringify(text)} is no day`, () => {
      expect(parseUtcDay(text)).toBeUndefined();
    });
  }

  test("months and leap days are counted by the calendar", () => {
    expect(addDays(day("2026-03-31"), -30)).toBe(day("2026-03-01"));
    expect(addDays(day("2028-03-01"), -1)).toBe(day("2028-02-29"));
    expect(daysBetween(day("2028-02-28"), day("2028-03-01"))).toBe(2);
    expect(daysBetween(day("2026-03-02"), day("2026-03-01"))).toBe(-1);
  });

  test("adding days and counting them are each other's inverse, and text order is time order (property)", () => {
    const days = fc.integer({ min: -700_000, max: 2_900_000 }).map((n) => utcDayOf(n * 86_400_000));
    fc.assert(
      fc.property(days, fc.integer({ min: -1_000, max: 1_000 }), (from, distance) => {
        const to = addDays(from, distance);
        expect(daysBetween(from, to)).toBe(distance);
        expect(Math.sign(distance)).toBe(from < to ? 1 : from === to ? 0 : -1);
        expect(utcDayOf(startOfDay(from))).toBe(from);
      }),
    );
  });
});
