import { describe, expect, test } from "bun:test";
import { PROVIDERS } from "../../../src/providers/adapter.ts";
import { REPORT_FAMILIES } from "../../../src/providers/report_families.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { paths } from "../../../src/tower/paths.ts";
import { changeWords } from "../../../src/tower/site/family_words.ts";
import { panelRows, type SitePanels, troublesOf } from "../../../src/tower/site/panel_state.ts";
import { PANELS, SitePanelsView } from "../../../src/tower/site/provider_panels.tsx";
import { attribute, byId, type Element, elements, parsed, tagged, textOf } from "../../support/html.ts";
import {
  ASSET,
  allPanels,
  emptyReport,
  failedSince,
  panelReport,
  panelSource,
  sitePanels,
} from "../../support/make/site_panels.ts";
import { inPage, NOW } from "../../support/tower_data.ts";

const shown = (site: SitePanels, isWhole = false) =>
  parsed(render(inPage(() => <SitePanelsView site={site} isWhole={isWhole} />)));
const cellsOf = (row: Element) =>
  elements(row, ({ tagName }) => tagName === "th" || tagName === "td").map(textOf);
const family = (name: string) => {
  const found = REPORT_FAMILIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

test("every family stands in one panel", () => {
  const named = PANELS.flatMap(({ columns, more }) => [...columns.flat(), ...more]);
  const key = (provider: string, name: string) => `${provider} ${name}`;
  expect(named.map((one) => key(one.provider, one.family)).toSorted()).toEqual(
    REPORT_FAMILIES.map(({ provider, name }) => key(provider, name)).toSorted(),
  );
});

test("each part leads to the attempt that its figures are from", () => {
  const page = shown(allPanels(), true);
  const parts = elements(page, (element) => attribute(element, "class") === "part");
  expect(parts).toHaveLength(REPORT_FAMILIES.length);
  for (const part of parts) {
    const [from] = elements(part, (element) => attribute(element, "class") === "from");
    expect(from && attribute(from, "href")).toMatch(/^\/archive\/reports\/\d+$/);
  }
});

test("a panel says the date of its figures, whether they are final, and what its rows cover", () => {
  const page = shown(allPanels());
  const queries = textOf(byId(page, "report-search-console-query"));
  expect(queries).toContain("17 Nov, final");
  expect(queries).toContain("These rows cover 38% of the clicks (2,419 of 6,366).");
  expect(textOf(byId(page, "report-analytics-traffic-acquisition"))).toContain("19 Nov, provisional");
  expect(textOf(byId(page, "report-webmaster-tools-queries"))).toContain("as of 20 Nov");
  expect(textOf(byId(page, "report-webmaster-tools-queries"))).toContain("The week of 18 Nov.");
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
  const covered = (one: Parameters<typeof panelReport>[0], planted = {}) =>
    panelReport(one, planted, one.name in AMONG_SESSIONS ? { coverage } : {});
  const page = (planted = {}) =>
    shown(sitePanels([panelSource("analytics", (one) => covered(one, planted))]), true);
  const [all, few] = [page(), page({ rows: 3 })];
  for (const [name, marked] of Object.entries(AMONG_SESSIONS)) {
    const part = byId(all, `report-analytics-${name}`);
    const tagged_ = tagged(part, "tr").filter((row) => textOf(row).includes("lower bound"));
    expect([name, tagged_.length > 0]).toEqual([name, true]);
    for (const row of tagged_) expect(textOf(row)).toMatch(marked);
    expect(textOf(part)).toContain("Assistant referrals are a lower bound.");
    expect(textOf(part)).not.toContain("rows cover");
  }
  expect(textOf(byId(all, "report-analytics-js-errors"))).not.toContain("lower bound");
  // Three rows of channels hold no assistant.
  expect(textOf(byId(few, "report-analytics-traffic-acquisition"))).toContain(
    "rows cover 90% of the sessions",
  );
});

const AMONG_SESSIONS: Readonly<Record<string, RegExp>> = {
  "traffic-acquisition": /^AI Assistant/,
  "traffic-sources": /^chatgpt\.com/,
  "landing-page-acquisition": /AI Assistant|chatgpt\.com/,
};

test("a row says its figure, that of seven days before, and the change between them", () => {
  const [first] = tagged(byId(shown(allPanels()), "report-search-console-query"), "tbody");
  const [row] = first === undefined ? [] : tagged(first, "tr");
  expect(row && cellsOf(row)).toEqual(["alpine huts", "", "900", "810 +11.1%", "10,800", "4.3%", "3.4"]);
});

test("a row that the earlier report does not have is new, one that is not kept of it is not known", () => {
  const earlierOf = (told: "no_row" | "not_kept" | "unclear") =>
    panelRows({ ...panelReport(family("query")), earlier: [{ told }] })[0]?.earlier;
  expect(earlierOf("no_row")).toEqual({ told: "no_row" });
  expect(earlierOf("not_kept")).toEqual({ told: "not_known" });
  expect(earlierOf("unclear")).toEqual({ told: "not_known" });
});

test.each([
  [112, 100, "+12%"],
  [88, 100, "−12%"],
  [100, 100, "±0%"],
  [9, 49, undefined],
  [0, 50, "−100%"],
])("from %d, where it was %d, the change is %p", (now, before, words) => {
  expect(changeWords(now, before)).toBe(words);
});

describe("where there is nothing", () => {
  test("a site without any provider is told so once, with the next step", () => {
    const page = shown(sitePanels([]));
    expect(tagged(page, "section")).toHaveLength(1);
    expect(textOf(page)).toContain("Connect an account");
  });
  test("a provider that is not connected is a line, with the next step", () => {
    const page = shown(sitePanels([panelSource("analytics")]));
    expect(textOf(byId(page, "insights-search"))).toContain(
      "Search console not connected: attach a property",
    );
    expect(textOf(byId(page, "insights-pages"))).toContain("Pages viewed");
  });
  test("what was never archived says when the next run is and what it brings", () => {
    const page = shown(sitePanels([panelSource("search-console", (one) => emptyReport(one))]));
    expect(textOf(byId(page, "insights-search"))).toContain(
      "nothing archived yet. The next run, on 21 Nov 12:15, brings the last four completed days of every report",
    );
  });
  test("a report without rows is a true zero: it is named, and leads to where it is from", () => {
    const page = shown(sitePanels([panelSource("search-console", (one) => panelReport(one, { rows: 0 }))]));
    const search = byId(page, "insights-search");
    expect(textOf(search)).toContain("None counted: queries, 17 Nov, final; image search, 17 Nov, final");
    expect(tagged(search, "table")).toEqual([]);
  });
  test("a day that is not final yet is no failure", () => {
    const search = byId(shown(allPanels()), "insights-search");
    expect(textOf(search)).toContain("no final figures of 19 Nov yet");
    expect(elements(search, (element) => attribute(element, "data-state") === "failing")).toEqual([]);
  });
  test("reports that are not set up for are left out, and why", () => {
    const leftOut = { reason: "parameter_unregistered", seenAt: NOW };
    const site = sitePanels([
      panelSource("analytics", (one) =>
        one.name === "js-errors" ? emptyReport(one, { leftOut }) : panelReport(one),
      ),
    ]);
    expect(textOf(byId(shown(site), "insights-traffic"))).toContain(
      "Script errors are left out: the property has not registered the parameters",
    );
  });
  test("nobody is told to connect a retired site, nor when it is asked", () => {
    const site = sitePanels([panelSource("analytics", (one) => emptyReport(one))], { isRetired: true });
    expect(textOf(shown(site))).not.toContain("next run");
    expect(textOf(shown(site))).not.toContain("attach a property");
  });
});

test("a failure is told once for all that it concerns, beside what was read before, and leads to its attempt", () => {
  const failed = failedSince({}, Date.UTC(2026, 10, 18, 12, 16));
  const site = sitePanels([panelSource("analytics", (one) => panelReport(one, {}, { failed }))]);
  const traffic = byId(shown(site), "insights-traffic");
  const [told, ...others] = elements(traffic, (element) => attribute(element, "data-state") === "failing");
  expect(others).toEqual([]);
  if (told === undefined) throw new Error("nothing is told");
  expect(textOf(told)).toContain(
    "Channels, events and 4 more of 19 Nov failed, as all attempts since 18 Nov 12:16.",
  );
  // The provider may be asked from five past midnight on, but nobody asks for reports before the next run.
  expect(textOf(told)).toContain("Next try 21 Nov 12:15.");
  expect(tagged(told, "a").map((link) => attribute(link, "href"))).toEqual([paths.archiveReport(9_001)]);
  expect(textOf(traffic)).toContain("Organic Search");
});

test("an account that failed is told in every panel of its provider, and no run is promised to bring what it holds back", () => {
  const failed = failedSince({ category: "access", failureCode: "key_refused" });
  const site = sitePanels([
    panelSource("analytics", (one) =>
      one.name === "pages-screens" ? emptyReport(one, { failed, latest: failed.attempt }) : emptyReport(one),
    ),
  ]);
  const [pages, traffic] = ["insights-pages", "insights-traffic"].map((id) => textOf(byId(shown(site), id)));
  expect(pages).toContain("Pages viewed of 19 Nov failed. The provider rejected this key.");
  expect(pages).not.toContain("as all attempts since");
  expect(traffic).toContain("Not asked for since the account failed");
  expect(traffic).toContain("Upload a current key.");
  for (const panel of [pages, traffic]) expect(panel).not.toContain("brings");
});

test("an account's failure is none of a panel that was asked for since, and one property's is none of another panel", () => {
  const traffic = (code: string, attemptedAt: number) => {
    const failed = failedSince({ category: "access", failureCode: code, attemptedAt });
    const site = sitePanels([
      panelSource("analytics", (one) => panelReport(one, {}, one.name === "pages-screens" ? { failed } : {})),
    ]);
    return textOf(byId(shown(site), "insights-traffic"));
  };
  expect(traffic("key_refused", NOW)).toContain("Not asked for");
  expect(traffic("key_refused", 1)).not.toContain("Not asked for");
  expect(traffic("property_denied", NOW)).not.toContain("Not asked for");
});

test("failures of one cause are one trouble, others another", () => {
  const query = family("query");
  const reports = [
    panelReport(query, {}, { failed: failedSince() }),
    panelReport(query, {}, { failed: failedSince({ id: 9_002 }) }),
    panelReport(query, {}, { failed: failedSince({ outcome: "incomplete", category: "incomplete_report" }) }),
    panelReport(query),
  ];
  expect(troublesOf(reports).map((trouble) => [trouble.reports.length, trouble.latest.id])).toEqual([
    [2, 9_002],
    [1, 9_001],
  ]);
});

test("a type of crawl issue leads to its open flag, and says where none is open", () => {
  const issues = byId(shown(allPanels()), "report-webmaster-tools-crawl-issues");
  expect(tagged(issues, "tr").map(cellsOf)).toContainEqual(["Server error (5xx)", "3", "warn: since 2 Nov"]);
  expect(tagged(issues, "tr").map(cellsOf)).toContainEqual(["Not served (4xx)", "212", "none open"]);
  expect(tagged(issues, "a").map((link) => attribute(link, "href"))).toContain(paths.flag("flag-5xx"));
});

test("what the overview leaves out is a link to the page that has it", () => {
  const part = byId(shown(allPanels()), "report-search-console-query");
  const [more] = tagged(part, "a").filter((link) => textOf(link) === "15 more rows");
  const href = more && attribute(more, "href");
  expect(href).toBe(`${paths.siteInsights(ASSET)}#report-search-console-query`);
  expect(tagged(byId(shown(allPanels(), true), "report-search-console-query"), "tr")).toHaveLength(26);
});

test("the panels hold at any size of what they are told", () => {
  const text = "\u202e\u0627".repeat(250);
  for (const provider of PROVIDERS) {
    for (const rows of [0, 1, 25, 50_000]) {
      const site = sitePanels([panelSource(provider, (one) => panelReport(one, { rows, text }))]);
      expect(textOf(shown(site, true))).not.toMatch(/undefined|NaN|Infinity/);
    }
  }
});
