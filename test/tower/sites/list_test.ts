import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tallied } from "../../../src/base/statistics.ts";
import { HEALTH_STATES, type HealthState } from "../../../src/health/health.ts";
import {
  EVERYTHING,
  portfolioAddress,
  portfolioHref,
  portfolioView,
  type SiteRow,
} from "../../../src/tower/sites/portfolio.ts";
import { siteRows } from "../../support/tower_data.ts";

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
  test("puts the worst first: by the ranking; then errors before any number of warnings, then by identifier", () => {
    const rows = [
      site("second", { place: 1 }),
      site("first", { ...alerts(0, 1, 0), place: 0 }),
      site("calm-b"),
      site("calm-a"),
      site("warned", alerts(0, 9, 9)),
      site("broken", alerts(1, 0, 0)),
    ];
    expect(names(rows)).toEqual(["first", "second", "broken", "warned", "calm-a", "calm-b"]);
  });

  test("is sorted by each figure and by the change of it, up or down, sites without it last", () => {
    const spark = (week: number, before: number) => ({
      source: "site",
      metric: "orders",
      days: {
        firstDay: 0,
        values: Float64Array.from([...Array(7).fill(before), ...Array(7).fill(week)]),
        states: new Uint8Array(14).fill(1),
        totals: new Float64Array(14),
        lastDay: 13,
      },
    });
    const rows = [
      site("none"),
      site("big", { sparks: { first: spark(100, 99) } }),
      site("fallen", { sparks: { first: spark(2, 10) } }),
      site("risen", { sparks: { first: spark(15, 10) } }),
    ];
    expect(names(rows, { sort: "first" })).toEqual(["big", "risen", "fallen", "none"]);
    expect(names(rows, { sort: "first-change" })).toEqual(["fallen", "risen", "big", "none"]);
  });

  test("of what needs nobody the silent come first, the retired last", () => {
    const rows = [
      site("retired", heardAt(1, "retired")),
      site("paused", heardAt(1, "paused")),
      site("calm"),
      site("never", heardAt(0, "never_reported")),
      site("silent", heardAt(1, "silent")),
    ];
    expect(names(rows)).toEqual(["silent", "never", "calm", "paused", "retired"]);
  });

  test("of calm sites the one comes first that never reported, then the one whose integrations stand worst", () => {
    const health = (state: HealthState): SiteRow["health"] => ({
      state,
      counts: tallied(HEALTH_STATES, [state]),
      working: 0,
      monitored: 1,
      worst: undefined as never,
    });
    const rows = [
      site("works", { health: health("working") }),
      site("none"),
      site("stale", { health: health("stale") }),
      site("fails", { health: health("failing") }),
      site("never", heardAt(0, "never_reported")),
    ];
    expect(names(rows)).toEqual(["never", "fails", "stale", "works", "none"]);
    expect(names(rows, { sort: "integrations" })).toEqual(["fails", "stale", "works", "never", "none"]);
  });

  test("the service's own site is none of the sites", () => {
    const rows = [site("tower", { ...alerts(2, 0, 0), snoozed: 1 }), site("a", alerts(1, 0, 0)), site("b")];
    const view = portfolioView(rows, EVERYTHING, "tower");
    expect(view.own?.asset).toBe("tower");
    expect(view.counts.all).toBe(2);
    expect(portfolioView(rows, { ...EVERYTHING, q: "a" }, "tower").own).toBeUndefined();
  });

  test("is sorted by the last report, sites without one last", () => {
    const rows = [site("none"), site("old", heardAt(1)), site("new", heardAt(2))];
    expect(names(rows, { sort: "nightly" })).toEqual(["new", "old", "none"]);
  });

  test("filters by text in the identifier or the address, and by group", () => {
    const rows = [
      site("shop-a", { group: "Acme" }),
      site("shop-b"),
      site("blog", { url: "https://SHOP.example" }),
    ];
    expect(names(rows, { q: "shop" })).toEqual(["blog", "shop-a", "shop-b"]);
    expect(names(rows, { q: "shop", group: "Acme" })).toEqual(["shop-a"]);
  });

  test("shows the sites of one group, by its whole name", () => {
    const rows = [site("a", { group: "Acme" }), site("b", { group: "Acme 2" }), site("c")];
    expect(names(rows, { group: "Acme" })).toEqual(["a"]);
    expect(names(rows, { group: "acme" })).toEqual([]);
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

  test("does not reorder the rows it was given", () => {
    const rows = [site("b"), site("a")];
    names(rows);
    expect(rows.map((row) => row.asset)).toEqual(["b", "a"]);
  });
});

describe("the query in the address", () => {
  test("what it does not know reads as not given", () => {
    const query = portfolioAddress.read(new URLSearchParams("sort=worse&group=&page=-3&q=%20"));
    expect(query).toEqual(EVERYTHING);
  });

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
