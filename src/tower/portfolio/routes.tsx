import { listAllAssets } from "../../assets/mod.ts";
import { listChannels } from "../../channels/store.ts";
import type { Db, Writer } from "../../db/mod.ts";
import type { HealthReader, HealthView } from "../../integrations/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { listFailingAssets } from "../../monitoring/mod.ts";
import { findLook, isWorthNoting, lookedAgain, noteLook, noteSeen } from "../../operators/mod.ts";
import { logOf } from "../../platform/log.ts";
import {
  findBacklog,
  listFirstNights,
  listNights,
  nightStrip,
  recentDays,
  STRIP_NIGHTS,
} from "../../pulse/mod.ts";
import { healthView, lastHeard, siteTallies, unwatched } from "../kit/once.ts";
import { get, mounted, post } from "../kit/route.ts";
import { readMorning } from "../morning/read.ts";
import type { Unquiet } from "../morning/section.tsx";
import { sinceOf } from "../morning/since.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { isRefresh, seeOther } from "../respond.ts";
import { siteMeant } from "./find.ts";
import { type PortfolioCounts, portfolioView, type SiteRow } from "./list.ts";
import { PortfolioPage } from "./page.tsx";
import { findAddress, portfolioAddress, portfolioHref } from "./query.ts";
import { listSiteRows } from "./site_rows.ts";
import { readSparks } from "./sparks.ts";

/** What the portfolio's routes need. */
export interface PortfolioDeps extends PageDeps {
  readonly db: Db;
  readonly writer: Writer;
  readonly config: { readonly serviceAsset: string };
  readonly silentHoursOf: (asset: string) => number;
  readonly health: HealthReader;
}

/** `/`: the portfolio; `/looks`: that all that is new is seen. */
export function portfolioRoutes(deps: PortfolioDeps) {
  const { db, silentHoursOf } = deps;
  const { serviceAsset } = deps.config;
  return mounted(deps, [
    get(paths.portfolio, { query: portfolioAddress }, ({ request, shell, query, search, now, actor }) => {
      const { find } = findAddress.read(search);
      if (find !== "") return seeOther(foundHref(db, find));
      const health = healthView(request, deps.health, now);
      const sites = listSiteRows(db, {
        now,
        serviceAsset,
        silentHoursOf,
        health,
        freshness: lastHeard(request, db, now),
        tallies: siteTallies(request, db, now),
      });
      const view = portfolioView(sites, query, serviceAsset);
      const known = findLook(db, actor.name);
      const isLook = !isRefresh(request);
      const look = isLook ? lookedAgain(known, now) : known;
      const since = sinceOf(look?.before, query.since, now);
      // Only a person's own opening of the page is a look: what a screen on a wall asks for by itself sees nothing.
      if (isLook && isWorthNoting(known, now)) {
        deps.writer.aside(
          deps.writer.write((tx) => noteLook(tx, actor.name, now), { behind: true }),
          (cause) => logOf("portfolio").warn("a look was not noted", { reason: String(cause) }),
        );
      }
      return (
        <PortfolioPage
          shell={shell}
          view={withDaysOf(db, view, now)}
          query={query}
          morning={{
            news: readMorning(db, {
              since,
              now,
              health,
              eventsSince: (from, limit) => deps.health.eventsSince(now, from, limit),
              serviceAsset,
            }),
            unquiet: unquietOf(health, view.counts),
          }}
          coverage={health.coverage}
          unwatched={unwatched(request, db, now).filter(({ asset }) => asset === "")}
          isUnheard={listChannels(db).every(({ rules }) => rules.heartbeat)}
          unjudged={{ sites: listFailingAssets(db, "rule"), backlog: findBacklog(db) }}
        />
      );
    }),
    post(paths.looks, {}, async ({ actor, now }) => {
      await deps.writer.write((tx) => noteSeen(tx, actor.name, now));
      return seeOther(paths.portfolio);
    }),
  ]);
}

/** What stands wrong whether or not it is new. */
function unquietOf({ summary, coverage }: HealthView, { state }: PortfolioCounts): Unquiet {
  return {
    silent: state.silent,
    failing: summary.failing,
    unknown: summary.unknown,
    uncovered: coverage.reason,
  };
}

/** Where Find leads: to the site that is meant, else to those that match. */
function foundHref(db: Db, text: string): string {
  const sites = listAllAssets(db).map(({ id, url }) => ({ asset: id, url }));
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

function withDays(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const assets = rows.map(({ asset }) => asset);
  const received = listNights(db, assets, addDays(utcDayOf(now), -STRIP_NIGHTS));
  const first = listFirstNights(db, assets);
  const none: ReadonlySet<UtcDay> = new Set();
  const recent = recentDays(now, STRIP_NIGHTS);
  const sparks = readSparks(db, assets, now);
  return rows.map((row) => {
    const known = {
      received: received.get(row.asset) ?? none,
      first: first.get(row.asset),
      live: row.lifecycle === "live",
    };
    return { ...row, nights: nightStrip(known, recent), sparks: sparks.get(row.asset) };
  });
}
