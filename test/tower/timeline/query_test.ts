import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, daysBetween, type UtcDay } from "../../../src/base/time.ts";
import { stepsOf, timelineDays, timelineHref, timelineQuery } from "../../../src/tower/timeline/add_form.tsx";
import { boundsOf } from "../../../src/tower/timeline/read_timeline.ts";

const NOW = Date.UTC(2026, 10, 20, 14, 2);
const day = (text: string) => text as UtcDay;
const read = (text: string, site: string | null = null) => timelineQuery(site, new URLSearchParams(text));

describe("the Timeline's address", () => {
  test("a site's tab has its own address and no other site", () => {
    const query = read("asset=orchard&kind=deploy", "har bor");
    expect(query.asset).toBeNull();
    expect(timelineHref(query, { part: "log" })).toBe("/sites/har%20bor/timeline?kind=deploy&part=log");
  });
});

describe("the days of a range", () => {
  test("end today, or on the chosen day, and hold as many days as the range says", () => {
    expect(timelineDays(read(""), NOW, undefined)).toEqual({
      from: day("2026-08-23"),
      to: day("2026-11-20"),
    });
    expect(timelineDays(read("range=7&to=2026-03-01"), NOW, undefined)).toEqual({
      from: day("2026-02-23"),
      to: day("2026-03-01"),
    });
    expect(timelineDays(read("range=7&to=2027-03-01"), NOW, undefined).to).toBe(day("2026-11-20"));
  });

  test("all days begin with the first annotation, or are today alone", () => {
    expect(timelineDays(read("range=all"), NOW, Date.UTC(1998, 8, 4, 9)).from).toBe(day("1998-09-04"));
    expect(timelineDays(read("range=all"), NOW, undefined)).toEqual({
      from: day("2026-11-20"),
      to: day("2026-11-20"),
    });
    expect(timelineDays(read("range=all&to=2026-01-01"), NOW, NOW).from).toBe(day("2026-01-01"));
  });

  test("a step earlier and a step later meet without a gap, and the last step is today again", () => {
    const query = read("range=30");
    const days = timelineDays(query, NOW, undefined);
    const { earlier, later } = stepsOf(query, days, NOW);
    expect(later).toBeNull();
    const before = timelineDays(earlier ?? query, NOW, undefined);
    expect(addDays(before.to, 1)).toBe(days.from);
    expect(stepsOf(earlier ?? query, before, NOW).later).toEqual(query);
  });

  test("spans of the picture cover the days once, at most twenty, and differ by at most a day", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), (length) => {
        const days = { from: day("2026-01-01"), to: addDays(day("2026-01-01"), length) };
        const bounds = boundsOf(days);
        const lengths = bounds.slice(1).map((bound, index) => daysBetween(bounds[index] ?? bound, bound));
        expect(bounds[0]).toBe(days.from);
        expect(bounds.at(-1)).toBe(addDays(days.to, 1));
        expect(lengths.length).toBeLessThanOrEqual(20);
        expect(Math.min(...lengths)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
