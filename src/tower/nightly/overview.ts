/** Everything the overview of a site shows of its nightly reports: gathered, ordered and cut to one page. */
import { findAsset, listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { type FlagRow, listChainedFlags, listFlags, titleOf } from "../../flags/mod.ts";
import { currentVerdict, listVerdicts, type MetricVerdict } from "../../flow/mod.ts";
import { isFreshnessMetric } from "../../freshness/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { addDays, parseUtcDay, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../../monitoring/mod.ts";
import {
  type Backlog,
  type DayPoint,
  eachDay,
  findBacklog,
  findLatestPulse,
  listFirstNights,
  listFreshness,
  listHistories,
  listMetricNames,
  listNights,
  type NightlyDays,
  type NightlySummary,
  nightlyDays,
  nightlySummary,
  STRIP_NIGHTS,
  trackPoints,
} from "../../pulse/mod.ts";
import { SENT } from "../../rules/mod.ts";
import type { ChartAnnotations, ChartFlag } from "../component/chart_marks.tsx";
import { type Paging, pagingOf } from "../component/pager.tsx";
import type { NightlyQuery } from "./query.ts";
import { type IngestFreshness, ingestFreshness } from "./service.ts";
import { type VerdictWords, verdictWords } from "./verdict.ts";

/** Metrics on one page: each has a chart and a row. */
export const METRICS_PAGE = 8;
/** Most flags drawn on the charts of a page, the newest ones. */
const MOST_FLAGS = 300;

/** One metric of the page. */
export interface NightlyMetric {
  readonly name: string;
  /** As the latest report has it; undefined where that report does not have the metric. */
  readonly figures:
    | {
        readonly last24h?: number | undefined;
        readonly avg7d?: number | undefined;
        readonly total?: number | undefined;
      }
    | undefined;
  readonly verdict: VerdictWords;
  /** The stored verdict whole, for the page of one metric. */
  readonly judged: MetricVerdict | undefined;
  readonly points: readonly DayPoint[];
  readonly flags: readonly ChartFlag[];
  /** Whether a flag of it is open. */
  readonly flagged: boolean;
}

export interface NightlyOverview {
  readonly asset: string;
  readonly query: NightlyQuery;
  readonly summary: NightlySummary;
  /** Metrics ever reported. */
  readonly known: number;
  readonly metrics: readonly NightlyMetric[];
  readonly paging: Paging;
  readonly days: NightlyDays;
  /** Last days of the range before and after; null where there is none. */
  readonly earlier: UtcDay | null;
  readonly later: UtcDay | null;
  readonly annotations: ChartAnnotations;
  /** What of the site's reports could not be judged. */
  readonly failures: readonly MonitoringFailure[];
  /** The site's reports that are not judged yet. */
  readonly backlog: Backlog;
  /** On the service's own asset: the freshness of every site. */
  readonly service: IngestFreshness | null;
}

/** What gathering needs beside the database. */
export interface NightlyContext {
  readonly db: Db;
  readonly now: number;
  readonly serviceAsset: string;
  readonly silentHoursOf: (asset: string) => number;
  readonly annotationsOf: (asset: string, days: NightlyDays) => ChartAnnotations;
}

/** Reads the nightly part of a site's overview. */
export function readNightly(
  context: NightlyContext,
  asset: string,
  asked: NightlyQuery,
  site = findAsset(context.db, asset),
): NightlyOverview {
  const { db, now } = context;
  const latest = findLatestPulse(db, asset, now);
  const received =
    listNights(db, [asset], addDays(utcDayOf(now), -STRIP_NIGHTS)).get(asset) ?? new Set<UtcDay>();
  const first = listFirstNights(db, [asset]).get(asset);
  const live = site?.lifecycle === "live";
  const summary = nightlySummary({
    received,
    first,
    live,
    latest,
    families: site?.families.map(({ family }) => family) ?? [],
    now,
  });
  const days = nightlyDays(asked.range, asked.until ?? undefined, summary.lastNight);
  const everyDay = eachDay(days);
  const names = listMetricNames(db, asset);
  const openMetrics = new Set(
    listFlags(db, { asset, status: "open" }, MOST_FLAGS)
      .filter(isOfSent)
      .flatMap(({ metric }) => metric ?? []),
  );
  const current = new Set(Object.keys(latest?.report.metrics ?? {}));
  const { shown, paging } = choose(names, { flagged: openMetrics, current }, asked);
  const histories = listHistories(db, asset, shown, days);
  const flags = flagsBetween(db, asset, days, now);
  const verdicts = new Map(
    listVerdicts(db, asset, { metrics: shown }).map((stored) => [
      stored.metric,
      { ...stored, verdict: currentVerdict(stored.verdict) },
    ]),
  );
  const own = asset === context.serviceAsset;
  const expectedTo = live ? summary.lastNight : latest?.date;
  const metrics = shown.map((name): NightlyMetric => {
    const { first: begin, readings } = histories.get(name) ?? { first: undefined, readings: [] };
    const figures = latest === undefined ? undefined : heldIn(latest.report.metrics, name);
    const stored = verdicts.get(name);
    return {
      name,
      figures,
      verdict: verdictWords({ judgedElsewhere: own && isFreshnessMetric(name), figures, stored }),
      judged: stored?.verdict,
      points: trackPoints(everyDay, readings, { first: begin, expectedTo }),
      flags: flags.get(name) ?? [],
      flagged: openMetrics.has(name),
    };
  });
  return {
    asset,
    query: { ...asked, page: paging.page },
    summary,
    known: names.length,
    metrics,
    paging,
    days,
    earlier: first !== undefined && first < days.from ? addDays(days.from, -1) : null,
    later: days.to < summary.lastNight ? addDays(days.to, asked.range) : null,
    annotations: context.annotationsOf(asset, days),
    failures: listMonitoringFailures(db, { kind: "rule", asset }),
    backlog: findBacklog(db, asset),
    service: own ? readService(context, asked.sites) : null,
  };
}

/** A value of a record that came from outside, never one of its prototype. */
function heldIn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The metrics of the page: those with an open flag first, those the latest report does not have last, then by name. */
function choose(
  names: readonly string[],
  groups: { readonly flagged: ReadonlySet<string>; readonly current: ReadonlySet<string> },
  asked: NightlyQuery,
): { readonly shown: readonly string[]; readonly paging: Paging } {
  const wanted = asked.q.toLowerCase();
  const rank = (name: string): number => (groups.flagged.has(name) ? 0 : groups.current.has(name) ? 1 : 2);
  const ordered = names
    .filter((name) => (asked.metric === null ? name.toLowerCase().includes(wanted) : name === asked.metric))
    .toSorted((one, other) => rank(one) - rank(other));
  const paging = pagingOf(ordered.length, asked.page, METRICS_PAGE);
  return { shown: ordered.slice((paging.page - 1) * METRICS_PAGE, paging.page * METRICS_PAGE), paging };
}

/** Flags of the days, by metric, each lasting thing once: at the first of the days that it is about. */
function flagsBetween(db: Db, asset: string, days: NightlyDays, now: number): Map<string, ChartFlag[]> {
  // A flag is raised after the day it is about: up to a week later when its report came late.
  const until = startOfDay(addDays(days.to, 8));
  const rows = listChainedFlags(db, { asset, from: startOfDay(days.from), to: until }, MOST_FLAGS);
  const began = new Map<string, ChartFlag & { readonly metric: string }>();
  // The newest come first, so that the earliest row of a chain is the one that stays.
  for (const row of rows) {
    const { chain, metric, severity } = row;
    if (metric === null || !isOfSent(row)) continue;
    const date = dayOf(row);
    if (date < days.from || date > days.to) continue;
    began.set(chain.first, { metric, date, severity, message: titleOf(row, now) });
  }
  return Map.groupBy(began.values(), ({ metric }) => metric);
}

/** Whether a flag is about what the site sends: a provider's figure of the same name is another metric. */
function isOfSent({ source }: Pick<FlagRow, "source">): boolean {
  return source === null || source === SENT;
}

/** The day a flag is about: the judged day, the day of the report that sent it, or the day it was raised. */
function dayOf({ rule_inputs, raised_at }: Pick<FlagRow, "rule_inputs" | "raised_at">): UtcDay {
  const report = rule_inputs?.["report"] as { readonly date?: unknown } | undefined;
  for (const named of [rule_inputs?.["day"], report?.date]) {
    const day = typeof named === "string" ? parseUtcDay(named) : undefined;
    if (day !== undefined) return day;
  }
  return utcDayOf(parseInstant(raised_at) ?? 0);
}

function readService(context: NightlyContext, page: number): IngestFreshness {
  const { db, now, serviceAsset, silentHoursOf } = context;
  const received = new Map(listFreshness(db, now).map(({ asset, receivedAt }) => [asset, receivedAt]));
  const sites = listAllAssets(db)
    .filter(({ id }) => id !== serviceAsset)
    .map(({ id, lifecycle, wentLiveAt }) => ({
      asset: id,
      lifecycle,
      wentLiveAt,
      receivedAt: received.get(id),
      silentHours: silentHoursOf(id),
    }));
  return ingestFreshness(sites, now, page);
}
