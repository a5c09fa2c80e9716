/** The demo's portfolio: every report is one that any site could send, the same figures are told on both sides, and no name is somebody's. */

import { describe, expect, test } from "bun:test";
import { readContract } from "../../src/base/contract.ts";
import { annotationsOf, codebaseReports, ledgerOf } from "../../src/demo/fill.ts";
import { BROKEN_REPORT, counterOf, dayAt, demoWorld, nightlyReport, SEED } from "../../src/demo/history.ts";
import { PORTFOLIO } from "../../src/demo/portfolio.ts";
import { figuresOf } from "../../src/demo/simulator/figures.ts";
import type { SimulatedSite } from "../../src/demo/simulator/world.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { annotationSchema } from "../../src/sites/annotations.ts";
import { brief } from "../support/brief.ts";

const NOW = Date.UTC(2026, 10, 22, 8, 15);
const DAY_MS = 86_400_000;
const world = demoWorld(NOW);
const siteOf = (id: string) => {
  const site = PORTFOLIO.find((one) => one.id === id);
  const simulated = world.sites.find(({ name }) => name === id);
  if (site === undefined || simulated === undefined) throw new RangeError(id);
  return { site, simulated, counter: counterOf(site, simulated, NOW) };
};
const reporting = PORTFOLIO.filter(({ reports }) => reports !== undefined).map(({ id }) => id);
const visitors = (simulated: SimulatedSite, from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, place) => figuresOf(SEED, simulated, dayAt(NOW, from + place))?.activeUsers ?? 0,
  ).reduce((sum, count) => sum + count, 0);

describe("what the demo sends", () => {
  test.each(reporting)("is good by the contracts, with nothing ignored: %s", (id) => {
    const { site, counter } = siteOf(id);
    const { reports } = site;
    for (let day = reports?.from ?? 0; day <= (reports?.to ?? 0); day += 17) {
      const report = nightlyReport(site, counter, dayAt(NOW, day) * DAY_MS + (reports?.minute ?? 0) * 60_000);
      expect(readContract(PulseSchema, report)).toMatchObject({ ok: true, ignored: [] });
    }
    for (const report of codebaseReports(site, NOW)) {
      expect(readContract(CodebaseReportSchema, report)).toMatchObject({ ok: true, ignored: [] });
    }
  });

  test("are annotations of the past, none twice", () => {
    const notes = annotationsOf(NOW, NOW) as readonly {
      at: string;
      asset: string;
      kind: string;
      ref: string;
    }[];
    expect(notes.length).toBeGreaterThan(100);
    for (const note of notes)
      expect(
        readContract(
          annotationSchema(() => NOW),
          note,
        ),
      ).toMatchObject({ ok: true, ignored: [] });
    expect(notes.filter(({ at }) => Date.parse(at) >= NOW)).toEqual([]);
    const names = notes.map(({ asset, at, kind, ref }) => `${asset} ${at} ${kind} ${ref}`);
    expect(new Set(names).size).toBe(names.length);
  });

  test("totals only rise, by what was counted", () => {
    const { site, counter } = siteOf("harbor-bikes.example");
    const totals = Array.from({ length: 30 }, (_, place) => {
      const at = (dayAt(NOW, place - 29) + 0.1) * DAY_MS;
      return (
        (nightlyReport(site, counter, at) as { metrics: Record<string, { total: number }> }).metrics["orders"]
          ?.total ?? 0
      );
    });
    expect(totals).toEqual([...totals].sort((one, other) => one - other));
  });
});

