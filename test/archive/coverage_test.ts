import { expect, test } from "bun:test";
import fc from "fast-check";
import { earlierRows } from "../../src/archive/insight_fold.ts";
import { coverageOf, coverageWords } from "../../src/archive/site_insights.ts";
import { findFamily } from "../../src/providers/report_families.ts";
import { recordEach } from "../support/mixtures.ts";

const words = (rows: number, total: number, isTotalProvisional = false) =>
  coverageWords({ metric: "clicks", rows, total, isTotalProvisional, isOfSearchPages: true }, "clicks");

test("what rows cover is said with both counts, never above all, and without a cause where none is known; recorded", () => {
  const shares = [
    [38, 100],
    [5, 32],
    [32, 32],
    [40, 32],
    [0, 32],
    [12, 32],
    [9_999, 10_000],
  ] as const;
  recordEach(shares, ([rows, total]) => [words(rows, total), words(rows, total, true)]);
  const views = { metric: "page_views", rows: 40, total: 32 };
  expect(coverageWords({ ...views, isTotalProvisional: false, isOfSearchPages: false }, "views")).toBe(
    "These rows cover all of the views: they add up to 40, and the day's own figure is 32.",
  );
});

test("only all reads as all, and only none as none", () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.integer({ min: 1, max: 10_000_000 }), (rows, total) => {
      const said = words(rows, total);
      expect(said.includes(" all of ") && !said.includes("almost all")).toBe(rows >= total);
      expect(said.includes(" none of ")).toBe(rows === 0);
      expect(/cover (?:100|0)%/.test(said)).toBe(false);
    }),
  );
});

test("0 of 0 covers nothing, and so does a day without a total", () => {
  const family = findFamily("analytics", "landing-pages");
  if (family === undefined) throw new Error("no family");
  const body = { sums: { sessions: 0 } };
  expect(coverageOf(family, body, { value: 0, state: "final" })).toBeUndefined();
  expect(coverageOf(family, body, { value: null, state: "missing" })).toBeUndefined();
  expect(coverageOf(family, body, undefined)).toBeUndefined();
  expect(coverageOf(family, body, { value: 3, state: "final" })).toMatchObject({ rows: 0, total: 3 });
});

test("a search leads to several pages, never from several countries", () => {
  const of = (provider: "search-console" | "analytics", name: string, metric: string) => {
    const family = findFamily(provider, name);
    if (family === undefined) throw new Error("no family");
    const total = { value: 5, state: "final" } as const;
    return coverageOf(family, { sums: { [metric]: 6 } }, total)?.isOfSearchPages;
  };
  expect(of("search-console", "page-country", "clicks")).toBe(true);
  expect(of("search-console", "country", "clicks")).toBe(false);
  expect(of("analytics", "pages-screens", "page_views")).toBe(false);
});

test("rows that are told by the same words are not held against each other", () => {
  const body = (...keys: string[]) => ({
    rows: keys.length,
    sums: {},
    notes: [],
    top: keys.map((key, place) => ({ keys: [key], values: [place] })),
  });
  const of = { dimensions: ["page"] };
  expect(earlierRows(of, body("a", "b"), body("a", "a", "b"))).toEqual([
    { told: "unclear" },
    { told: "values", values: [2] },
  ]);
  expect(earlierRows(of, body("a", "a"), body("a"))).toEqual([{ told: "unclear" }, { told: "unclear" }]);
  // The rows of crawl statistics are days: there a date is what a row is told by.
  expect(earlierRows({ dimensions: ["date"] }, body("2026-11-18"), body("2026-11-17"))).toEqual([
    { told: "no_row" },
  ]);
});
