import type { Db } from "../../db/mod.ts";
import { listInbox } from "../../flags/mod.ts";
import { listStreaks } from "../../refusals/mod.ts";
import { readCodebaseView, toViewFlag } from "../codebase_tab/routes.tsx";
import { wholeOrDamage } from "../damage.tsx";
import { get, mounted } from "../kit/route.ts";
import { type NightlyContext, readNightly } from "../nightly/overview.ts";
import { nightlyAddress } from "../nightly/query.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { siteHead } from "../site_head.ts";
import { AssetPage } from "./page.tsx";

/** Most open flags named on the overview. */
const MOST_FLAGS = 8;
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
  const { db } = deps;
  return mounted(deps, [
    get(
      paths.site,
      { query: nightlyAddress, find: ({ asset }, at) => siteHead(db, asset, at) },
      ({ shell, query, now, found: site }) => {
        const { asset } = site;
        const context = { ...deps, now, serviceAsset: deps.config.serviceAsset };
        return wholeOrDamage({ shell, site, tab: "overview" }, () => (
          <AssetPage
            shell={shell}
            site={site}
            codebase={readCodebaseView(db, asset, {}, now, MOST_REPORTS)}
            nightly={readNightly(context, asset, query, site)}
            openFlags={listInbox(
              db,
              { asset, status: "open" },
              { sort: "worst", limit: MOST_FLAGS, offset: 0, now },
            ).map((row) => toViewFlag(row, now))}
            refused={listStreaks(db, asset)}
            destination={deps.destinationOf(asset)}
          />
        ));
      },
    ),
  ]);
}
