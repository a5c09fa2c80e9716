import { listAllAssets } from "../../assets/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { listFailingAssets, listMonitoringFailures } from "../../monitoring/mod.ts";
import {
  findBacklog,
  listFirstNights,
  listNights,
  nightStrip,
  recentDays,
  STRIP_NIGHTS,
} from "../../pulse/mod.ts";
import { lastHeard, siteTallies } from "../kit/once.ts";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import { siteMeant } from "./find.ts";
import { portfolioView, type SiteRow } from "./list.ts";
import { PortfolioPage } from "./page.tsx";
import { findAddress, portfolioAddress, portfolioHref } from "./query.ts";
import { listSiteRows } from "./site_rows.ts";
import { readSparks } from "./sparks.ts";

/** `/`: the portfolio. */
export function portfolioRoutes(
  deps: PageDeps & { readonly db: Db; readonly config: { readonly serviceAsset: string } },
) {
  const { db } = deps;
  return mounted(deps, [
    get(paths.portfolio, { query: portfolioAddress }, ({ request, shell, query, search, now }) => {
      const { find } = findAddress.read(search);
      if (find !== "") return seeOther(foundHref(db, find));
      const sites = listSiteRows(db, now, lastHeard(request, db, now), siteTallies(request, db, now));
      const view = portfolioView(sites, query);
      return (
        <PortfolioPage
          shell={shell}
          view={{ ...view, rows: withDays(db, view.rows, now) }}
          query={query}
          constants={listMonitoringFailures(db, { kind: "constants" })[0]}
          unjudged={{ sites: listFailingAssets(db, "rule"), backlog: findBacklog(db) }}
          onlyOwn={sites.every(({ asset }) => asset === deps.config.serviceAsset)}
        />
      );
    }),
  ]);
}

/** Where Find leads: to the site that is meant, else to those that match. */
function foundHref(db: Db, text: string): string {
  const sites = listAllAssets(db).map(({ id, url }) => ({ asset: id, url }));
  const asset = siteMeant(sites, text);
  return asset === undefined ? portfolioHref({ q: text }) : paths.site(asset);
}

/** The rows of one page, each with its last nights and figures. */
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
