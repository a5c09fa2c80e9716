/**
 * The portfolio's route: every site with its state, open flags, integrations and days, in as many statements for a
 * thousand sites as for one.
 */

import { addDays, type UtcDay, utcDayOf } from "../../base/time.ts";
import { NOTHING_OPEN, tallySites } from "../../flags/inbox.ts";
import { listOpenSubjects } from "../../flags/queries.ts";
import { NIGHTLY_REPORTS } from "../../health/catalogue.ts";
import { listFailingAssets } from "../../health/monitoring.ts";
import { listStreaks, REPORT_ROUTES } from "../../health/refusals.ts";
import type { Entry } from "../../integrations/attention.ts";
import { type HealthView, nightsOf } from "../../integrations/integrations.ts";
import { listChannels } from "../../notices/channels.ts";
import { listLatestMeasures } from "../../reports/codebase.ts";
import { listFirstNights, listNights, nightStrip, recentDays, STRIP_NIGHTS } from "../../reports/nights.ts";
import { findBacklog } from "../../reports/pulse.ts";
import { siteState } from "../../rules/freshness.ts";
import { STALE_INGEST } from "../../sites/rule_catalogue.ts";
import { findAsset, listSites } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { DayBars } from "../kit/plot.tsx";
import { get, healthView, mounted, siteTallies, unwatched } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { NightTicks } from "../site/latest_nightly.tsx";
import { entriesShown } from "../site_head.ts";
import {
  findAddress,
  groupOf,
  placesOf,
  portfolioAddress,
  portfolioHref,
  portfolioView,
  readSpark,
  readSparks,
  type SiteRow,
  type Sort,
  siteMeant,
  sparkOf,
} from "./portfolio.ts";
import { MOST_ENTRIES, PortfolioPage } from "./portfolio_page.tsx";

/** What rows are made of beside the database. */
interface RowsContext {
  readonly now: number;
  readonly serviceAsset: string;
  readonly silentHoursOf: (asset: string) => number;
  readonly health: HealthView;
  readonly entries?: readonly Entry[];
  /** What the frame of the page has read. */
  readonly tallies?: ReturnType<typeof tallySites>;
}

/** Every site by identifier, with its state, its open flags and its integrations. */
export function listSiteRows(db: Db, context: RowsContext): SiteRow[] {
  const { now, serviceAsset, silentHoursOf } = context;
  const nights = nightsOf(context.health, db, now);
  const tallies = context.tallies ?? tallySites(db, now);
  const streaks = Map.groupBy(listStreaks(db), ({ asset }) => asset);
  const paused = pausedOf(context.health);
  const places = placesOf(context.entries ?? []);
  const flags = new Map(listOpenSubjects(db, STALE_INGEST, serviceAsset).map((flag) => [flag.subject, flag]));
  const own = findAsset(db, serviceAsset);
  const portfolio = context.health.portfolio ?? listSites(db).filter(({ id }) => id !== serviceAsset);
  return [...(own === undefined ? [] : [own]), ...portfolio].map(
    ({ id, url, lifecycle, group, wentLiveAt }) => {
      const { open, snoozed } = tallies.get(id) ?? NOTHING_OPEN;
      const heard = nights.get(id)?.[0];
      const refused = streaks.get(id);
      // Of a report that came under a clock that was fast the moment lies ahead.
      const receivedAt = heard && Math.min(heard.at, now);
      const reporting = {
        lifecycle,
        wentLiveAt: lifecycle === "live" ? wentLiveAt : undefined,
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
        place: places.get(id),
        standing: {
          state,
          receivedAt: receivedAt ?? null,
          pausedUntil: reporting.paused?.until ?? null,
          refused: refused?.find(({ route }) => route === REPORT_ROUTES.nightly),
        },
        silenceFlag: state === "silent" ? flags.get(id) : undefined,
        openFlags: open,
        snoozed,
        health: context.health.sites.get(id),
        refusedCodebase: refused?.find(({ route }) => route === REPORT_ROUTES.codebase),
      };
    },
  );
}

function byAsset<Row extends { readonly asset: string }>(rows: readonly Row[]): Map<string, Row> {
  return new Map(rows.map((row) => [row.asset, row]));
}

/** The sites whose nightly reports are paused, with until when. */
function pausedOf(health: HealthView): Map<string, { readonly until: number | null }> {
  if (health.summary.paused === 0) return new Map();
  const nightly = health.capabilities.find(({ capability }) => capability === NIGHTLY_REPORTS);
  return new Map(
    (nightly?.targets ?? [])
      .filter(({ state }) => state === "paused")
      .map(({ asset, pausedUntil }) => [asset, { until: pausedUntil }]),
  );
}

