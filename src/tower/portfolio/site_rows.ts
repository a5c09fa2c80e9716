/** What is known of every site for the portfolio, in as many statements for a thousand sites as for one. */
import { listLiveSites, listSites } from "../../assets/mod.ts";
import { listLatestMeasures } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { listHeld, NOTHING_OPEN, tallySites } from "../../flags/mod.ts";
import { siteState } from "../../freshness/mod.ts";
import { NIGHTLY_REPORTS } from "../../health/mod.ts";
import { type HealthView, siteHealth } from "../../integrations/mod.ts";
import { listFreshness } from "../../pulse/mod.ts";
import { listStreaks, REPORT_ROUTES, type Streak } from "../../refusals/mod.ts";
import { STALE_INGEST } from "../../rules/mod.ts";
import type { SiteRow } from "./list.ts";

/** What rows are made of beside the database. */
export interface RowsContext {
  readonly now: number;
  readonly serviceAsset: string;
  readonly silentHoursOf: (asset: string) => number;
  readonly health: HealthView;
  /** What the frame of the page has read. */
  readonly freshness?: ReturnType<typeof listFreshness>;
  readonly tallies?: ReturnType<typeof tallySites>;
}

/** Every site by identifier, with its state, its open flags, its integrations and its latest codebase report. */
export function listSiteRows(db: Db, context: RowsContext): SiteRow[] {
  const { now, serviceAsset, silentHoursOf } = context;
  const sites = listSites(db);
  const ids = sites.map(({ id }) => id);
  const reports = byAsset(listLatestMeasures(db, ids, "code_lines", now));
  const heard = byAsset(context.freshness ?? listFreshness(db, now));
  const tallies = context.tallies ?? tallySites(db, now);
  const wentLive = new Map(listLiveSites(db).map(({ id, wentLiveAt }) => [id, wentLiveAt]));
  const refused = refusedOf(listStreaks(db));
  const health = siteHealth(context.health);
  const paused = pausedOf(context.health);
  const flags = new Map(
    listHeld(db, { rule: STALE_INGEST, asset: serviceAsset }).map((flag) => [flag.subject, flag]),
  );
  return sites.map(({ id, url, lifecycle, group }) => {
    const report = reports.get(id);
    const { open, snoozed, aboutOthers } = tallies.get(id) ?? NOTHING_OPEN;
    const receivedAt = heard.get(id)?.receivedAt;
    const reporting = {
      lifecycle,
      wentLiveAt: wentLive.get(id),
      receivedAt,
      silentHours: silentHoursOf(id),
      paused: paused.get(id),
    };
    const state = siteState(reporting, now);
    return {
      asset: id,
      url,
      lifecycle,
      group,
      standing: {
        state,
        receivedAt: receivedAt ?? null,
        pausedUntil: reporting.paused?.until ?? null,
        refused: refused(id, REPORT_ROUTES.nightly),
      },
      silenceFlag: state === "silent" ? flags.get(id) : undefined,
      openFlags: open,
      snoozed,
      aboutOthers,
      health: health.get(id),
      codebase:
        report === undefined
          ? null
          : { date: report.date, receivedAt: report.receivedAt, codeLines: report.value ?? null },
      refusedCodebase: refused(id, REPORT_ROUTES.codebase),
    };
  });
}

function byAsset<Row extends { readonly asset: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.asset, row]));
}

function refusedOf(streaks: readonly Streak[]): (asset: string, route: string) => Streak | undefined {
  const of = Map.groupBy(streaks, ({ asset }) => asset);
  return (asset, route) => of.get(asset)?.find((streak) => streak.route === route);
}

/** The sites whose nightly reports are paused, with until when. */
function pausedOf(health: HealthView): Map<string, { readonly until: number | null }> {
  const nightly = health.capabilities.find(({ capability }) => capability === NIGHTLY_REPORTS);
  return new Map(
    (nightly?.targets ?? []).flatMap(({ asset, state, pausedUntil }) =>
      state === "paused" ? [[asset, { until: pausedUntil }]] : [],
    ),
  );
}
