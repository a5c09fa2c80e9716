import { describe, expect, test } from "bun:test";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { codebaseTracks, sumOf } from "../../src/reports/codebase_view.ts";

const FIRST = "2026-01-01" as UtcDay;
const report = (offset: number, tools?: Record<string, string>) => ({
  date: addDays(FIRST, offset),
  tools,
  measures: { code_lines: offset },
});

describe("series", () => {
  test("an absent measure stays absent, in a sum as well", () => {
    const sum = sumOf("unused_files", "unused_exports");
    expect([
      sum({}),
      sum({ unused_files: 0 }),
      sum({ unused_files: 2, unused_exports: 3 }),
    ]).toMatchSnapshot();
  });

  test("holds the days of the range, both ends included", () => {
    const reports = [3, 1, 0, 2].map((offset) => report(offset));
    const range = { from: addDays(FIRST, 1), to: addDays(FIRST, 2) };
    const lines = codebaseTracks(reports, range).find(({ id }) => id === "lines");
    expect(lines?.points.map(({ value }) => value)).toEqual([1, 2]);
  });
});
