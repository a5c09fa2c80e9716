/** What is known of a site's nightly reports: the latest in time, the nights before it, and what could not be judged. */
import { findAsset, listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { nightlyOf } from "../../freshness/mod.ts";
import { listPauses, pausesInForce } from "../../health/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../../monitoring/mod.ts";
import {
  type Backlog,
  findBacklog,
  findLatestPulse,
  listFirstNights,
  listFreshness,
  listNights,
  type NightlySummary,
  nightlySummary,
  STRIP_NIGHTS,
} from "../../pulse/mod.ts";
import { type IngestFreshness, ingestFreshness } from "./service.ts";

/** The metrics of a report, as it has them. */
export type SentFigures = Readonly<
  Record<
    string,
    {
      readonly last24h?: number | undefined;
      readonly avg7d?: number | undefined;
      readonly total?: number | undefined;
    }
  >
>;

export interface NightlyOverview {
  readonly asset: string;
  readonly summary: NightlySummary;
  /** The metrics of the latest report; none where there is no report. */
  readonly figures: SentFigures;
  readonly firstNight: UtcDay | undefined;
  /** The last night that owes a report: the last one of a live site, else that of its latest report. */
  readonly owedTo: UtcDay | undefined;
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
}

/** Reads the nightly part of a site's overview; `sites` is the page of the sites on the service's own asset. */
export function readNightly(
  context: NightlyContext,
  asset: string,
  sites = 1,
  site = findAsset(context.db, asset),
): NightlyOverview {
  const { db, now } = context;
  const latest = findLatestPulse(db, asset, now);
  const received =
    listNights(db, [asset], addDays(utcDayOf(now), -STRIP_NIGHTS)).get(asset) ?? new Set<UtcDay>();
  const first = listFirstNights(db, [asset]).get(asset);
  const live = site?.lifecycle === "live";
  const families = site?.families.map(({ family }) => family) ?? [];
  const summary = nightlySummary({ received, first, live, latest, families, now });
  return {
    asset,
    summary,
    figures: latest?.report.metrics ?? {},
    firstNight: first,
    owedTo: live ? summary.lastNight : latest?.date,
    failures: listMonitoringFailures(db, { kind: "rule", asset }),
    backlog: findBacklog(db, asset),
    service: asset === context.serviceAsset ? readService(context, sites) : null,
  };
}

function readService(context: NightlyContext, page: number): IngestFreshness {
  const { db, now, serviceAsset, silentHoursOf } = context;
  const received = new Map(listFreshness(db, now).map(({ asset, receivedAt }) => [asset, receivedAt]));
  const pauseOf = pausesInForce(listPauses(db), now);
  const sites = listAllAssets(db)
    .filter(({ id }) => id !== serviceAsset)
    .map(({ id, lifecycle, wentLiveAt }) => ({
      asset: id,
      lifecycle,
      wentLiveAt,
      receivedAt: received.get(id),
      silentHours: silentHoursOf(id),
      paused: pauseOf(nightlyOf(id)),
    }));
  return ingestFreshness(sites, now, page);
}
