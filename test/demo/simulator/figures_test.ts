/** The simulated history: the same at every asking, of the shape that was asked for, and days of a calendar that is right. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { count, figuresOf } from "../../../src/demo/simulator/figures.ts";
import { Calendar, dayIn, type SimulatedSite, startOfDayIn } from "../../../src/demo/simulator/world.ts";

const HOUR_MS = 3_600_000;
const SITE: SimulatedSite = { name: "a.example", visitsPerDay: 100, firstDay: 20_000, dispersion: 3 };
const users = (site: SimulatedSite, from: number, days: number, seed = 1) =>
  Array.from({ length: days }, (_, place) => figuresOf(seed, site, from + place)?.activeUsers ?? 0);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("counts", () => {
  test.each([
    [0.4, 1],
    [4, 1],
    [4, 3],
    [40, 3],
    [400, 5],
  ])("with a mean of %d and %d times its variance have both", (average, dispersion) => {
    const drawn = Array.from({ length: 20_000 }, (_, place) => count(average, dispersion, 99, place));
    const seen = mean(drawn);
    const variance = mean(drawn.map((value) => (value - seen) ** 2));
    // Five standard errors of each; the draws are fixed by their seed.
    expect(Math.abs(seen - average)).toBeLessThan(5 * Math.sqrt((average * dispersion) / drawn.length));
    expect(Math.abs(variance / (average * dispersion) - 1)).toBeLessThan(0.12);
  });
});

describe("a site", () => {
  test("has the same history whatever was asked before, and another with another seed", () => {
    const whole = users(SITE, 20_000, 60);
    expect(users({ ...SITE }, 20_030, 30)).toEqual(whole.slice(30));
    expect(users(SITE, 20_000, 60, 2)).not.toEqual(whole);
  });

  test("has nothing before its first day and after its last", () => {
    const short = { ...SITE, lastDay: 20_010 };
    expect([19_999, 20_000, 20_010, 20_011].map((day) => figuresOf(1, short, day) !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("falls by a planted change in what it names, and search tells on where only the site's own measuring stopped", () => {
    const of = (figures?: readonly string[]) => {
      const changed = {
        ...SITE,
        changes: [{ from: 20_050, to: 20_099, factor: 0.1, ...(figures === undefined ? {} : { figures }) }],
      };
      const days = Array.from({ length: 50 }, (_, place) => figuresOf(1, changed, 20_050 + place));
      return [
        mean(days.map((day) => day?.activeUsers ?? 0)),
        mean(days.map((day) => day?.searchImpressions ?? 0)),
      ] as const;
    };
    const [outage, blind] = [of(), of(["activeUsers"])];
    expect([outage[0] < 15, blind[0] < 15]).toEqual([true, true]);
    expect(blind[1]).toBeGreaterThan(outage[1] * 5);
  });
});

describe("calendars", () => {
  test.each([
    ["Europe/Paris", "2026-03-29", 23],
    ["Europe/Paris", "2026-10-25", 25],
    ["America/Los_Angeles", "2026-03-08", 23],
    ["America/Los_Angeles", "2026-11-01", 25],
    ["America/Havana", "2026-03-08", 23],
    ["Asia/Kathmandu", "2028-02-29", 24],
    ["UTC", "2028-02-29", 24],
  ])("in %s %s has %d hours", (zone, date, hours) => {
    const day = Date.parse(`${date}T00:00:00Z`) / (24 * HOUR_MS);
    const [from, to] = [startOfDayIn(zone, day), startOfDayIn(zone, day + 1)];
    expect((to - from) / HOUR_MS).toBe(hours);
    expect([dayIn(zone, from - 1), dayIn(zone, from), dayIn(zone, to - 1)]).toEqual([day - 1, day, day]);
  });

  test("begin each day at its first instant, in any zone", () => {
    const zones = [
      "America/Santiago",
      "Asia/Beirut",
      "Australia/Lord_Howe",
      "Africa/Cairo",
      "Pacific/Chatham",
      "America/Nuuk",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 18_262, max: 22_280 }), (zone, day) => {
        const start = startOfDayIn(zone, day);
        expect([dayIn(zone, start - 1), dayIn(zone, start)]).toEqual([day - 1, day]);
      }),
    );
  });

  test("of a time zone that was changed have every moment in exactly one day", () => {
    const since = Date.UTC(2026, 10, 10, 12);
    for (const [zone, next] of [
      ["Europe/Paris", "America/New_York"],
      ["America/New_York", "Asia/Tokyo"],
    ] as const) {
      const calendar = new Calendar(zone, [{ zone: next, since }]);
      const day = calendar.dayAt(since);
      const spans = [-2, -1, 0, 1, 2]
        .flatMap((offset) => calendar.spansOf(day + offset))
        .sort((one, other) => one.from - other.from);
      expect(spans.slice(1).map(({ from }, place) => from - (spans[place]?.to ?? 0))).toEqual(
        spans.slice(1).map(() => 0),
      );
    }
  });
});
