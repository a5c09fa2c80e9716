import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { dayTicks, NARROW_PX, spanOf, WIDE_PX } from "../../../src/tower/kit/day_bars.tsx";
import { NOW, TODAY } from "../../support/tower_data.ts";

const back = (days: number): UtcDay => addDays(TODAY, -days);
const named = (from: UtcDay, to: UtcDay = TODAY) => dayTicks({ from, to }, NOW);

/** The least room between the words of neighbours, in pixels. */
function leastGap(ticks: ReturnType<typeof dayTicks>, width: number): number {
  const spans = ticks.map((tick) => spanOf(tick, width));
  const gaps = spans.slice(1).map(([from], index) => from - (spans[index]?.[1] ?? 0));
  return Math.min(...gaps, 99);
}

describe("the days named under a chart", () => {
  test("are days of the chart, in order, and do not touch: all of them where it is wide, the major ones on a phone", () => {
    const days = fc.record({
      length: fc.integer({ min: 0, max: 4_000 }),
      ended: fc.integer({ min: 0, max: 900 }),
    });
    fc.assert(
      fc.property(days, ({ length, ended }) => {
        const [from, to] = [back(ended + length), back(ended)];
        const ticks = named(from, to);
        const major = ticks.filter(({ minor }) => !minor);
        expect(major.length).toBeGreaterThan(0);
        expect(ticks.every(({ day, x }) => day >= from && day <= to && x > 0 && x < 100)).toBe(true);
        expect(leastGap(ticks, WIDE_PX)).toBeGreaterThanOrEqual(8);
        expect(leastGap(major, NARROW_PX)).toBeGreaterThanOrEqual(8);
        for (const width of [NARROW_PX, 360, 460]) expect(leastGap(major, width)).toBeGreaterThanOrEqual(8);
        for (const [start, end] of ticks.map((tick) => spanOf(tick, NARROW_PX))) {
          expect(start).toBeGreaterThanOrEqual(-12.5);
          expect(end).toBeLessThanOrEqual(NARROW_PX + 12.5);
        }
      }),
    );
  });

  test.each([
    [0, ["20 Nov"]],
    [6, ["14 Nov", "15 Nov", "16 Nov", "17 Nov", "18 Nov", "19 Nov", "20 Nov"]],
    [29, ["23 Oct", "30 Oct", "6 Nov", "13 Nov", "20 Nov"]],
    [200, ["1 Jun", "1 Jul", "1 Aug", "1 Sep", "1 Oct", "1 Nov"]],
  ])("of the %p days before the last one, they are %p", (days, words) => {
    expect(named(back(days)).map((tick) => tick.words)).toEqual(words);
  });

  test("the last one is the last day of the chart, not the day after it", () => {
    expect(named(back(89)).at(-1)).toMatchObject({ day: TODAY, anchor: "end", minor: false });
  });
});
