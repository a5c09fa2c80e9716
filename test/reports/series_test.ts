import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { rangeEnding, type SeriesPoint, seriesOf, sumOf, thinned } from "../../src/reports/codebase_view.ts";

const FIRST = "2026-01-01" as UtcDay;
const report = (offset: number, tools?: Record<string, string>) => ({
  date: addDays(FIRST, offset),
  tools,
  measures: { code_lines: offset },
});

describe("series", () => {
  test("an absent measure stays absent, in a sum as well", () => {
    const sum = sumOf("unused_files", "unused_exports");
    expect([sum({}), sum({ unused_files: 0 }), sum({ unused_files: 2, unused_exports: 3 })]).toEqual([
      undefined,
      0,
      5,
    ]);
  });

  test("holds the days of the range, both ends included", () => {
    const reports = [0, 1, 2, 3].map((offset) => report(offset));
    const range = { from: addDays(FIRST, 1), to: addDays(FIRST, 2) };
    expect(seriesOf(reports, new Set(), range, sumOf("code_lines")).map((point) => point.value)).toEqual([
      1, 2,
    ]);
  });

  test("a named range ends on its day and goes back so many, or to the first report", () => {
    expect(rangeEnding("30", "2026-01-30" as UtcDay, FIRST)).toEqual({
      from: FIRST,
      to: "2026-01-30" as UtcDay,
    });
    expect(rangeEnding("all", "2026-06-30" as UtcDay, FIRST).from).toBe(FIRST);
  });
});

describe("thinning", () => {
  test("the next point kept carries a change of tools of any point left out before it", () => {
    const many = Array.from({ length: 12 }, (_, place) => ({
      date: addDays(FIRST, place),
      value: 1,
      toolsChanged: place === 2 || place === 5,
    }));
    expect(thinned(many, 4).map(({ toolsChanged }) => toolsChanged)).toEqual([false, true]);
  });

  const point = fc.record({
    value: fc.option(fc.nat(1_000), { nil: undefined }),
    toolsChanged: fc.boolean(),
  });
  const points = fc
    .array(point, { maxLength: 1_200 })
    .map((list): SeriesPoint[] => list.map((held, index) => ({ ...held, date: addDays(FIRST, index) })));

  test("keeps the first, the last, the lowest and the highest, and never invents a value", () => {
    fc.assert(
      fc.property(points, (all) => {
        const drawn = thinned(all, 120);
        const values = (list: readonly SeriesPoint[]) =>
          list.flatMap(({ value }) => (value === undefined ? [] : [value]));
        const byDate = new Map(all.map((held) => [held.date, held.value]));
        expect(drawn.every((held) => byDate.get(held.date) === held.value)).toBe(true);
        expect(drawn.length).toBeLessThanOrEqual(Math.max(all.length > 120 ? 150 : 120, 0));
        expect(drawn.at(0)?.date).toBe(all.at(0)?.date);
        expect(drawn.at(-1)?.date).toBe(all.at(-1)?.date);
        expect(Math.max(...values(drawn))).toBe(Math.max(...values(all)));
        expect(Math.min(...values(drawn))).toBe(Math.min(...values(all)));
      }),
      { numRuns: 60 },
    );
  });

  test("no line is drawn across a change of tools, drawn or not", () => {
    fc.assert(
      fc.property(points, (all) => {
        const drawn = thinned(all, 60);
        const changed = new Set(all.filter((held) => held.toolsChanged).map((held) => held.date));
        drawn.forEach((held, index) => {
          const before = drawn[index - 1]?.date;
          const crossed = [...changed].some(
            (day) => day <= held.date && (before === undefined || day > before),
          );
          expect(held.toolsChanged).toBe(crossed);
        });
      }),
      { numRuns: 20 },
    );
  });
});
