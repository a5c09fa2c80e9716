import { expect, test } from "bun:test";
import fc from "fast-check";
import { earlierRows } from "../../src/archive/insight_fold.ts";
import { coverageOf, coverageWords } from "../../src/archive/site_insights.ts";
import { findFamily } from "../../src/providers/report_families.ts";

const words = (rows: number, total: number, isTotalProvisional = false) =>
  coverageWords(
    { metric: "clicks", rows, kept: 0, total, isTotalProvisional, isOfSearchPages: true },
    "clicks",
  );

test("what rows cover is said with both counts, and never above all", () => {
  expect(words(38, 100)).toBe("These rows cover 38% of the clicks (38 of 100).");
  expect(words(5, 32)).toBe("These rows cover 15.6% of the clicks (5 of 32).");
  expect(words(32, 32)).toBe("These rows cover all of the clicks (32 of 32).");
  expect(words(40, 32)).toBe(
    "These rows cover all of the clicks, some in more than one row: they add up to 40, and there were 32.",
  );
  expect(words(0, 32)).toBe("These rows cover none of the clicks (0 of 32).");
  expect(words(12, 32, true)).toBe(
    "These rows cover 37.5% of the clicks (12 of 32). How many there were is provisional.",
  );
});

test("no cause is claimed for rows that add up to more than a figure that may change, or that counts nothing twice", () => {
  expect(words(40, 32, true)).toBe(
    "These rows cover all of the clicks: they add up to 40, and the day's own figure is 32. How many there were is provisional.",
  );
  const views = {
    metric: "page_views",
    rows: 40,
    kept: 0,
    total: 32,
    isTotalProvisional: false,
    isOfSearchPages: false,
  };
  expect(coverageWords(views, "views")).toBe(
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
  const body = { sums: { sessions: 0 }, top: [] };
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
    return coverageOf(family, { sums: { [metric]: 6 }, top: [] }, total)?.isOfSearchPages;
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