/** `/`: the portfolio. */
export function portfolioRoutes(deps: PageGround) {
  const { db, silentHoursOf } = deps;
  const { serviceAsset } = deps.config;
  return mounted(deps, [
    get(paths.portfolio, { query: portfolioAddress }, ({ request, query, search, now }) => {
      const { find } = findAddress.read(search);
      if (find !== "") return seeOther(foundHref(db, find));
      const health = healthView(request, deps.health, now);
      const ranked = deps.attention.read(now, health);
      const sites = listSiteRows(db, {
        entries: ranked,
        now,
        serviceAsset,
        silentHoursOf,
        health,
        tallies: siteTallies(request, db, now),
      });
      const entries = entriesShown(db, entriesOf(ranked, sites, query.group), now);
      const view = portfolioView(orderedBy(query.sort, db, sites, now), query, serviceAsset);
      return (
        <PortfolioPage
          view={withDaysOf(db, view, now)}
          query={query}
          entries={entries}
          pictures={picturesOf(db, entries, sites, now)}
          serviceAsset={serviceAsset}
          coverage={health.coverage}
          unknown={health.summary.unknown}
          unwatched={unwatched(request, db).filter(({ asset }) => asset === "")}
          isUnheard={listChannels(db).every(({ rules }) => rules.heartbeat)}
          unjudged={{ sites: listFailingAssets(db, "rule"), backlog: findBacklog(db) }}
        />
      );
    }),
  ]);
}

/** What is about the sites of a group, and those of its sites alone. */
function entriesOf(
  entries: readonly Entry[],
  rows: readonly SiteRow[],
  group: string | null,
): readonly Entry[] {
  const own = groupOf(rows, group);
  if (own === rows) return entries;
  const names = new Set(own.map(({ asset }) => asset));
  return entries
    .map((entry) => ({ ...entry, assets: entry.assets.filter((asset) => names.has(asset)) }))
    .filter(({ assets }) => assets.length > 0);
}

/** Of an entry's site what shows it: its nights where it is silent, else the days of the figure that is flagged. */
function picturesOf(
  db: Db,
  entries: readonly Entry[],
  sites: readonly SiteRow[],
  now: number,
): ReadonlyMap<string, Child> {
  const first = entries.filter(({ isPressing }) => isPressing).slice(0, MOST_ENTRIES);
  return new Map(
    first.flatMap(({ cause, trouble, assets: [asset], series }) => {
      const site = sites.find((row) => row.asset === asset);
      if (site === undefined) return [];
      if (trouble === "silent") {
        const nights = withDays(db, [site], now)[0]?.nights;
        return nights === undefined ? [] : [[cause, <NightTicks nights={nights} />] as const];
      }
      const days = series === null ? undefined : readSpark(db, site.asset, series, now);
      return days === undefined ? [] : [[cause, <DayBars days={days} />] as const];
    }),
  );
}

/** Where Find leads: to the site that is meant, else to those that match. */
function foundHref(db: Db, text: string): string {
  const sites = listSites(db).map(({ id, url }) => ({ asset: id, url }));
  const asset = siteMeant(sites, text);
  return asset === undefined ? portfolioHref({ q: text }) : paths.site(asset);
}

/** A page of the portfolio, each of its rows with its last nights and figures. */
function withDaysOf<View extends { readonly rows: readonly SiteRow[]; readonly own: SiteRow | undefined }>(
  db: Db,
  view: View,
  now: number,
): View {
  const { own } = view;
  const all = withDays(db, own === undefined ? view.rows : [...view.rows, own], now);
  return { ...view, rows: all.slice(0, view.rows.length), own: all[view.rows.length] };
}

/** The sites with the figures that an order asks for: what only stands in a row is read for one page. */
function orderedBy(sort: Sort, db: Db, rows: readonly SiteRow[], now: number): readonly SiteRow[] {
  if (sort === "lines") return withCodebase(db, rows, now);
  return sparkOf(sort) === undefined ? rows : withSparks(db, rows, now);
}

function withCodebase(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const assets = rows.map(({ asset }) => asset);
  const reports = byAsset(listLatestMeasures(db, assets, "code_lines", now));
  return rows.map((row) => {
    const report = reports.get(row.asset);
    if (report === undefined) return row;
    const { date, receivedAt, value } = report;
    return { ...row, codebase: { date, receivedAt, codeLines: value ?? null } };
  });
}

function withSparks(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const sparks = readSparks(
    db,
    rows.map(({ asset }) => asset),
    now,
  );
  return rows.map((row) => ({ ...row, sparks: sparks.get(row.asset) }));
}

function withDays(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const assets = rows.map(({ asset }) => asset);
  const received = listNights(db, assets, addDays(utcDayOf(now), -STRIP_NIGHTS));
  const first = listFirstNights(db, assets);
  const none: ReadonlySet<UtcDay> = new Set();
  const recent = recentDays(now, STRIP_NIGHTS);
  return withSparks(db, withCodebase(db, rows, now), now).map((row) => {
    const known = {
      received: received.get(row.asset) ?? none,
      first: first.get(row.asset),
      live: row.lifecycle === "live",
    };
    return { ...row, nights: nightStrip(known, recent) };
  });
}
