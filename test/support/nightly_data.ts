/** Canned nightly parts of an overview, made by the pure cores from made-up counts. */

import { addDays, eachDay, startOfDay } from "../../src/base/time.ts";
import { nightlySummary } from "../../src/reports/nights.ts";
import type { Pulse } from "../../src/reports/pulse_contract.ts";
import { evaluateMetric } from "../../src/rules/flow_inputs.ts";
import { flowSeries } from "../../src/rules/flow_series.ts";
import type { StoredVerdict } from "../../src/rules/verdicts.ts";
import { pagingOf } from "../../src/tower/kit/pager.tsx";
import { compared, figureDays } from "../../src/tower/site/day_words.ts";
import { type LaneKey, laneKey, urgency } from "../../src/tower/site/lanes.ts";
import type { NightlyOverview } from "../../src/tower/site/latest_nightly.tsx";
import { keyLanes } from "../../src/tower/site/overview_page.tsx";
import { metricHref, type SiteQuery, shownDays, WHOLE_SITE } from "../../src/tower/site/range.ts";
import type { Lane, SiteDays } from "../../src/tower/site/site_days.tsx";
import { METRICS_PAGE } from "../../src/tower/site/site_days_read.ts";
import { type FigureTest, verdictWords } from "../../src/tower/site/verdict.tsx";
import { wavering } from "./nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "./thresholds.ts";
import { ANNOTATIONS, NOW, TODAY } from "./tower_data.ts";

/** A made-up metric: its name, its daily count by distance from today (null for no value), days of history. */
export interface MadeMetric {
  readonly name: string;
  readonly count: (back: number) => number | null;
  readonly days: number;
  readonly total?: number;
  readonly avg7d?: number;
}

export const METRICS: readonly MadeMetric[] = [
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

export function made(count: number): MadeMetric[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `family-${index % 12}.metric-${String(index).padStart(3, "0")}`,
    count: (back) => wavering(3 + (index % 40) * 9, back, index + 1),
    days: 400,
    total: 1_000 + index,
  }));
}

const MISSED: ReadonlySet<number> = new Set([3, 10]);

/** What a made-up overview is of. */
export interface OverviewOptions {
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
export function nightlyOverview(options: OverviewOptions = {}): NightlyOverview {
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
export function noNightly(): NightlyOverview {
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
export function siteCharts(options: OverviewOptions = {}): {
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
export function overviewOf(options: OverviewOptions = {}) {
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
