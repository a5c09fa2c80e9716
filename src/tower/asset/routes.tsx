import { Elysia } from "elysia";
import type { Db } from "../../db/mod.ts";
import { type ChainedFlag, listChainedFlags } from "../../flags/mod.ts";
import { parseInstant } from "../../lib/instant.ts";
import { readCodebaseView } from "../codebase_tab/routes.tsx";
import type { ListedAlert } from "../component/alert_list.tsx";
import { type NightlyContext, readNightly } from "../nightly/overview.ts";
import { nightlyQuery } from "../nightly/query.ts";
import type { PageDeps } from "../page_deps.ts";
import { htmlPage } from "../respond.ts";
import type { Destination } from "../sending/commands.ts";
import { siteHead } from "../site_head.ts";
import { AssetPage } from "./page.tsx";

/** Most open alerts named on the overview. */
const MOST_ALERTS = 12;
/** Codebase reports read for the latest figures and the counts of 30 days. */
const MOST_REPORTS = 60;

/** `/sites/{asset}`: the overview of a site. */
export function assetRoutes(
  deps: PageDeps &
    Pick<NightlyContext, "silentHoursOf" | "annotationsOf"> & {
      readonly db: Db;
      readonly config: { readonly serviceAsset: string };
      readonly destinationOf: (asset: string) => Destination;
    },
) {
  return new Elysia({ name: "asset" }).get("/sites/:asset", ({ request, params: { asset } }) => {
    const actor = deps.access.page(request);
    const site = siteHead(deps.db, asset);
    const asked = nightlyQuery(new URL(request.url).searchParams);
    const shell = deps.shellFor(request, actor);
    const context = { ...deps, now: shell.now, serviceAsset: deps.config.serviceAsset };
    const open = listChainedFlags(deps.db, { asset, status: "open" }, MOST_ALERTS);
    return htmlPage(
      request,
      <AssetPage
        shell={shell}
        site={site}
        codebase={readCodebaseView(deps.db, asset, {}, MOST_REPORTS)}
        nightly={readNightly(context, asset, asked)}
        openAlerts={open.map(listed)}
        destination={deps.destinationOf(asset)}
      />,
    );
  });
}

function listed(row: ChainedFlag): ListedAlert {
  return {
    id: row.id,
    rule: row.rule ?? "sent by the site",
    severity: row.severity,
    kind: row.kind,
    message: row.message,
    raisedAt: parseInstant(row.raised_at) ?? 0,
    resolvedAt: null,
    heldSince: parseInstant(row.chain.since) ?? 0,
    heldReports: row.chain.reports,
    ruleInputs: row.rule_inputs ?? {},
  };
}
