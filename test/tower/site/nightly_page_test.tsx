/** The charts and figures of a site. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, eachDay, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { SERIES_SOURCES } from "../../../src/flags/flags.ts";
import type { Entry } from "../../../src/integrations/attention.ts";
import { nightlySummary } from "../../../src/reports/nights.ts";
import type { Pulse } from "../../../src/reports/pulse_contract.ts";
import { evaluateMetric } from "../../../src/rules/flow_inputs.ts";
import { flowSeries } from "../../../src/rules/flow_series.ts";
import type { StoredVerdict } from "../../../src/rules/verdicts.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { pagingOf } from "../../../src/tower/kit/list.tsx";
import type { SiteHead, SiteStanding } from "../../../src/tower/kit/site_state.tsx";
import { compared, figureDays } from "../../../src/tower/site/day_words.ts";
import { type LaneKey, laneKey, urgency } from "../../../src/tower/site/lanes.ts";
import { NightlyNotes, type NightlyOverview, NightTicks } from "../../../src/tower/site/latest_nightly.tsx";
import { rowOf } from "../../../src/tower/site/metric_table.tsx";
import { keyLanes, OverviewPage } from "../../../src/tower/site/overview_page.tsx";
import {
  metricAddress,
  metricHref,
  type SiteQuery,
  SORTS,
  shownDays,
  siteAddress,
  siteHref,
  WHOLE_SITE,
} from "../../../src/tower/site/range.ts";
import { type Logged, LogPage, logAddress, logHref } from "../../../src/tower/site/reports_page.tsx";
import { type Lane, lanesOf, type SiteDays } from "../../../src/tower/site/site_days.tsx";
import { METRICS_PAGE } from "../../../src/tower/site/site_days_read.ts";
import { type FigureTest, verdictWords } from "../../../src/tower/site/verdict.tsx";
import { MIDNIGHT_HINT } from "../../../src/tower/site/ways.tsx";
import { attribute, byId, elements, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { wavering } from "../../support/nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { ANNOTATIONS, DESTINATION, inPage, NOW, SITE, TODAY } from "../../support/tower_data.ts";

// Canned nightly parts of an overview, made by the pure cores from made-up counts.

/** A made-up metric: its name, its daily count by distance from today (null for no value), days of history. */
interface MadeMetric {
  readonly name: string;
  readonly count: (back: number) => number | null;
  readonly days: number;
  readonly total?: number;
  readonly avg7d?: number;
}

const METRICS: readonly MadeMetric[] = [
  {
    name: "signups",
    count: (back) => (back === 0 ? 2 : wavering(14, back)),
    days: 400,
    total: 1_902,
    avg7d: 12.4,
  },
  { name: "searches", count: (back) => wavering(1_180, back, 2), days: 400, total: 388_120, avg7d: 1_160.3 },
  {
    name: "errors.5xx",
    count: (back) => (back === 31 || back === 30 ? null : wavering(3, back, 3)),
    days: 400,
    total: 902,
    avg7d: 2.7,
  },
  { name: "refunds", count: (back) => (back % 11 === 3 ? 1 : 0), days: 400, total: 12, avg7d: 0.1 },
  { name: "exports", count: (back) => wavering(9, back, 4), days: 9, total: 210, avg7d: -8.1 },
];

function made(count: number): MadeMetric[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `family-${index % 12}.metric-${String(index).padStart(3, "0")}`,
    count: (back) => wavering(3 + (index % 40) * 9, back, index + 1),
    days: 400,
    total: 1_000 + index,
  }));
}

const MISSED: ReadonlySet<number> = new Set([3, 10]);

/** What a made-up overview is of. */
interface OverviewOptions {
  readonly asset?: string;
  readonly metrics?: readonly MadeMetric[];
  readonly query?: Partial<SiteQuery>;
  readonly families?: readonly string[];
  readonly report?: Partial<Pulse>;
}

const FIRST = addDays(TODAY, -400);

function reportOf({ asset = "trailledger", metrics = METRICS, report = {} }: OverviewOptions): Pulse {
  return {
    asset,
    generatedAt: new Date(startOfDay(TODAY) + 15_060_000).toISOString(),
    capabilities: ["signups", "searches", "errors"],
    metrics: Object.fromEntries(
      metrics.map(({ name, count, total, avg7d }) => {
        const last24h = count(0);
        return [
          name,
          {
            ...(last24h === null ? {} : { last24h }),
            ...(total === undefined ? {} : { total }),
            ...(avg7d === undefined ? {} : { avg7d }),
          },
        ];
      }),
    ),
    negativeByPage: [
      { page: "/routes/alps/long-distance-hut-to-hut-crossing", count: 31 },
      { page: "/checkout", count: 12 },
      { page: "/", count: 9 },
    ],
    ...report,
  };
}

