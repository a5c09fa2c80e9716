import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, daysBetween, type UtcDay } from "../../../src/base/time.ts";
import { MOST_DAYS, shownDays, WHOLE_SITE } from "../../../src/tower/site/range.ts";

const LAST = "2026-11-20" as UtcDay;
const back = (days: number): UtcDay => addDays(LAST, -days);
const shown = (query: Partial<typeof WHOLE_SITE>, first?: UtcDay) =>
  shownDays({ ...WHOLE_SITE, ...query }, LAST, first);

describe("a range", () => {
  test("has as many days as it says and never ends after the last night", () => {
    expect(shown({ range: 7 })).toMatchObject({ from: back(6), to: LAST, count: 7, later: null });
  });

  test("leads to earlier days only where something is known of them", () => {
    expect(shown({ range: 7 }).earlier).toBeNull();
    expect(shown({ range: 7 }, back(6)).earlier).toBeNull();
    expect(shown({ range: 7 }, back(7)).earlier).toEqual({ from: back(13), to: back(7) });
  });
});

describe("days of one's own choice", () => {
  test("are shown as asked, and step by their own length", () => {
    const days = shown({ from: back(20), to: back(11) }, back(100));
    expect(days).toMatchObject({ count: 10, chosen: true });
    expect(days.earlier).toEqual({ from: back(30), to: back(21) });
    expect(days.later).toEqual({ from: back(10), to: back(1) });
  });

  test("the other way round are turned round, ahead of the last night are left out, too many are cut", () => {
    expect(shown({ from: back(11), to: back(20) })).toMatchObject({
      from: back(20),
      to: back(11),
    });
    expect(shown({ from: back(3), to: back(-9) })).toMatchObject({ to: LAST });
    expect(shown({ from: back(3_000), to: LAST })).toMatchObject({ count: MOST_DAYS });
  });

  test("with one end are a range from there", () => {
    expect(shown({ range: 28, to: back(5) })).toMatchObject({ from: back(32), to: back(5) });
    expect(shown({ from: back(5) })).toMatchObject({ from: back(5), to: LAST });
  });

  test("whatever is asked for, there are 1 to 400 days, in order, none after the last night", () => {
    const day = fc.option(fc.integer({ min: -2_000, max: 4_000 }).map(back));
    const query = fc.record({
      range: fc.constantFrom(7 as const, 28 as const, 90 as const, 365 as const),
      from: day,
      to: day,
    });
    fc.assert(
      fc.property(query, (asked) => {
        const { from, to, count } = shownDays(asked, LAST, undefined);
        expect(count).toBe(daysBetween(from, to) + 1);
        expect(count).toBeGreaterThanOrEqual(1);
        expect(count).toBeLessThanOrEqual(MOST_DAYS);
        expect(to <= LAST).toBe(true);
      }),
    );
  });
});
