/** Canned nightly parts of an overview, made by the pure cores from made-up counts: for the gallery and the page tests. */

import { judgeMetric } from "../../src/flow/metric_verdict.ts";
import { flowSeries, type StoredVerdict } from "../../src/flow/mod.ts";
import { addDays, daysBetween, startOfDay, type UtcDay } from "../../src/lib/utc_day.ts";
import { eachDay, nightlyDays, nightlySummary, type Pulse, trackPoints } from "../../src/pulse/mod.ts";
import { pagingOf } from "../../src/tower/component/pager.tsx";
import { METRICS_PAGE, type NightlyMetric, type NightlyOverview } from "../../src/tower/nightly/overview.ts";
import { type NightlyQuery, WHOLE_NIGHTLY } from "../../src/tower/nightly/query.ts";
import { ingestFreshness } from "../../src/tower/nightly/service.ts";
import { verdictWords } from "../../src/tower/nightly/verdict.ts";
import { wavering } from "./nightly.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "./thresholds.ts";
import { ANNOTATIONS, NOW, siteRows, TODAY } from "./tower_data.ts";

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

function metricOf(
  metric: MadeMetric,
  report: Pulse,
  days: NightlyOverview["days"],
  last: UtcDay,
): NightlyMetric {
  const readings = Array.from({ length: metric.days }, (_, place) => {
    const back = metric.days - 1 - place;
    return { date: addDays(last, -back), last24h: MISSED.has(back) ? undefined : metric.count(back) };
  }).flatMap(({ date, last24h }) => (last24h === undefined ? [] : [{ date, last24h }]));
  const series = flowSeries(
    readings.flatMap(({ date, last24h }) =>
      last24h === null ? [] : [[date, { value: last24h, state: "final" }] as const],
    ),
  );
  const verdict = judgeMetric(series, last, DEFAULT_FLOW_THRESHOLDS);
  const stored: StoredVerdict = {
    asset: report.asset,
    source: "pulse",
    metric: metric.name,
    judgedAt: NOW,
    date: last,
    verdict,
  };
  const figures = report.metrics[metric.name];
  const within = readings.filter(({ date }) => date >= days.from && date <= days.to);
  const fires = verdict.flow.outcome === "tested" && verdict.flow.fires !== null;
  return {
    name: metric.name,
    figures,
    verdict: verdictWords({ judgedElsewhere: false, figures, stored }),
    judged: verdict,
    points: trackPoints(eachDay(days), within, { first: readings[0]?.date, expectedTo: last }),
    flags: fires ? [{ date: last, severity: "warn", message: "Fewer than expected." }] : [],
    flagged: fires,
  };
}

/** The nightly part of an overview with these metrics. */
export function nightlyOverview(
  options: {
    readonly asset?: string;
    readonly metrics?: readonly MadeMetric[];
    readonly query?: Partial<NightlyQuery>;
    readonly families?: readonly string[];
    readonly report?: Partial<Pulse>;
    readonly sites?: number;
  } = {},
): NightlyOverview {
  const { asset = "trailledger", metrics = METRICS, families = ["signups", "searches", "uploads"] } = options;
  const query = { ...WHOLE_NIGHTLY, ...options.query };
  const generatedAt = startOfDay(TODAY) + 15_060_000;
  const report: Pulse = {
    asset,
    generatedAt: new Date(generatedAt).toISOString(),
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
    ...options.report,
  };
  const received = new Set(
    Array.from({ length: 40 }, (_, back) => back)
      .filter((back) => !MISSED.has(back))
      .map((back) => addDays(TODAY, -back)),
  );
  const summary = nightlySummary({
    received,
    first: addDays(TODAY, -400),
    live: true,
    latest:
      metrics.length === 0
        ? undefined
        : { date: TODAY, revision: 2, receivedAt: generatedAt + 52_000, generatedAt, report },
    families,
    now: NOW,
  });
  const days = nightlyDays(query.range, query.until ?? undefined, summary.lastNight);
  const chosen = metrics.filter(({ name }) =>
    query.metric === null ? name.includes(query.q) : name === query.metric,
  );
  const paging = pagingOf(chosen.length, query.page, METRICS_PAGE);
  const sites = siteRows(options.sites ?? 0).map((row) => ({
    asset: row.asset,
    lifecycle: row.lifecycle,
    receivedAt: row.nightlyAt ?? undefined,
    silentHours: 26,
  }));
  return {
    asset,
    query,
    summary,
    known: metrics.length,
    metrics: chosen
      .slice((paging.page - 1) * METRICS_PAGE, paging.page * METRICS_PAGE)
      .map((metric) => metricOf(metric, report, days, TODAY)),
    paging,
    days,
    earlier: daysBetween(days.from, days.to) < 300 ? addDays(days.from, -1) : null,
    later: null,
    annotations: {
      marks: ANNOTATIONS.filter(({ date }) => date >= days.from && date <= days.to),
      newest: null,
    },
    failures: [],
    backlog: { reports: 0, since: undefined },
    service: options.sites === undefined ? null : ingestFreshness(sites, NOW, query.sites),
  };
}

/** A site that has never sent a nightly report. */
export function noNightly(asset = "trailledger"): NightlyOverview {
  const empty = nightlyOverview({ asset, metrics: [], families: [] });
  const summary = nightlySummary({
    received: new Set(),
    first: undefined,
    live: true,
    latest: undefined,
    families: [],
    now: NOW,
  });
  return { ...empty, summary, earlier: null, annotations: { marks: [], newest: null } };
}
