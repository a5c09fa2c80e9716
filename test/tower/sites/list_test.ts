import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tallied } from "../../../src/base/statistics.ts";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import { SITE_STATES } from "../../../src/rules/freshness.ts";
import { renderDocument, type Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import {
  EVERYTHING,
  portfolioAddress,
  portfolioHref,
  portfolioView,
  type SiteRow,
} from "../../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../../src/tower/sites/portfolio_page.tsx";
import { recordEach, seeded } from "../../support/mixtures.ts";
import { CALM, inPage, siteRows } from "../../support/tower_data.ts";

const site = (asset: string, changes: Partial<SiteRow> = {}): SiteRow => ({
  asset,
  url: null,
  lifecycle: "live",
  group: null,
  openFlags: { error: 0, warn: 0, info: 0 },
  snoozed: 0,
  standing: { state: "reporting", receivedAt: null, pausedUntil: null },
  ...changes,
});
const heardAt = (receivedAt: number, state: SiteRow["standing"]["state"] = "reporting") => ({
  standing: { state, receivedAt, pausedUntil: null },
});
const alerts = (error: number, warn: number, info: number) => ({ openFlags: { error, warn, info } });
const names = (rows: readonly SiteRow[], query = {}) =>
  portfolioView(rows, { ...EVERYTHING, ...query }).rows.map((row) => row.asset);

describe("the portfolio", () => {
  test("is in each of its orders, and filtered, as recorded", () => {
    const next = seeded(7);
    const one = <T>(...of: readonly T[]) => of[Math.floor(next() * of.length)] as T;
    const spark = () => ({
      source: "site",
      metric: "orders",
      days: {
        firstDay: 0,
        values: Float64Array.from([...Array(7).fill(one(0, 10, 100)), ...Array(7).fill(one(2, 10, 15, 99))]),
        states: new Uint8Array(14).fill(1).with(3, one(1, 1, 1, 2)),
        totals: new Float64Array(14),
        lastDay: 13,
      },
    });
    const rows = Array.from({ length: 40 }, (_, place) => {
      const health = one<HealthState | undefined>(undefined, ...HEALTH_STATES);
      const counts =
        health && tallied(HEALTH_STATES, [health, ...Array<HealthState>(one(0, 1)).fill("failing")]);
      return site(one(`s${place}`, `S${place}`, `shop-${place}`), {
        ...alerts(one(0, 0, 1), one(0, 0, 1, 9), one(0, 9)),
        ...heardAt(one(0, 1, 2), one(...SITE_STATES)),
        ...{ group: one(null, "Acme", "Acme 2"), url: one(null, `https://SHOP-${place}.example`) },
        ...(next() < 0.3 && { place }),
        ...(counts && {
          health: { state: health, counts, working: 0, monitored: 1, worst: undefined as never },
        }),
        sparks: Object.fromEntries(
          ["visitors", "clicks", "first"].filter(() => next() < 0.7).map((name) => [name, spark()]),
        ),
      });
    });
    const sorts =
      "worst nightly site flags integrations visitors visitors-change clicks clicks-change first first-change";
    recordEach(sorts.split(" "), (sort) => names(rows, { sort }).join(" "));
    recordEach(
      [{ q: "shop" }, { q: "SHOP-1" }, { group: "Acme" }, { group: "acme" }, { q: "s1", group: "Acme 2" }],
      (query) => names(rows, query).join(" "),
    );
  });

  test("the service's own site is none of the sites", () => {
    const rows = [site("tower", { ...alerts(2, 0, 0), snoozed: 1 }), site("a", alerts(1, 0, 0)), site("b")];
    const view = portfolioView(rows, EVERYTHING, "tower");
    expect(view.own?.asset).toBe("tower");
    expect(view.counts.all).toBe(2);
    expect(portfolioView(rows, { ...EVERYTHING, q: "a" }, "tower").own).toBeUndefined();
  });

  test("what is said of a group is said of its sites; a group that there is not is all of them", () => {
    const rows = [...siteRows(3), ...siteRows(2).map((row) => ({ ...row, group: "Acme" }))];
    const grouped = (group: string | null) => portfolioView(rows, { ...EVERYTHING, group }).counts.grouped;
    expect([null, "Acme", "nobody"].map(grouped)).toEqual([5, 2, 5]);
  });

  test("50 sites are one page; 900 come in pages of 30, each site once and in order", () => {
    const shown = (count: number) => portfolioView(siteRows(count), EVERYTHING).rows.length;
    expect([0, 50, 51].map(shown)).toEqual([0, 50, 30]);
    const rows = siteRows(900);
    const seen = Array.from({ length: 30 }, (_, index) => names(rows, { sort: "lines", page: index + 1 }));
    const lines = ({ codebase }: SiteRow) => codebase?.codeLines ?? -1;
    expect(seen.flat()).toEqual(rows.toSorted((a, b) => lines(b) - lines(a)).map(({ asset }) => asset));
    expect(portfolioView(rows, { ...EVERYTHING, page: 99 }).paging.page).toBe(30);
    const found = portfolioView(rows, { ...EVERYTHING, q: rows[0]?.asset ?? "" });
    expect(found.paging).toMatchObject({ pages: 1, total: found.rows.length });
  });

  test("leads to no shorter list where nothing is left out of it", () => {
    const query = { ...EVERYTHING, show: "all" as const };
    const page = () => PortfolioPage({ ...CALM, view: portfolioView(siteRows(1), query), query });
    expect(renderDocument(inPage(page) as Safe)).not.toContain("most urgent only");
  });

  test("1,000 sites stay below 120 KB a page", () => {
    const query = { ...EVERYTHING, sort: "lines" as const, page: 2 };
    const view = portfolioView(siteRows(1_000), query);
    const page = () => PortfolioPage({ ...CALM, view, query });
    expect(renderDocument(inPage(page) as Safe).length).toBeLessThan(120_000);
  });
});

describe("the query in the address", () => {
  test("comes back from the address it makes", () => {
    const query = fc.record({
      q: fc.string({ maxLength: 40 }).map((text) => text.trim()),
      group: fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })),
      sort: fc.constantFrom("worst" as const, "lines" as const, "nightly" as const, "first-change" as const),
      page: fc.integer({ min: 1, max: 50 }),
      show: fc.constantFrom(null, "all" as const),
    });
    fc.assert(
      fc.property(query, (held) => {
        expect(portfolioAddress.read(new URL(portfolioHref(held), "http://localhost").searchParams)).toEqual(
          held,
        );
      }),
    );
  });
});
