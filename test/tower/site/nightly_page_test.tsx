/** The charts and figures of a site. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, type UtcDay } from "../../../src/base/time.ts";
import { SERIES_SOURCES } from "../../../src/flags/flags.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { pagingOf } from "../../../src/tower/kit/pager.tsx";
import { SiteCharts } from "../../../src/tower/site/charts.tsx";
import { LatestNightly, NightTicks } from "../../../src/tower/site/latest_nightly.tsx";
import { MetricProof, MetricTable } from "../../../src/tower/site/metric_table.tsx";
import { siteAddress, siteHref } from "../../../src/tower/site/range.ts";
import { logAddress, logHref, WHOLE_LOG } from "../../../src/tower/site/reports.ts";
import { LogPage } from "../../../src/tower/site/reports_page.tsx";
import { NegativePages } from "../../../src/tower/site/sent_pulse.tsx";
import { TestedWindows } from "../../../src/tower/site/verdict.tsx";
import { MIDNIGHT_HINT } from "../../../src/tower/site/ways.tsx";
import { attribute, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import {
  made,
  nightlyOverview,
  noNightly,
  type OverviewOptions,
  overviewOf,
} from "../../support/nightly_data.ts";
import { loggedReports } from "../../support/nightly_pages.tsx";
import { DESTINATION, inPage, SITE } from "../../support/tower_data.ts";

const sectionsOf = (options: OverviewOptions = {}): string => {
  const { days, tests, nightly } = overviewOf(options);
  return render(
    inPage(() => (
      <>
        <SiteCharts site={days} below={<TestedWindows site={days} tests={tests} />} />
        <MetricTable site={days} figures={nightly.figures} tests={tests} />
        <MetricProof site={days} tests={tests} />
      </>
    )),
  );
};
const sections = (options: OverviewOptions = {}) => parsed(sectionsOf(options));
const latest = (options: OverviewOptions = {}) =>
  parsed(render(inPage(() => <LatestNightly asset="harbor" summary={nightlyOverview(options).summary} />)));
const hasClass = (name: string) => (element: Parameters<typeof attribute>[0]) =>
  (attribute(element, "class") ?? "").split(" ").includes(name);

const titlesOf = (tree: ReturnType<typeof sections>) =>
  elements(tree, (element) => (attribute(element, "id") ?? "").startsWith("day-")).map(
    (element) => attribute(element, "title") ?? "",
  );

describe("a metric's chart", () => {
  test("has a title for each day, a slot for each stretch of missing ones, and no bar where nothing is", () => {
    const tree = sections({ query: { metric: "errors.5xx", range: 30 } });
    const titles = titlesOf(tree);
    expect(titles).toHaveLength(30);
    const missing = titles.filter((title) => title.endsWith(": no value"));
    expect(missing.length).toBeGreaterThan(0);
    expect(elements(tree, (element) => element.tagName === "rect" && hasClass("none")(element))).toHaveLength(
      missing.length + 1,
    );
  });

  test("0 is a short tick, not an absence", () => {
    const tree = sections({ query: { metric: "refunds", range: 7 } });
    expect(elements(tree, hasClass("zero"))).toHaveLength(1);
    expect(titlesOf(tree)).toContain("20 Nov\nrefunds: 0");
  });

  test("the windows of a tested metric are drawn under its bars", () => {
    const tree = sections({ query: { metric: "signups" } });
    expect(elements(tree, hasClass("pmf"))).toHaveLength(4);
    expect(elements(tree, hasClass("seen"))).toHaveLength(1);
    expect(elements(sections({ query: { metric: "exports" } }), hasClass("pmf"))).toHaveLength(0);
  });

  test("the numbers stand in a table: one row a day, the newest first", () => {
    const rows = rowsOf(sections({ query: { range: 7 } }), "By day, newest first");
    expect(rows).toHaveLength(8);
    expect(rows[1]?.[0]).toBe("20 Nov");
    expect(rows.flat().map((cell) => cell.trim())).toContain("No value");
  });
});

describe("the table of figures and tests", () => {
  const rows = rowsOf(sections(), "Figures of the site and their tests");
  const row = (name: string) => rows.find(([head]) => head === name) ?? [];

  test("every metric has a verdict: tested with its chance and φ, or not tested because of what", () => {
    expect(row("searches").at(-1)).toMatch(
      /^Tested on 1 day ?Chance of this (few|many): 0\.\d+\. Alpha 0.01, φ \d.*\.$/,
    );
    expect(row("exports").at(-1)).toBe("Not tested. Starts 10 Dec: needs 28 days of history.");
    for (const cells of rows.slice(1)) expect(cells.at(-1)).toMatch(/^(Tested on|Not tested|Fewer|More)/);
  });

  test("the sender's average is named diagnostic and shown as sent", () => {
    expect(rows[0]).toContain("Total, sender's 7-day average (diagnostic)");
    expect(row("exports")[2]).toBe("210average -8.1");
  });

  test("an absent figure is not sent, never 0", () => {
    const without = sections({ metrics: [{ name: "signups", count: () => null, days: 9 }] });
    const [, cells = []] = rowsOf(without, "Figures of the site and their tests");
    expect(cells.slice(1, 3)).toEqual(["Not sent", "Not sent"]);
  });

  test("200 metrics come eight a page, and the page stays below 140 KB and 25 KB packed", () => {
    const html = sectionsOf({ metrics: made(200) });
    expect(rowsOf(parsed(html), "Figures of the site and their tests")).toHaveLength(9);
    expect(html.length).toBeLessThan(140_000);
    expect(Bun.gzipSync(html).length).toBeLessThan(25_000);
  });
});

describe("the latest report", () => {
  test("declared, but missing is told apart from no report at all", () => {
    expect(textOf(latest())).toContain("uploads Declared, but missing");
    const none = parsed(render(inPage(() => <LatestNightly asset="harbor" summary={noNightly().summary} />)));
    expect(textOf(none)).toContain("No nightly report yet");
    expect(textOf(none)).not.toContain("Declared, but missing");
  });

  test("received, made, covered day and revision stand beside each other, with the missed nights", () => {
    const tree = latest();
    const terms = tagged(tree, "dt").map(textOf);
    const facts = new Map(tagged(tree, "dd").map((value, index) => [terms[index], textOf(value)]));
    expect(facts.get("Received")).toBe("20 Nov 04:11");
    expect(facts.get("Made")).toBe("20 Nov 04:11");
    expect(facts.get("Covers")).toBe("20 Nov (UTC day it was made on); its last 24 h begin 19 Nov 04:11");
    expect(facts.get("Revision")).toBe("2 of the day");
    expect(facts.get("Nights")).toBe("Missed 1 of the last 7 nights");
  });

  test("no page named is not the same as no negative event", () => {
    const { summary } = nightlyOverview({ report: { negativeByPage: [] } });
    const text = (negative: typeof summary.negative) =>
      textOf(parsed(render(inPage(() => <NegativePages summary={{ ...summary, negative }} />))));
    expect(text([])).toContain("No negative event on any page.");
    expect(text(undefined)).toContain("Not measured");
    expect(text([{ page: "/", count: 0 }])).not.toContain("Not measured");
  });
});

test("the nights are drawn and said: received solid, missed hollow, none where none was due", () => {
  const day = (back: number): UtcDay => addDays("2026-11-20" as UtcDay, -back);
  const nights = [
    { day: day(2), state: "outside" },
    { day: day(1), state: "missed" },
    { day: day(0), state: "received" },
  ] as const;
  const [svg] = tagged(parsed(render(<NightTicks nights={nights} />)), "svg");
  expect(svg === undefined ? "" : attribute(svg, "aria-label")).toBe(
    "Of the last 3 nights 1 received, 1 missed",
  );
});

describe("the log of reports", () => {
  const page = (count: number, query = WHOLE_LOG) =>
    parsed(
      render(
        inPage(() => (
          <LogPage
            site={SITE}
            query={query}
            reports={loggedReports(count)}
            paging={pagingOf(count, 1, 50)}
            summary={nightlyOverview().summary}
            destination={DESTINATION}
          />
        )),
      ),
    );

  test("shows each revision as current or superseded, and leads to it", () => {
    const rows = rowsOf(page(3), "Reports, newest received first");
    expect(rows.slice(1).map((cells) => cells[3])).toEqual([
      "2 of 2 current",
      "1 of 2 superseded",
      "2 of 2 current",
    ]);
    const links = tagged(page(3), "a").map((link) => attribute(link, "href"));
    expect(links).toContain("/sites/trailledger/reports/2026-11-20/1");
    expect(links).toContain("/sites/trailledger/reports/codebase/2026-11-19/2");
  });

  test("hints at midnight only where a nightly report was made close to it", () => {
    expect(textOf(page(3))).not.toContain(MIDNIGHT_HINT);
    expect(textOf(page(5))).toContain(MIDNIGHT_HINT);
  });

  test("an empty log shows the command; an empty filter shows the way back", () => {
    expect(textOf(page(0))).toContain("crontab");
    expect(textOf(page(0, { ...WHOLE_LOG, kind: "codebase" }))).toContain("Show all reports");
  });
});

describe("the addresses", () => {
  test("come back from what they were made of", () => {
    const day = fc.integer({ min: 0, max: 3_000 }).map((back) => addDays("2026-11-20" as UtcDay, -back));
    const query = fc.record({
      range: fc.constantFrom(7 as const, 30 as const, 90 as const),
      until: fc.option(day),
      from: fc.option(day),
      to: fc.option(day),
      source: fc.constantFrom(...SERIES_SOURCES),
      metric: fc.option(fc.string({ minLength: 1, maxLength: 200 })),
      q: fc.string({ maxLength: 50 }).map((text) => text.trim()),
      page: fc.integer({ min: 1, max: 99 }),
      sites: fc.integer({ min: 1, max: 99 }),
    });
    const params = (href: string) => new URL(href, "http://localhost").searchParams;
    fc.assert(
      fc.property(query, (held) => {
        expect(siteAddress.read(params(siteHref("harbor", held)))).toEqual(held);
      }),
    );
    const kind = fc.constantFrom(null, "nightly" as const, "codebase" as const);
    const log = fc.record({
      kind,
      from: fc.option(day),
      to: fc.option(day),
      page: fc.integer({ min: 1, max: 99 }),
    });
    fc.assert(
      fc.property(log, (held) => {
        expect(logAddress.read(params(logHref("harbor", held)))).toEqual(held);
      }),
    );
  });

  test("what they do not know reads as not given", () => {
    const query = siteAddress.read(new URLSearchParams("range=8&until=2026-02-30&page=-1&sites=x&metric="));
    expect(query).toEqual({
      range: 90,
      until: null,
      from: null,
      to: null,
      source: "pulse",
      metric: null,
      q: "",
      page: 1,
      sites: 1,
    });
    expect(logAddress.read(new URLSearchParams("kind=weekly&from=never"))).toEqual(WHOLE_LOG);
  });
});
