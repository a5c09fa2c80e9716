import { describe, expect, test } from "bun:test";
import { earlierRows } from "../../../src/archive/insight_fold.ts";
import type { ManifestRow } from "../../../src/archive/manifest_row.ts";
import type { KeptReport } from "../../../src/archive/site_insights.ts";
import { addDays, dayNumber, type UtcDay } from "../../../src/base/time.ts";
import { PROVIDERS, type Provider } from "../../../src/providers/adapter.ts";
import { familiesOf, REPORT_FAMILIES, type ReportFamily } from "../../../src/providers/report_families.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import {
  insightAddress,
  type PanelReport,
  type PanelSource,
  panelRows,
  type SitePanels,
} from "../../../src/tower/site/panel_state.ts";
import { REPORTS, SearchTraffic } from "../../../src/tower/site/search_traffic.tsx";
import type { Lane } from "../../../src/tower/site/site_days.tsx";
import { reportOf } from "../../support/archive.ts";
import { attribute, byId, type Element, elements, parsed, tagged, textOf } from "../../support/html.ts";
import { insightOf, type Planted } from "../../support/make/insights.ts";
import { inPage, NOW, TODAY } from "../../support/tower_data.ts";

// The panels of a site as they are drawn: with everything, with one provider alone, with none.

const ASSET = "trailledger";
/** Its newest report, by provider: search console is behind, what analytics tells is not settled. */
const NEWEST: Readonly<Record<Provider, UtcDay>> = {
  analytics: "2026-11-19" as UtcDay,
  "search-console": "2026-11-17" as UtcDay,
  "webmaster-tools": "2026-11-20" as UtcDay,
};
const PROPERTIES: Readonly<Record<Provider, string>> = {
  analytics: "properties/348201993",
  "search-console": "sc-domain:trailledger.example",
  "webmaster-tools": "https://trailledger.example/",
};

function keptReport(family: ReportFamily, report: number, planted: Planted): KeptReport {
  const insight = { ...insightOf(family, ASSET, report + family.name.length, planted), target: 1 };
  return { insight, manifest: insight.report, notes: insight.notes };
}

/** A report with its rows, and that of seven days before. */
function panelReport(
  family: ReportFamily,
  planted: Partial<Planted> = {},
  changes: Partial<PanelReport> = {},
): PanelReport {
  const date = planted.date ?? NEWEST[family.provider];
  const shown = keptReport(family, 4_000, { date, ...planted });
  const before = keptReport(family, 3_000, { times: 0.9, ...planted, date: addDays(date, -7) });
  const lead = family.metrics[0] ?? "";
  const sum = shown.insight.sums[lead] ?? 0;
  return {
    family,
    property: PROPERTIES[family.provider],
    shown,
    isProvisional: family.provider === "analytics",
    before,
    earlier: earlierRows(family, shown.insight, before.insight),
    coverage:
      family.provider === "search-console" && sum > 0
        ? {
            metric: lead,
            rows: sum,
            kept: sum,
            total: Math.round(sum / 0.38),
            isTotalProvisional: false,
            isOfSearchPages: true,
          }
        : undefined,
    latest: panelAttempt(
      family.provider === "search-console"
        ? { outcome: "source_lag", date: dayNumber(addDays(date, 2)) }
        : { date: dayNumber(date) },
    ),
    failed: undefined,
    leftOut: undefined,
    ...changes,
  };
}

/** A report of which nothing is kept. */
const emptyReport = (family: ReportFamily, changes: Partial<PanelReport> = {}): PanelReport => ({
  family,
  property: undefined,
  shown: undefined,
  isProvisional: false,
  before: undefined,
  earlier: undefined,
  coverage: undefined,
  latest: undefined,
  failed: undefined,
  leftOut: undefined,
  ...changes,
});

/** An attempt to get a report. */
const panelAttempt = (changes: Partial<ManifestRow>): ManifestRow => ({
  ...reportOf({ attemptedAt: Date.UTC(2026, 10, 20, 12, 16) }),
  id: 1,
  run: "run",
  ...changes,
});

/** What keeps a report from being whole. */
const FAILED = panelAttempt({ outcome: "failed", category: "exhausted_budget" });

