import { listAttachmentsOf } from "../../credentials/mod.ts";
import { wholeOrDamage } from "../damage.tsx";
import { get, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { InsightsPage } from "./page.tsx";
import { type PanelDeps, readPanels } from "./read.ts";

/** `/sites/{asset}/insights`: every report that is kept of a site. */
export function insightRoutes(deps: PageDeps & SiteHeadDeps & PanelDeps) {
  return mounted(deps, [
    get(
      paths.siteInsights,
      { find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ found: site, shell, now }) =>
        wholeOrDamage({ shell, site, tab: "overview" }, () => {
          const attachments = listAttachmentsOf(deps.db, site.asset);
          const panels = readPanels(deps, { ...site, attachments, now }, "all");
          return <InsightsPage shell={shell} site={site} panels={panels} />;
        }),
    ),
  ]);
}
