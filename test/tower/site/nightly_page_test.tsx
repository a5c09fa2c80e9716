/** What a site's overview says of it, its log of reports, and their addresses. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, startOfDay, type UtcDay } from "../../../src/base/time.ts";
import { SERIES_SOURCES } from "../../../src/flags/flags.ts";
import type { Entry } from "../../../src/integrations/attention.ts";
import { nightlySummary } from "../../../src/reports/nights.ts";
import type { Pulse } from "../../../src/reports/pulse_contract.ts";
import type { LoggedReport } from "../../../src/reports/report_log.ts";
import { evaluateMetric } from "../../../src/rules/flow_inputs.ts";
import type { StoredVerdict } from "../../../src/rules/verdicts.ts";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { pagingOf } from "../../../src/tower/kit/list.tsx";
import type { SiteHead, SiteStanding } from "../../../src/tower/kit/site_state.tsx";
import { laneKey } from "../../../src/tower/site/lanes.ts";
import { NightlyNotes, type NightlyOverview } from "../../../src/tower/site/latest_nightly.tsx";
import { rowOf } from "../../../src/tower/site/metric_table.tsx";
import { keyLanes, OverviewPage } from "../../../src/tower/site/overview_page.tsx";
import {
  metricAddress,
  metricHref,
  SORTS,
  shownDays,
  siteAddress,
  siteHref,
  WHOLE_SITE,
} from "../../../src/tower/site/range.ts";
import { LogPage, logAddress, logHref } from "../../../src/tower/site/reports_page.tsx";
import type { Lane, SiteDays } from "../../../src/tower/site/site_days.tsx";
import { verdictWords } from "../../../src/tower/site/verdict.tsx";
import { MIDNIGHT_HINT } from "../../../src/tower/site/ways.tsx";
import { flowSeries } from "../../support/flow_history.ts";
import { attribute, byId, elements, parsed, textOf } from "../../support/html.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../../support/thresholds.ts";
import { DESTINATION, inPage, NOW, SITE, TODAY } from "../../support/tower_data.ts";

const FIRST = addDays(TODAY, -400);
const GENERATED = startOfDay(TODAY) + 15_060_000;
const REPORT: Pulse = {
  asset: "trailledger",
  generatedAt: new Date(GENERATED).toISOString(),
  capabilities: ["signups", "searches"],
  metrics: { signups: { last24h: 2, avg7d: 12.4, total: 1_902 }, searches: { last24h: 1_180 } },
};
/** The nightly part of an overview: a report of today and one missed night, or none at all. */
function nightlyOverview(hasReport = true): NightlyOverview {
  const received = Array.from({ length: 40 }, (_, back) => addDays(TODAY, -back));
  const latest = { date: TODAY, revision: 2, receivedAt: GENERATED + 52_000, generatedAt: GENERATED };
  return {
    summary: nightlySummary({
      received: new Set(hasReport ? received.filter((_, back) => back !== 3 && back !== 10) : []),
      first: hasReport ? FIRST : undefined,
      live: true,
      latest: hasReport ? { ...latest, report: REPORT } : undefined,
      families: hasReport ? ["signups", "searches", "uploads"] : [],
      now: NOW,
    }),
    figures: hasReport ? REPORT.metrics : {},
    firstNight: hasReport ? FIRST : undefined,
    owedTo: TODAY,
    failures: [],
    backlog: { reports: 0, since: undefined },
  };
}

/** An overview without charts. */
const CHARTLESS: SiteDays = {
  asset: "trailledger",
  query: WHOLE_SITE,
  days: shownDays(WHOLE_SITE, TODAY, FIRST),
  offset: 0,
  groups: [],
  known: 0,
  paging: pagingOf(0, 1, 12),
  flags: [],
  annotations: { marks: [], newest: null },
};