describe("one story", () => {
  test("an outage is in the visitors that analytics tells and in the orders that the site counts", () => {
    const { site, simulated, counter } = siteOf("tin-rocket-toys.example");
    const [orders] = site.metrics;
    const counted = (day: number) => (orders === undefined ? 0 : counter.on(orders, dayAt(NOW, day)));
    expect(counted(-25) + counted(-24)).toBeLessThan((counted(-32) + counted(-31)) * 0.4);
    expect(visitors(simulated, -25, -24)).toBeLessThan(visitors(simulated, -32, -31) * 0.2);
  });

  test("a broken form is in the bookings alone", () => {
    const { site, simulated, counter } = siteOf("northlight-hotels.example");
    const [bookings] = site.metrics;
    const counted = (from: number) =>
      [0, 1, 2].reduce(
        (sum, day) => sum + (bookings === undefined ? 0 : counter.on(bookings, dayAt(NOW, from + day))),
        0,
      );
    expect(counted(-3)).toBeLessThan(counted(-10) * 0.5);
    expect(visitors(simulated, -3, -1)).toBeGreaterThan(visitors(simulated, -10, -8) * 0.7);
  });

  test("a consent step is in analytics alone: the site counts on as before", () => {
    const { site, simulated, counter } = siteOf("pinewood-clinic.example");
    const [appointments] = site.metrics;
    const counted = (from: number) =>
      Array.from({ length: 14 }, (_, place) =>
        appointments === undefined ? 0 : counter.on(appointments, dayAt(NOW, from + place)),
      ).reduce((sum, count) => sum + count, 0);
    expect(visitors(simulated, -40, -27)).toBeLessThan(visitors(simulated, -54, -41) * 0.75);
    expect(counted(-40)).toBeGreaterThan(counted(-54) * 0.8);
  });
});

test("every site is one of the domain that is kept for examples, and the portfolio has its characters", () => {
  expect(PORTFOLIO.filter(({ id }) => !id.endsWith(".example"))).toEqual([]);
  expect(PORTFOLIO.length).toBeGreaterThanOrEqual(14);
  const has = (holds: (site: (typeof PORTFOLIO)[number]) => boolean) => PORTFOLIO.some(holds);
  expect(
    [
      has(({ lifecycle }) => lifecycle === "pre-launch"),
      has(({ lifecycle }) => lifecycle === "retired"),
      has(({ lifecycle, reports }) => lifecycle === "live" && reports?.to !== undefined),
      has(
        ({ notes }) =>
          notes?.some(([, , kind, ref]) => kind === "config" && ref.startsWith("consent-mode")) === true,
      ),
      has(({ account }) => account === "archive"),
      has(({ id }) => id.length > 60),
      has(
        (site) =>
          site.analytics === undefined &&
          site.searchConsole === undefined &&
          site.webmasterTools === undefined,
      ),
      has(({ analytics }) => analytics?.nextZone !== undefined),
    ].filter((one) => !one),
  ).toEqual([]);
});

test("what its archive tells has a story, too: pages that fail since a release, errors of scripts on one site, one family that never comes", () => {
  const told = (holds: (site: SimulatedSite) => boolean) => world.sites.filter(holds).map(({ name }) => name);
  expect(told(({ webmasterTools }) => (webmasterTools?.crawlIssues ?? []).length > 0)).toEqual([
    "northlight-hotels.example",
  ]);
  // Where nothing is said of issues, the simulators have some of their own.
  expect(told((site) => site.webmasterTools !== undefined && !site.webmasterTools.crawlIssues)).toEqual([]);
  expect(told(({ analytics }) => analytics?.customDimensions !== undefined)).toEqual(["trailledger.example"]);
  expect(told(({ searchConsole }) => searchConsole?.property === BROKEN_REPORT.property)).toHaveLength(1);
});

const record = (value: unknown, most: number) =>
  expect(brief(JSON.stringify(value, null, 1), most)).toMatchSnapshot();

test.each(PORTFOLIO.map(({ id }) => id))("what is told of %s is what was told before", (id) => {
  const { site, simulated, counter } = siteOf(id);
  record(simulated, 3_000);
  record(codebaseReports(site, NOW).toReversed(), 4_000);
  const { from, to = 0, minute } = site.reports ?? { from: 1, minute: 0 };
  const nights = Array.from({ length: Math.max(0, to - from + 1) }, (_, place) => to - place);
  record(
    nights.map((day) => nightlyReport(site, counter, dayAt(NOW, day) * DAY_MS + minute * 60_000)),
    1_500,
  );
});

test("so are the annotations of all, the ledger, and who may see what", () => {
  record(annotationsOf(NOW, NOW).toReversed(), 4_000);
  record(ledgerOf(NOW), 4_000);
  record(world.accounts, 4_000);
});