/** The reports of a provider, each made by `of`. */
function panelSource(
  provider: Provider,
  of: (family: ReportFamily) => PanelReport = panelReport,
  property: string | undefined = PROPERTIES[provider],
): PanelSource {
  return { provider, property, reports: familiesOf(provider).map((family) => of(family)) };
}

/** A provider that a site is not connected to. */
const noSource = (provider: Provider): PanelSource => ({
  provider,
  property: undefined,
  reports: familiesOf(provider).map((family) => emptyReport(family)),
});

/** The panels of a site with these sources; it is not connected to the others. */
function sitePanels(sources: readonly PanelSource[], changes: Partial<SitePanels> = {}): SitePanels {
  const given = new Map(sources.map((source) => [source.provider, source]));
  return {
    asset: ASSET,
    hosts: ["trailledger.example"],
    sources: Object.fromEntries(
      PROVIDERS.map((provider) => [provider, given.get(provider) ?? noSource(provider)]),
    ) as unknown as SitePanels["sources"],
    issueFlags: [
      {
        id: "flag-5xx",
        subject: "http_5xx",
        severity: "warn",
        firstSeen: "2026-11-02" as UtcDay,
      },
    ],
    ...changes,
  };
}

/** A site with all three. */
const allPanels = (): SitePanels => sitePanels(PROVIDERS.map((provider) => panelSource(provider)));

/** The tab as an address with this query shows it. */
const shown = (site: SitePanels, query = "", lanes: readonly Lane[] = []) => {
  const read = insightAddress.read(new URLSearchParams(query));
  return parsed(render(inPage(() => <SearchTraffic site={site} query={read} lanes={lanes} />)));
};
const reportIn = (site: SitePanels, query = "") => byId(shown(site, query), "report");
const cellsOf = (row: Element) =>
  elements(row, ({ tagName }) => tagName === "th" || tagName === "td").map(textOf);