/** A log with both kinds, revisions, and one report made close to midnight. */
function loggedReports(count: number): LoggedReport[] {
  return Array.from({ length: count }, (_, index): LoggedReport => {
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

const pageOf = (site: SiteHead = SITE) =>
  parsed(
    render(
      inPage(() => (
        <OverviewPage
          site={site}
          code={undefined}
          days={CHARTLESS}
          tests={new Map()}
          keys={keyLanes(CHARTLESS)}
          expected={new Map()}
          nightly={nightlyOverview()}
          own={false}
          health={undefined}
          live={null}
          destination={DESTINATION}
        />
      )),
    ),
  );
const notes = (nightly = nightlyOverview()) =>
  textOf(parsed(render(inPage(() => <NightlyNotes asset="harbor" nightly={nightly} refused={undefined} />))));
const hasClass = (name: string) => (element: Parameters<typeof attribute>[0]) =>
  (attribute(element, "class") ?? "").split(" ").includes(name);

test("what an earlier day was compared with does not stand beside a newer value that is not checked yet", () => {
  const days = Array.from({ length: 60 }, (_, place) => addDays(TODAY, place - 59));
  const series = flowSeries(days.map((day) => [day, { value: 100, state: "final" }] as const));
  const verdict = evaluateMetric(series, TODAY, DEFAULT_FLOW_THRESHOLDS);
  const asset = "trailledger";
  const stored: StoredVerdict = {
    asset,
    source: "pulse",
    metric: "searches",
    judgedAt: NOW,
    date: TODAY,
    verdict,
  };
  const words = verdictWords({ judgedElsewhere: false, figures: REPORT.metrics["searches"], stored });
  if (words.state !== "tested") throw new Error("searches are tested");
  const lane: Lane = {
    key: laneKey("pulse", "searches"),
    half: "pulse",
    metric: "searches",
    label: "searches",
    unit: "count",
    days: [{ day: TODAY, state: "final", basis: "reported", value: 100 }],
    week: undefined,
    flags: [],
    worst: undefined,
    href: "/",
  };
  const rowWith = (day: UtcDay) => {
    const tests = new Map([[lane.key, { words: { ...words, day }, judged: verdict }]]);
    return rowOf(lane, { site: CHARTLESS, figures: {}, tests });
  };
  expect(rowWith(TODAY)).toMatchObject({ normally: expect.any(Number), change: expect.any(Object) });
  expect(rowWith(addDays(TODAY, -3))).toMatchObject({ normally: undefined, change: undefined });
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
    return textOf(byId(pageOf(site), "standing"));
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
    const tree = byId(pageOf({ ...SITE, entries: [first, waits] }), "stands-out");
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
    expect(notes(nightlyOverview(false))).not.toContain("Declared");
    expect(textOf(pageOf())).toContain("Missed 1 of the last 7 nights");
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
            destination={DESTINATION}
            refused={[]}
          />
        )),
      ),
    );

  test("an empty log shows the command; an empty filter shows the way back", () => {
    expect(textOf(page(0))).toContain("crontab");
    expect(textOf(page(0, { ...logAddress.usual, kind: "codebase" }))).toContain("Show all reports");
  });

  test("hints at midnight only where a nightly report was made close to it", () => {
    expect(textOf(page(3))).not.toContain(MIDNIGHT_HINT);
    expect(textOf(page(5))).toContain(MIDNIGHT_HINT);
  });
});

describe("the addresses", () => {
  test("come back from what they were made of", () => {
    const day = fc.integer({ min: 0, max: 3_000 }).map((back) => addDays("2026-11-20" as UtcDay, -back));
    const query = fc.record({
      range: fc.constantFrom(7 as const, 28 as const, 90 as const, 365 as const),
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
    const log = fc.record({ kind, page: fc.integer({ min: 1, max: 99 }) });
    fc.assert(
      fc.property(log, (held) => {
        expect(logAddress.read(params(logHref("harbor", held)))).toEqual(held);
      }),
    );
  });

  test("what they do not know reads as not given", () => {
    const query = siteAddress.read(new URLSearchParams("range=8&from=2026-02-30&page=-1&sort=-x&metric="));
    expect(query).toEqual({
      range: 28,
      from: null,
      to: null,
      source: "pulse",
      metric: null,
      q: "",
      sort: "",
      page: 1,
    });
    expect(logAddress.read(new URLSearchParams("kind=weekly&page=none"))).toEqual(logAddress.usual);
  });
});