/** The nightly part of an overview with these metrics. */
function nightlyOverview(options: OverviewOptions = {}): NightlyOverview {
  const { metrics = METRICS, families = ["signups", "searches", "uploads"] } = options;
  const generatedAt = startOfDay(TODAY) + 15_060_000;
  const report = reportOf(options);
  const received = new Set(
    Array.from({ length: 40 }, (_, back) => back)
      .filter((back) => !MISSED.has(back))
      .map((back) => addDays(TODAY, -back)),
  );
  return {
    summary: nightlySummary({
      received,
      first: FIRST,
      live: true,
      latest:
        metrics.length === 0
          ? undefined
          : { date: TODAY, revision: 2, receivedAt: generatedAt + 52_000, generatedAt, report },
      families,
      now: NOW,
    }),
    figures: report.metrics,
    firstNight: FIRST,
    owedTo: TODAY,
    failures: [],
    backlog: { reports: 0, since: undefined },
  };
}

/** A site that has never sent a nightly report. */
function noNightly(): NightlyOverview {
  const empty = nightlyOverview({ metrics: [], families: [] });
  const summary = nightlySummary({
    received: new Set(),
    first: undefined,
    live: true,
    latest: undefined,
    families: [],
    now: NOW,
  });
  return { ...empty, summary, figures: {}, firstNight: undefined };
}

/** A made-up metric as its chart and its test. */
function laneOf(
  metric: MadeMetric,
  options: OverviewOptions,
  days: SiteDays["days"],
): { readonly lane: Lane; readonly test: FigureTest } {
  const { asset = "trailledger" } = options;
  const readings = Array.from({ length: metric.days }, (_, place) => metric.days - 1 - place)
    .filter((back) => !MISSED.has(back))
    .map((back) => [addDays(TODAY, -back), metric.count(back)] as const);
  const series = flowSeries(
    readings.flatMap(([date, value]) => (value === null ? [] : [[date, { value, state: "final" }] as const])),
  );
  const verdict = evaluateMetric(series, TODAY, DEFAULT_FLOW_THRESHOLDS);
  const stored: StoredVerdict = {
    asset,
    source: "pulse",
    metric: metric.name,
    judgedAt: NOW,
    date: TODAY,
    verdict,
  };
  const told = new Map(
    readings.map(([date, value]) => [
      date,
      value === null
        ? ({ state: "missing", basis: null, value } as const)
        : ({ state: "final", basis: "reported", value } as const),
    ]),
  );
  const owed = { first: readings[0]?.[0], last: TODAY };
  const shown = figureDays(eachDay(days), told, owed);
  const before = figureDays(
    eachDay({ from: addDays(days.from, -7), to: addDays(days.from, -1) }),
    told,
    owed,
  );
  const fires = verdict.flow.outcome === "tested" && verdict.flow.fires !== null;
  const key = laneKey("pulse", metric.name);
  const flag = {
    lane: key,
    date: TODAY,
    severity: "warn",
    message: "Fewer than expected.",
    status: "open",
    days: [TODAY],
    rule: "flow-drop",
  } as const;
  return {
    lane: {
      key,
      half: "pulse",
      metric: metric.name,
      label: metric.name,
      unit: "count",
      days: shown,
      breaks: new Set(),
      before,
      comparison: compared([...before, ...shown], 7),
      flags: fires ? [{ ...flag, href: "/flags/one" }] : [],
      worst: fires ? "warn" : undefined,
      href: metricHref(asset, { metric: metric.name }),
    },
    test: {
      words: verdictWords({
        judgedElsewhere: false,
        figures: reportOf(options).metrics[metric.name],
        stored,
      }),
      judged: verdict,
    },
  };
}

