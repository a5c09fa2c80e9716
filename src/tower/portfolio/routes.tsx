import { Elysia } from "elysia";
import { listAllAssets } from "../../assets/mod.ts";
import { latestOfAll } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import { latestPulses, listFirstNights, listNights, nightStrip, STRIP_NIGHTS } from "../../pulse/mod.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlPage } from "../respond.ts";
import { NO_FLAGS, openCounts } from "../site_head.ts";
import { portfolioView, type SiteRow } from "./list.ts";
import { PortfolioPage } from "./page.tsx";
import { portfolioQuery } from "./query.ts";

/** `/`: the portfolio. */
export function portfolioRoutes(deps: PageDeps & { readonly db: Db }) {
  return new Elysia({ name: "portfolio" }).get("/", ({ request }) => {
    const actor = deps.access.page(request);
    const query = portfolioQuery(new URL(request.url).searchParams);
    const shell = deps.shellFor(request, actor);
    const view = portfolioView(siteRows(deps.db), query);
    const rows = withNights(deps.db, view.rows, shell.now);
    return htmlPage(request, <PortfolioPage shell={shell} view={{ ...view, rows }} query={query} />);
  });
}

function siteRows(db: Db): SiteRow[] {
  const flags = openCounts(db);
  const codebase = latestOfAll(db);
  const nightly = latestPulses(db);
  return listAllAssets(db).map((site) => ({
    asset: site.id,
    url: site.url,
    lifecycle: site.lifecycle,
    openAlerts: flags.get(site.id) ?? NO_FLAGS,
    codebase: codebase.get(site.id) ?? null,
    nightlyAt: nightly.get(site.id)?.receivedAt ?? null,
  }));
}

/** The rows of one page, each with its last nights: two statements for all of them. */
function withNights(db: Db, rows: readonly SiteRow[], now: number): SiteRow[] {
  const assets = rows.map(({ asset }) => asset);
  const received = listNights(db, assets, addDays(utcDayOf(now), -STRIP_NIGHTS));
  const first = listFirstNights(db, assets);
  const none: ReadonlySet<UtcDay> = new Set();
  return rows.map((row) => {
    const known = {
      received: received.get(row.asset) ?? none,
      first: first.get(row.asset),
      live: row.lifecycle === "live",
    };
    return { ...row, nights: nightStrip(known, now, STRIP_NIGHTS) };
  });
}
