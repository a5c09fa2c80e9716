import { Elysia } from "elysia";
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
import type { PageDeps } from "../page_deps.ts";
import { htmlPage } from "../respond.ts";
import { portfolioView, type SiteRow } from "./list.ts";
import { PortfolioPage } from "./page.tsx";
import { portfolioQuery } from "./query.ts";
import { listSiteRows } from "./site_rows.ts";

/** `/`: the portfolio. */
export function portfolioRoutes(
  deps: PageDeps & { readonly db: Db; readonly config: { readonly serviceAsset: string } },
) {
  return new Elysia({ name: "portfolio" }).get("/", ({ request }) => {
    const actor = deps.access.page(request);
    const query = portfolioQuery(new URL(request.url).searchParams);
    const shell = deps.shellFor(request, actor);
    const sites = listSiteRows(deps.db, shell.now);
    const view = portfolioView(sites, query);
    const rows = withNights(deps.db, view.rows, shell.now);
    const unjudged = { sites: listFailingAssets(deps.db, "rule"), backlog: findBacklog(deps.db) };
    const onlyOwn = sites.every(({ asset }) => asset === deps.config.serviceAsset);
    return htmlPage(
      request,
      <PortfolioPage
        shell={shell}
        view={{ ...view, rows }}
        query={query}
        constants={listMonitoringFailures(deps.db, { kind: "constants" })[0]}
        unjudged={unjudged}
        onlyOwn={onlyOwn}
      />,
    );
  });
}

/** The rows of one page, each with its last nights: two statements for all of them. */
function withNights(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const assets = rows.map(({ asset }) => asset);
  const received = listNights(db, assets, addDays(utcDayOf(now), -STRIP_NIGHTS));
  const first = listFirstNights(db, assets);
  const none: ReadonlySet<UtcDay> = new Set();
  const recent = recentDays(now, STRIP_NIGHTS);
  return rows.map((row) => {
    const known = {
      received: received.get(row.asset) ?? none,
      first: first.get(row.asset),
      live: row.lifecycle === "live",
    };
    return { ...row, nights: nightStrip(known, recent) };
  });
}