/** The charts of a site and the tests of its figures, with these metrics. */
function siteCharts(options: OverviewOptions = {}): {
  readonly days: SiteDays;
  readonly tests: ReadonlyMap<LaneKey, FigureTest>;
} {
  const { asset = "trailledger", metrics = METRICS } = options;
  const query = { ...WHOLE_SITE, ...options.query };
  const days = shownDays(query, TODAY, metrics.length === 0 ? undefined : FIRST);
  const chosen = metrics.filter(({ name }) =>
    query.metric === null ? name.includes(query.q) : name === query.metric,
  );
  const paging = pagingOf(chosen.length, query.page, METRICS_PAGE);
  const made = chosen
    .slice((paging.page - 1) * METRICS_PAGE, paging.page * METRICS_PAGE)
    .map((metric) => laneOf(metric, options, days));
  const lanes = made
    .map(({ lane }) => lane)
    .toSorted((one, other) => urgency(one.worst) - urgency(other.worst));
  return {
    days: {
      asset,
      query: { ...query, page: paging.page },
      days,
      offset: 0,
      groups: lanes.length === 0 ? [] : [{ half: "pulse", lanes, finalTo: TODAY, standing: undefined }],
      known: metrics.length,
      paging,
      flags: lanes.flatMap(({ flags }) => flags),
      annotations: {
        marks: ANNOTATIONS.filter(({ date }) => date >= days.from && date <= days.to),
        newest: null,
      },
      unconnected: ["analytics", "search-console", "webmaster-tools"],
    },
    tests: new Map(made.map(({ lane, test }) => [lane.key, test])),
  };
}

/** What an overview shows of these metrics, beside what it says of the site. */
function overviewOf(options: OverviewOptions = {}) {
  const charts = siteCharts(options);
  return {
    ...charts,
    keys: keyLanes(charts.days),
    expected: new Map(),
    nightly: nightlyOverview(options),
    own: false,
    health: undefined,
    change: undefined,
    live: null,
  };
}

/** A log with both kinds, revisions, and one report made close to midnight. */
function loggedReports(count: number): Logged[] {
  return Array.from({ length: count }, (_, index): Logged => {
    const date = addDays(TODAY, -Math.floor(index / 2));
    const late = index % 7 === 4;
    const generatedAt = startOfDay(date) + (late ? 600_000 : 12_420_000 + index * 60_000);
    return {
      kind: index % 5 === 2 ? "codebase" : "nightly",
      date,
      revision: index % 2 === 0 ? 2 : 1,
      revisions: 2,
      receivedAt: generatedAt + 4_000,
      generatedAt,
    };
  });
}

const pageOf = (options: OverviewOptions = {}, props: Partial<Parameters<typeof OverviewPage>[0]> = {}) =>
  render(
    inPage(() => (
      <OverviewPage
        site={SITE}
        codebase={undefined}
        {...overviewOf(options)}
        destination={DESTINATION}
        {...props}
      />
    )),
  );
const sections = (options: OverviewOptions = {}) => parsed(pageOf(options));
const notes = (nightly = nightlyOverview()) =>
  textOf(parsed(render(inPage(() => <NightlyNotes asset="harbor" nightly={nightly} refused={undefined} />))));
const hasClass = (name: string) => (element: Parameters<typeof attribute>[0]) =>
  (attribute(element, "class") ?? "").split(" ").includes(name);

const titlesOf = (tree: ReturnType<typeof sections>) =>
  elements(tree, (element) => (attribute(element, "id") ?? "").startsWith("day-")).map(textOf);

describe("the charts of an overview", () => {
  test("say each day's values, and lead to the day", () => {
    const tree = sections({ query: { range: 7 } });
    expect(titlesOf(tree)).toHaveLength(7);
    expect(titlesOf(tree).at(-1)).toContain("signups: 2");
    expect(attribute(byId(tree, "day-2026-11-20"), "href")).toBe("/sites/trailledger/days/2026-11-20");
  });

  test("five at most, a flagged one first; a search, a further page and another order show the table alone", () => {
    const charts = (query: OverviewOptions["query"]) =>
      elements(sections({ query: query ?? {}, metrics: [...METRICS, ...made(20)] }), (element) =>
        (attribute(element, "aria-label") ?? "").includes(" by day, "),
      ).map((plot) => attribute(plot, "aria-label")?.split(" ")[0]);
    expect(charts({})).toHaveLength(5);
    expect(charts({})[0]).toBe("signups");
    for (const query of [{ q: "s" }, { page: 2 }, { sort: "latest" as const }])
      expect(charts(query)).toEqual([]);
  });
});

