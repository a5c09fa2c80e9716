/** Which reports a run asks for (spec, Scheduled work): pure. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  DATES,
  type KnownFamily,
  MOST_UNRESOLVED,
  planProperty,
  providerDay,
} from "../../src/archive/plan.ts";
import { dayNumber, dayOfNumber, type UtcDay } from "../../src/base/time.ts";
import { PROVIDERS } from "../../src/providers/adapter.ts";
import { familiesOf, type ReportFamily } from "../../src/providers/report_families.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOTHING: KnownFamily = { unresolved: [], lastUsableAt: undefined, got: new Set() };

const at = (moment: string, timeZone?: string) => {
  const now = Date.parse(moment);
  return { now, startedAt: now, timeZone };
};
const day = (text: string) => dayNumber(text as UtcDay);

/** The dates of a family in the order in which they are asked for. */
function datesOf(family: string, plan: ReturnType<typeof planProperty>): readonly string[] {
  return plan.reports
    .filter((report) => report.family.name === family)
    .map(({ from, to }) => (from === to ? dayOfNumber(to) : `${dayOfNumber(from)}..${dayOfNumber(to)}`));
}

describe("the previous four completed dates are those of the provider's own calendar", () => {
  test.each([
    // The clock goes forward in California on 8 March 2026, and back on 1 November.
    ["2026-03-08T07:59:00Z", "America/Los_Angeles", ["2026-03-06", "2026-03-05", "2026-03-04", "2026-03-03"]],
    ["2026-03-09T06:59:00Z", "America/Los_Angeles", ["2026-03-07", "2026-03-06", "2026-03-05", "2026-03-04"]],
    ["2026-03-09T07:00:00Z", "America/Los_Angeles", ["2026-03-08", "2026-03-07", "2026-03-06", "2026-03-05"]],
    ["2026-11-02T07:59:00Z", "America/Los_Angeles", ["2026-10-31", "2026-10-30", "2026-10-29", "2026-10-28"]],
    ["2026-11-02T08:00:00Z", "America/Los_Angeles", ["2026-11-01", "2026-10-31", "2026-10-30", "2026-10-29"]],
    ["2028-03-01T12:15:00Z", "Europe/Berlin", ["2028-02-29", "2028-02-28", "2028-02-27", "2028-02-26"]],
    ["2026-11-20T12:15:00Z", "Pacific/Kiritimati", ["2026-11-20", "2026-11-19", "2026-11-18", "2026-11-17"]],
    ["2026-11-20T12:15:00Z", undefined, ["2026-11-19", "2026-11-18", "2026-11-17", "2026-11-16"]],
  ])("at %s in %s", (moment, timeZone, dates) => {
    const plan = planProperty("analytics", at(moment, timeZone), () => NOTHING);
    expect(datesOf("events", plan)).toEqual(dates);
    expect(datesOf("events-28d", plan)).toEqual([
      `${dayOfNumber(day(dates[0] ?? "") - 27)}..${dates[0] ?? ""}`,
    ]);
  });

  test("of search console they are Pacific, whatever the property's is; a snapshot stands under the UTC day of the run", () => {
    const search = planProperty("search-console", at("2026-11-20T07:59:00Z", "Asia/Tokyo"), () => NOTHING);
    expect(datesOf("page", search)[0]).toBe("2026-11-18");
    const now = Date.parse("2026-11-21T00:10:00Z");
    const startedAt = Date.parse("2026-11-20T23:50:00Z");
    const snapshots = planProperty("webmaster-tools", { now, startedAt, timeZone: undefined }, () => NOTHING);
    expect(snapshots.reports.map(({ to }) => dayOfNumber(to))).toEqual(
      familiesOf("webmaster-tools").map(() => "2026-11-20" as UtcDay),
    );
  });
});

