import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { stepsOf, timelineDays, timelineHref, timelineQuery } from "../../../src/tower/timeline/add_form.tsx";

const NOW = Date.UTC(2026, 10, 20, 14, 2);
const day = (text: string) => text as UtcDay;
const read = (text: string, site: string | null = null) => timelineQuery(site, new URLSearchParams(text));

describe("the Timeline's address", () => {
  test("a site's tab has its own address and no other site", () => {
    const query = read("asset=orchard&kind=deploy", "har bor");
    expect(query.asset).toBeNull();
    expect(timelineHref(query)).toBe("/sites/har%20bor/timeline?kind=deploy");
  });
});

describe("the days of a range", () => {
  test("end today, or on the chosen day, and hold as many days as the range says", () => {
    expect(timelineDays(read(""), NOW)).toEqual({
      from: day("2026-08-23"),
      to: day("2026-11-20"),
    });
    expect(timelineDays(read("range=7&to=2026-03-01"), NOW)).toEqual({
      from: day("2026-02-23"),
      to: day("2026-03-01"),
    });
    expect(timelineDays(read("range=7&to=2027-03-01"), NOW).to).toBe(day("2026-11-20"));
  });

  test("a step earlier and a step later meet without a gap, and the last step is today again", () => {
    const query = read("range=30");
    const days = timelineDays(query, NOW);
    const { earlier, later } = stepsOf(query, days, NOW);
    expect(later).toBeNull();
    const before = timelineDays(earlier, NOW);
    expect(addDays(before.to, 1)).toBe(days.from);
    expect(stepsOf(earlier, before, NOW).later).toEqual(query);
  });
});