describe("the table of metrics", () => {
  const rows = rowsOf(sections(), "Metrics of the site");
  const row = (name: string) => rows.find(([head]) => head === name) ?? [];

  test("every metric has its news and a result: a flag, as expected, or not tested because of what", () => {
    expect(row("signups").slice(1, 5)).toEqual(["2", "11", "−9", "–"]);
    expect(row("signups").at(-1)).toBe("Flag");
    expect(row("searches").at(-1)).toBe("As expected");
    expect(row("exports").at(-1)).toBe("Not tested. Starts 10 Dec: needs 28 days of history.");
    for (const cells of rows.slice(1)) expect(cells.at(-1)).toMatch(/^(Flag|As expected|Not tested)/);
  });

  test("what an earlier day was compared with does not stand beside a newer value that is not checked yet", () => {
    const { days: site, tests } = siteCharts();
    const [lane] = lanesOf(site).filter(({ metric }) => metric === "searches");
    const test = lane && tests.get(lane.key);
    if (test?.words.state !== "tested") throw new Error("searches are tested");
    const rowWith = (day: UtcDay) =>
      rowOf(lane as Lane, {
        site,
        figures: {},
        tests: new Map([[(lane as Lane).key, { ...test, words: { ...test.words, day } }]]),
      });
    expect(rowWith(TODAY)).toMatchObject({ normally: expect.any(Number), change: expect.any(Object) });
    expect(rowWith(addDays(TODAY, -3))).toMatchObject({ normally: undefined, change: undefined });
  });

  test("an absent figure is not sent, never 0", () => {
    const without = sections({ metrics: [{ name: "signups", count: () => null, days: 9 }] });
    const [, cells = []] = rowsOf(without, "Metrics of the site");
    expect(cells.slice(1, 3)).toEqual(["Not sent", "–"]);
  });

  test("sorts by every number: the greatest first, and its heading says so", () => {
    const tree = sections({ query: { sort: "latest" } });
    const names = rowsOf(tree, "Metrics of the site")
      .slice(1)
      .map(([name]) => name);
    expect(names[0]).toBe("searches");
    const sorted = elements(tree, (element) => attribute(element, "aria-sort") !== undefined);
    expect(sorted.map((head) => [textOf(head), attribute(head, "aria-sort")])).toEqual([
      ["Latest", "descending"],
    ]);
    const turned = rowsOf(sections({ query: { sort: "-latest" } }), "Metrics of the site");
    expect(turned.slice(1).map(([name]) => name)).toEqual(names.toReversed());
  });

  test("200 metrics come twelve a page, and the page stays below 140 KB and 25 KB packed", () => {
    const html = pageOf({ metrics: made(200) });
    expect(rowsOf(parsed(html), "Metrics of the site")).toHaveLength(13);
    expect(html.length).toBeLessThan(140_000);
    expect(Bun.gzipSync(html).length).toBeLessThan(25_000);
  });
});

describe("the head of a site", () => {
  const HOUR = 3_600_000;
  const entry = (of: Partial<Entry>): Entry => ({
    cause: "flags trailledger 2026-11-20",
    severity: "warn",
    acts: "person",
    trouble: "numbers",
    title: "Signups down 86% (2, normally about 14)",
    also: [],
    since: NOW,
    assets: [SITE.asset],
    flags: ["one", "two"],
    rows: [],
    series: null,
    targets: [],
    action: { verb: "Review 2 flags", text: "Review 2 flags.", href: "/sites/trailledger/flags" },
    nextRetryAt: null,
    isPressing: true,
    ...of,
  });
  const said = (
    standing: Partial<SiteStanding>,
    entries: readonly Entry[] = [],
    silenceFlag: SiteHead["silenceFlag"] = undefined,
    open = 0,
  ) => {
    const site: SiteHead = {
      ...SITE,
      openFlags: { error: 0, warn: open, info: 0 },
      standing: { state: "reporting", receivedAt: NOW - 5 * HOUR, pausedUntil: null, ...standing },
      silenceFlag,
      entries,
    };
    return textOf(byId(parsed(pageOf({}, { site })), "standing"));
  };

  test("agrees with the ranking: what needs somebody, what is only open, or nothing", () => {
    const broken = entry({ trouble: "connection", severity: "warn" });
    expect(said({}, [entry({}), broken])).toBe("2 flags need attention, 1 connection is broken.");
    expect(said({}, [entry({ isPressing: false, flags: ["one"] })])).toBe(
      "Nothing new needs attention; 1 flag is open.",
    );
    expect(said({})).toBe("Nothing needs attention.");
    expect(said({}, [], undefined, 1)).toBe("Nothing new needs attention; 1 flag is open.");
  });

  test("silence comes before all else and is no all-clear, also where only its flag says so", () => {
    const flag = { id: "1", subject: SITE.asset, snoozedUntil: null };
    const silent = { state: "silent", receivedAt: NOW - 9 * 24 * HOUR } as const;
    expect(said(silent, [], flag)).toBe(
      "No reports for 9 nights, so nothing has been checked since. View alert",
    );
    expect(said({ ...silent, receivedAt: NOW - 27 * HOUR })).toStartWith("No reports for 27 h, so nothing");
    expect(said({}, [], flag)).toBe("Reports again; the alert about its silence is still open. View alert");
    expect(said(silent, [entry({ trouble: "silent" }), entry({})], flag)).toEndWith(
      "2 flags need attention.",
    );
  });

  test("what no report is expected of is not silent", () => {
    expect(said({ state: "retired" })).toBe("Retired: no reports are expected any more.");
    expect(said({ state: "pre_launch", receivedAt: null })).toBe(
      "Not launched: no nightly report is expected yet.",
    );
    expect(said({ state: "paused" })).toBe("Paused: no nightly report is expected until it is resumed.");
    expect(said({ state: "paused", pausedUntil: NOW + HOUR })).toMatch(
      /^Paused: no nightly report is expected before \d+ Nov \d\d:\d\d\./,
    );
  });

  test("each cause stands once with its act; what Tower retries by itself has none", () => {
    const waits = entry({
      cause: "bing",
      acts: "waits",
      trouble: "connection",
      title: "Bing is slow",
      isPressing: false,
    });
    const first = entry({ also: ["Errors up 40%", "Orders down 30%", "Refunds up 20%"] });
    const tree = byId(parsed(pageOf({}, { site: { ...SITE, entries: [first, waits] } })), "stands-out");
    expect(textOf(tree)).toContain("Also: Errors up 40%, and 2 more");
    expect(elements(tree, hasClass("btn")).map(textOf)).toEqual([
      "Review 2 flags: Signups down 86% (2, normally about 14)",
    ]);
    expect(textOf(tree)).toContain("Retrying automatically: Bing is slow");
  });
});