describe("a weekly snapshot", () => {
  const now = Date.parse("2026-11-20T12:15:00Z");
  test.each([
    [7 * DAY, true],
    [7 * DAY - HOUR, true],
    [7 * DAY - HOUR - 1, false],
    [DAY, false],
    [0, false],
    // A clock that was ahead puts nothing off.
    [-30 * DAY, true],
  ])("%d ms after the last one", (since, isDue) => {
    const known = { ...NOTHING, lastUsableAt: now - since };
    const plan = planProperty("webmaster-tools", at("2026-11-20T12:15:00Z"), () => known);
    expect(datesOf("queries", plan).length).toBe(isDue ? 1 : 0);
    expect(datesOf("rank-traffic", plan).length).toBe(1);
  });
});

test("the newest date of every family goes first, and dates that were never got go last", () => {
  const known = { ...NOTHING, unresolved: [day("2026-11-19"), day("2026-11-10"), day("2026-10-02")] };
  const plan = planProperty("search-console", at("2026-11-20T20:00:00Z"), () => known);
  const count = familiesOf("search-console").length;
  expect(new Set(plan.reports.slice(0, count).map(({ to }) => dayOfNumber(to)))).toEqual(
    new Set(["2026-11-19" as UtcDay]),
  );
  expect(datesOf("page", plan)).toMatchSnapshot();
});

test("whatever is known: no report twice, none of a day that is not over, no more than is due, and nothing that was got", () => {
  const zones = ["America/Los_Angeles", "Europe/Berlin", "Pacific/Kiritimati", "Asia/Kolkata", undefined];
  const known = fc.record({
    unresolved: fc.uniqueArray(fc.integer({ min: 20_700, max: 20_800 }), { maxLength: 30 }),
    lastUsableAt: fc.option(fc.integer({ min: 1_794_000_000_000, max: 1_796_000_000_000 }), {
      nil: undefined,
    }),
    got: fc.uniqueArray(fc.integer({ min: 20_760, max: 20_790 }), { maxLength: 10 }),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...PROVIDERS),
      fc.integer({ min: 1_794_900_000_000, max: 1_795_400_000_000 }),
      fc.constantFrom(...zones),
      known,
      (provider, now, timeZone, { unresolved, lastUsableAt, got }) => {
        const dates = new Set(got);
        const of = (got: ReadonlySet<number>): KnownFamily => ({
          unresolved: unresolved.toSorted((one, other) => other - one),
          lastUsableAt,
          got,
        });
        const time = { now, startedAt: now, timeZone };
        const plan = planProperty(provider, time, () => of(dates));
        const keys = plan.reports.map(({ family, to }) => `${family.name} ${to}`);
        expect(new Set(keys).size).toBe(keys.length);
        const today = providerDay(provider, now, timeZone);
        const isOver = ({ family, to }: { family: ReportFamily; to: number }) =>
          family.of === "snapshot" ? to === today : to < today;
        expect(plan.reports.every(isOver)).toBe(true);
        for (const family of familiesOf(provider)) {
          const own = plan.reports.filter((report) => report.family === family);
          expect(own.length).toBeLessThanOrEqual(family.of === "day" ? DATES + MOST_UNRESOLVED : 1);
          if (family.of !== "snapshot") expect(own.filter(({ to }) => dates.has(to))).toStrictEqual([]);
        }
        // What is left out is what was got: with it, it is the plan of a run that takes up none.
        const whole = planProperty(provider, time, () => of(new Set()));
        const old = unresolved.filter((date) => date < today - DATES).length;
        for (const family of familiesOf(provider).filter(({ of }) => of === "day")) {
          const own = whole.reports.filter((report) => report.family === family);
          expect(own.length).toBe(DATES + Math.min(old, MOST_UNRESOLVED));
        }
        if (provider !== "webmaster-tools") {
          expect(plan.reports.length + plan.resumed).toBe(whole.reports.length);
        }
      },
    ),
    { numRuns: 300 },
  );
});
