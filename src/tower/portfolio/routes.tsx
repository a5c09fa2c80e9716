import { Elysia } from "elysia";
import { listAllAssets } from "../../assets/mod.ts";
import { latestOfAll } from "../../codebase/mod.ts";
import type { Db } from "../../db/mod.ts";
import { latestPulses } from "../../pulse/mod.ts";
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
    const view = portfolioView(siteRows(deps.db), query);
    return htmlPage(request, <PortfolioPage shell={deps.shellFor(request, actor)} view={view} query={query} />);
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