const rowsOf = (report: Element) => tagged(report, "tr").slice(1).map(cellsOf);
const family = (name: string) => {
  const found = REPORT_FAMILIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

test("every family of a report has its place", () => {
  const named = Object.entries(REPORTS).flatMap(([provider, names]) =>
    names.map((name) => `${provider} ${name}`),
  );
  expect(named.toSorted()).toEqual(
    REPORT_FAMILIES.map(({ provider, name }) => `${provider} ${name}`).toSorted(),
  );
});

test("what assistants sent is a lower bound wherever channels and sources stand, and nothing is claimed to cover it", () => {
  const coverage = {
    metric: "sessions",
    rows: 90,
    kept: 90,
    total: 100,
    isTotalProvisional: false,
    isOfSearchPages: false,
  };
  const site = (planted = {}) =>
    sitePanels([
      panelSource("analytics", (one) =>
        panelReport(one, planted, one.name in AMONG_SESSIONS ? { coverage } : {}),
      ),
    ]);
  for (const [name, marked] of Object.entries(AMONG_SESSIONS)) {
    const report = reportIn(site(), `report=analytics.${name}`);
    const bounded = tagged(report, "tr").filter((row) => textOf(row).includes("lower bound"));
    expect([name, bounded.length > 0]).toEqual([name, true]);
    for (const row of bounded) expect(textOf(row)).toMatch(marked);
    expect(textOf(report)).toContain("Assistant referrals are a lower bound.");
    expect(textOf(report)).not.toContain("rows cover");
  }
  expect(textOf(reportIn(site(), "report=analytics.js-errors"))).not.toContain("lower bound");
  // Three rows of channels hold no assistant.
  expect(textOf(reportIn(site({ rows: 3 }), "report=analytics.traffic-acquisition"))).toContain(
    "rows cover 90% of the sessions",
  );
});

const AMONG_SESSIONS: Readonly<Record<string, RegExp>> = {
  "traffic-acquisition": /^AI Assistant/,
  "traffic-sources": /^chatgpt\.com/,
  "landing-page-acquisition": /AI Assistant|chatgpt\.com/,
};

describe("rows", () => {
  test("a row that the earlier report does not have is new, one that is not kept of it is not known", () => {
    const earlierOf = (told: "no_row" | "not_kept" | "unclear") =>
      panelRows({ ...panelReport(family("query")), earlier: [{ told }] })[0]?.earlier;
    expect([earlierOf("no_row"), earlierOf("not_kept"), earlierOf("unclear")]).toEqual([0, null, null]);
  });

  test("stand 25 a page, and what is sought is found on none but those that hold it", () => {
    const site = sitePanels([panelSource("search-console", (one) => panelReport(one, { rows: 60 }))]);
    const of = (query: string) => reportIn(site, `report=search-console.query&${query}`);
    const pages = ["sort=name", "sort=name&page=2", "sort=name&page=3"].map((query) => rowsOf(of(query)));
    expect(pages.map((rows) => rows.length)).toEqual([25, 25, 10]);
    const names = pages.flat().map(([name = ""]) => name);
    expect(names).toEqual(names.toSorted());
    const wanted = names.at(-1) ?? "";
    expect(rowsOf(of(`q=${encodeURIComponent(wanted.toUpperCase())}&page=3`))[0]?.[0]).toBe(wanted);
    expect(textOf(of("q=nobody+searches+this"))).toContain("None of the 60 rows");
    const next = tagged(of("sort=name&q=a"), "a").find((link) => attribute(link, "rel") === "next");
    expect(next && attribute(next, "href")).toContain("&sort=name&q=a&page=2#report");
  });
});

describe("totals", () => {
  const lane = (unit: Lane["unit"], values: readonly (number | null)[]): Lane => ({
    key: "analytics/sessions",
    half: "analytics",
    metric: "sessions",
    label: "Sessions",
    unit,
    days: values.map((value, place) => ({
      day: addDays(TODAY, place - values.length),
      state: value === null ? "missing" : "final",
      basis: null,
      value,
    })),
    week: undefined,
    flags: [],
    worst: undefined,
    href: "/",
  });
  const days = (count: number, value: number) => Array.from({ length: count }, () => value);
  const totalOf = (of: Lane) => rowsOf(byId(shown(allPanels(), "", [of]), "block-totals"))[0]?.slice(1);
  test("28 final days are added up and compared with the 28 before", () => {
    expect(totalOf(lane("count", [...days(9, 7), ...days(28, 10), ...days(28, 11)]))).toEqual([
      "308 to 19 Nov",
      "280",
      "+10%",
    ]);
  });
  test("visitors of several days are no sum: their daily mean stands there", () => {
    const visitors = { ...lane("count", [...days(28, 10), ...days(28, 11)]), metric: "active_users" };
    const [row] = rowsOf(byId(shown(allPanels(), "", [visitors]), "block-totals"));
    expect(row?.slice(1)).toEqual(["11 to 19 Nov", "10", "+10%"]);
    expect(row?.[0]).toContain("a day");
  });
  test("where a day is missing, or days do not add up, there is no total", () => {
    const gap = [...days(28, 10), null, ...days(28, 11)];
    expect([lane("count", gap), lane("position", days(56, 11))].map(totalOf)).toEqual([undefined, undefined]);
  });
});

describe("where there is nothing", () => {
  test("reports that are not set up for are left out, and why", () => {
    const leftOut = { reason: "parameter_unregistered", seenAt: NOW };
    const site = sitePanels([
      panelSource("analytics", (one) =>
        one.name === "js-errors" ? emptyReport(one, { leftOut }) : panelReport(one),
      ),
    ]);
    expect(textOf(byId(shown(site), "insights-analytics"))).toContain(
      "Script errors are left out: the property has not registered the parameters",
    );
  });
});

test("reports that failed are counted beside what was read before, and lead to the reason", () => {
  const site = sitePanels([panelSource("analytics", (one) => panelReport(one, {}, { failed: FAILED }))]);
  const [told] = elements(
    byId(shown(site), "insights-analytics"),
    (element) => attribute(element, "data-state") === "failing",
  );
  if (told === undefined) throw new Error("nothing is told");
  expect(textOf(told)).toBe("9 reports failed or incomplete");
  expect(attribute(told, "href")).toEndWith("/integrations#capability-analytics-archive");
  expect(textOf(reportIn(site))).toContain("Organic Search");
});

test("the tab holds at any size of what it is told", () => {
  const text = "\u202e\u0627".repeat(250);
  for (const provider of PROVIDERS) {
    for (const rows of [0, 1, 25, 50_000]) {
      const site = sitePanels([panelSource(provider, (one) => panelReport(one, { rows, text }))]);
      for (const name of REPORTS[provider])
        expect(textOf(shown(site, `report=${provider}.${name}`))).not.toMatch(/undefined|NaN|Infinity/);
    }
  }
});
