import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { insightFold, keptOf, LONGEST_KEY } from "../../src/archive/insight_fold.ts";
import { MOST_KEPT_DAYS, MOST_KEPT_ROWS, MOST_KEPT_URLS } from "../../src/archive/insights.ts";
import {
  findFamily,
  REPORT_FAMILIES,
  type ReportFamily,
  type ReportRow,
} from "../../src/providers/report_families.ts";
import { issueTypesOf } from "../../src/sites/rule_catalogue.ts";

function familyOf(provider: string, name: string): ReportFamily {
  const family = findFamily(provider, name);
  if (family === undefined) throw new Error(`no family ${name}`);
  return family;
}

function folded(family: ReportFamily, rows: readonly ReportRow[]) {
  const fold = insightFold(family);
  for (const row of rows) fold.add(row);
  return fold.body([]);
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const figure = (a: number | null, b: number | null) =>
  a === b ? 0 : a === null ? 1 : b === null ? -1 : b - a;

/** The order as it is meant, written plainly: figures by their names, then keys, then all values. */
function inOrder(family: ReportFamily, by: readonly string[], rows: readonly ReportRow[]): ReportRow[] {
  const figureOf = (row: ReportRow, metric: string) => row.values[family.metrics.indexOf(metric)] ?? null;
  return [...rows].sort((a, b) => {
    for (const metric of by) {
      const way = figure(figureOf(a, metric), figureOf(b, metric));
      if (way !== 0) return way;
    }
    for (const [place, key] of a.keys.entries()) {
      const way = text(key, b.keys[place] ?? "");
      if (way !== 0) return way;
    }
    for (const [place, value] of a.values.entries()) {
      const way = figure(value, b.values[place] ?? null);
      if (way !== 0) return way;
    }
    return 0;
  });
}

const PAGE = familyOf("search-console", "page");
const WEEKLY = familyOf("webmaster-tools", "queries");
const CRAWL = familyOf("webmaster-tools", "crawl-stats");
const ISSUES = familyOf("webmaster-tools", "crawl-issues");

const count = fc.oneof(fc.nat(5), fc.nat(100_000), fc.constant(null));
const key = fc.oneof(
  fc.constantFrom("", "a", "b", "https://x/1"),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const rowOf = (family: ReportFamily, figures = count) =>
  fc.record({
    keys: fc.array(key, { minLength: family.dimensions.length, maxLength: family.dimensions.length }),
    values: fc.array(figures, { minLength: family.metrics.length, maxLength: family.metrics.length }),
  });

test("what is kept of every family is named by figures of that family", () => {
  const unknown = REPORT_FAMILIES.flatMap((family) => {
    const { by, sums } = keptOf(family);
    return [...by, ...sums].filter((metric) => !family.metrics.includes(metric));
  });
  expect(unknown).toStrictEqual([]);
  expect(REPORT_FAMILIES.every((family) => keptOf(family).by.length > 0)).toBe(true);
});

describe("the first rows", () => {
  test("are those of a plain sort, whatever order the rows come in, and sums are of all rows", () => {
    fc.assert(
      fc.property(fc.array(rowOf(PAGE), { maxLength: 90 }), fc.infiniteStream(fc.nat()), (rows, chance) => {
        const shuffled = [...rows]
          .map((row) => ({ row, at: chance.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ row }) => row);
        const body = folded(PAGE, shuffled);
        const plain = inOrder(PAGE, ["clicks", "impressions"], rows);
        const wellFormed = (row: ReportRow) => ({ ...row, keys: row.keys.map((one) => one.toWellFormed()) });
        expect(body.top).toEqual(plain.slice(0, MOST_KEPT_ROWS).map(wellFormed));
        expect(body.rows).toBe(rows.length);
        expect(body.sums["clicks"]).toBe(rows.reduce((sum, { values }) => sum + (values[0] ?? 0), 0));
      }),
    );
  });

  test("of weeks are those of the newest one alone, and so are the sums", () => {
    const dated = fc.tuple(rowOf(WEEKLY), fc.constantFrom("2026-11-06", "2026-11-13", "2026-11-20"));
    fc.assert(
      fc.property(fc.array(dated, { maxLength: 60 }), (pairs) => {
        const rows = pairs.map(([row, date]) => ({ ...row, keys: [row.keys[0] ?? "", date] }));
        const newest = rows
          .map(({ keys }) => keys[1] ?? "")
          .sort()
          .at(-1);
        const ofWeek = rows.filter(({ keys }) => keys[1] === newest);
        const body = folded(WEEKLY, rows);
        expect([body.rows, body.among]).toEqual([rows.length, ofWeek.length]);
        expect(body.top.map(({ values }) => values)).toEqual(
          inOrder(WEEKLY, ["clicks", "impressions"], ofWeek)
            .slice(0, MOST_KEPT_ROWS)
            .map(({ values }) => values),
        );
        expect(body.sums["impressions"]).toBe(ofWeek.reduce((sum, { values }) => sum + (values[1] ?? 0), 0));
      }),
    );
  });

  test("of days are the newest 28, the newest first", () => {
    const days = Array.from({ length: 180 }, (_, day) =>
      new Date(day * 86_400_000).toISOString().slice(0, 10),
    );
    const rows = days.map((day, at) => ({ keys: [day], values: CRAWL.metrics.map(() => at) }));
    const body = folded(CRAWL, [...rows.slice(90), ...rows.slice(0, 90)]);
    expect(body.top.map(({ keys }) => keys[0] ?? "")).toEqual(days.slice(-MOST_KEPT_DAYS).reverse());
    // What stands at a day is no count that can be added up.
    expect(Object.keys(body.sums)).not.toContain("in_index");
  });
});

describe("crawl issues", () => {
  test("several bits are several types, and what has no bit that is known is another issue", () => {
    expect(issueTypesOf(4)).toEqual(["http_4xx"]);
    expect(issueTypesOf(8 + 32 + 128)).toEqual(["http_5xx", "malware", "dns_failure"]);
    expect(issueTypesOf(511)).toHaveLength(9);
    expect(issueTypesOf(512 + 1)).toEqual(["http_301", "other"]);
    expect(issueTypesOf(2 ** 40 + 256)).toEqual(["connection_timeout", "other"]);
    for (const none of [0, null, -1, 1.5, Number.NaN]) expect(issueTypesOf(none)).toEqual(["other"]);
  });

  test("URLs stand under each type sorted, at most 50 with how many there are", () => {
    const bits = fc.constantFrom(1, 4, 8, 12, 256, 0);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.webUrl(), bits), { maxLength: 80, selector: ([url]) => url }),
        (all) => {
          const rows = all.map(([url, mask]) => ({ keys: [url], values: [mask, 404, 1] }));
          const { issues = [] } = folded(ISSUES, rows);
          for (const { type, urls, of } of issues) {
            const plain = all.filter(([, mask]) => issueTypesOf(mask).includes(type)).map(([url]) => url);
            expect(of).toBe(plain.length);
            expect([...urls]).toEqual(plain.sort(text).slice(0, MOST_KEPT_URLS));
          }
          expect(issues.map(({ type }) => type).sort()).toEqual(
            [...new Set(all.flatMap(([, mask]) => issueTypesOf(mask)))].sort(),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  test("a URL that is told twice is named once", () => {
    const row = { keys: ["https://x/a"], values: [4, 404, 1] };
    expect(folded(ISSUES, [row, row]).issues).toEqual([{ type: "http_4xx", urls: ["https://x/a"], of: 2 }]);
  });
});

test("a text of 10,000 characters is cut with a mark, and hostile text stays text", () => {
  const hostile = `=cmd|'/c calc'!A0<script>\u0000\u202e\ud800`;
  const body = folded(PAGE, [
    { keys: ["x".repeat(10_000)], values: [2, 2, 1, 1] },
    { keys: [hostile], values: [1, 1, 1, 0.123456789] },
  ]);
  expect(body.top[0]?.keys[0]).toBe(`${"x".repeat(LONGEST_KEY - 1)}…`);
  expect(body.top[1]?.keys[0]).toBe(hostile.toWellFormed());
  expect(body.top[1]?.values[3]).toBe(0.123457);
});

test("a report without rows is a valid zero", () => {
  expect(folded(PAGE, [])).toEqual({ rows: 0, sums: { clicks: 0, impressions: 0 }, top: [], notes: [] });
});
