import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, daysBetween, parseUtcDay, type UtcDay } from "../../src/base/time.ts";
import { comparisonFor } from "../../src/reports/codebase.ts";

const LATEST = parseUtcDay("2026-03-31") as UtcDay;
const before = (days: number) => ({ date: addDays(LATEST, -days) });

function ageOf(...ages: number[]): number | undefined {
  const chosen = comparisonFor(LATEST, ages.map(before));
  return chosen === undefined ? undefined : daysBetween(chosen.date, LATEST);
}

describe("the comparison report (spec, Codebase rules 3)", () => {
  test("is the one nearest 30 days before the latest", () => {
    expect(ageOf(28, 29, 30, 31, 45)).toBe(30);
    expect(ageOf(33, 45, 40)).toBe(33);
    expect(ageOf(28, 33)).toBe(28);
  });

  test("is the older of two at equal distance, in whichever order they come", () => {
    expect(ageOf(29, 31)).toBe(31);
    expect(ageOf(31, 29)).toBe(31);
    expect(ageOf(28, 32)).toBe(32);
  });

  test("lies between 28 and 45 days earlier, both included", () => {
    expect(ageOf(27)).toBeUndefined();
    expect(ageOf(28)).toBe(28);
    expect(ageOf(45)).toBe(45);
    expect(ageOf(46)).toBeUndefined();
    expect(ageOf(0, -30, 27, 46, 60)).toBeUndefined();
    expect(ageOf()).toBeUndefined();
  });

  test("is what a search over every report finds (property)", () => {
    const days = fc.integer({ min: 0, max: 60_000 }).map((n) => addDays("1970-01-01" as UtcDay, n));
    fc.assert(
      fc.property(days, fc.array(fc.integer({ min: -5, max: 70 }), { maxLength: 30 }), (latest, ages) => {
        const candidates = ages.map((age) => ({ date: addDays(latest, -age) }));
        const inSpan = [...new Set(ages)].filter((age) => age >= 28 && age <= 45);
        const sorted = inSpan.sort((a, b) => Math.abs(a - 30) - Math.abs(b - 30) || b - a);
        const chosen = comparisonFor(latest, candidates);
        expect(chosen === undefined ? undefined : daysBetween(chosen.date, latest)).toBe(sorted[0]);
      }),
      { numRuns: 2_000 },
    );
  });
});