describe("the latest report", () => {
  test("names the families that were declared and are not in it, which is not the same as no report", () => {
    expect(notes()).toContain("Declared, but not in the report of 20 Nov: uploads");
    expect(notes(noNightly())).not.toContain("Declared");
    expect(textOf(sections())).toContain("Missed 1 of the last 7 nights");
  });

  test("no page named is not the same as no negative event", () => {
    const nightly = nightlyOverview();
    const text = (negative: typeof nightly.summary.negative) =>
      notes({ ...nightly, summary: { ...nightly.summary, negative } });
    expect(text([])).toContain("Negative events by page: none");
    expect(text(undefined)).toContain("Negative events by page: Not measured");
    const four = ["/a", "/b", "/c", "/d"].map((page, place) => ({ page, count: 9 - place }));
    expect(text(four)).toContain("Negative events by page: /a 9, /b 8, 2 more pages");
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
  const page = (count: number, query = logAddress.usual) =>
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
            refused={[]}
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
    expect(textOf(page(0, { ...logAddress.usual, kind: "codebase" }))).toContain("Show all reports");
  });
});

describe("the addresses", () => {
  test("come back from what they were made of", () => {
    const day = fc.integer({ min: 0, max: 3_000 }).map((back) => addDays("2026-11-20" as UtcDay, -back));
    const query = fc.record({
      range: fc.constantFrom(7 as const, 28 as const, 90 as const, 365 as const),
      until: fc.option(day),
      from: fc.option(day),
      to: fc.option(day),
      source: fc.constantFrom(...SERIES_SOURCES),
      metric: fc.option(fc.string({ minLength: 1, maxLength: 200 })),
      q: fc.string({ maxLength: 50 }).map((text) => text.trim()),
      sort: fc.constantFrom("", ...SORTS, ...SORTS.map((sort) => `-${sort}`)),
      page: fc.integer({ min: 1, max: 99 }),
    });
    const params = (href: string) => new URL(href, "http://localhost").searchParams;
    fc.assert(
      fc.property(query, (held) => {
        expect(siteAddress.read(params(siteHref("harbor", held)))).toEqual(held);
        expect(metricAddress.read(params(metricHref("harbor", held)))).toEqual(held);
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
    const query = siteAddress.read(new URLSearchParams("range=8&until=2026-02-30&page=-1&sort=-x&metric="));
    expect(query).toEqual({
      range: 28,
      until: null,
      from: null,
      to: null,
      source: "pulse",
      metric: null,
      q: "",
      sort: "",
      page: 1,
    });
    expect(logAddress.read(new URLSearchParams("kind=weekly&from=never"))).toEqual(logAddress.usual);
  });
});
