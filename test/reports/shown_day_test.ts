import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { dayOffset, flagsShown } from "../../src/reports/nights.ts";
import type { Db } from "../../src/store/store.ts";

const FIRST = "2026-01-01" as UtcDay;
const HOUR_MS = 3_600_000;
/** The offset is known, so nothing is read. */
const NO_DB = {} as Db;
const made = (...hours: readonly number[]) =>
  hours.map((hour, place) => ({ generatedAt: startOfDay(addDays(FIRST, place)) + hour * HOUR_MS }));

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
});

test("the days of a flag are moved whichever rule raised it, but for what a site itself said and what a provider told", () => {
  const rule_inputs = { day: "2026-01-02", report: { date: "2026-01-02" } };
  const dayOf = (flag: Pick<FlagRow, "rule" | "source">) =>
    flagsShown(NO_DB, { asset: "harbor", offset: -1 })({ asset: "harbor", ...flag, rule_inputs }).rule_inputs;
  const moved = { day: "2026-01-01", report: { date: "2026-01-02" } };
  expect(dayOf({ rule: "flow-drop", source: "pulse" })).toEqual(moved);
  expect(dayOf({ rule: "a-later-rule", source: "pulse" })).toEqual(moved);
  expect(dayOf({ rule: null, source: "pulse" })).toEqual(rule_inputs);
  expect(dayOf({ rule: "flow-drop", source: "analytics" })).toEqual(rule_inputs);
});
