import { type HealthReader, siteHealth } from "../../integrations/mod.ts";
import { healthView } from "../kit/once.ts";
import { get, type Moment, mounted } from "../kit/route.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { accountsOf, propertiesOf, sendersOf } from "./names.ts";
import { IntegrationsPage } from "./page.tsx";
import { integrationsAddress } from "./query.ts";
import { pausesOf } from "./site_acts.tsx";
import { SiteIntegrationsPage } from "./site_page.tsx";

/** `/integrations`, and `/sites/{asset}/integrations`. */
export function integrationRoutes(deps: PageDeps & SiteHeadDeps & { readonly health: HealthReader }) {
  const { db, health } = deps;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.integrations, { query: integrationsAddress }, ({ request, shell, query, now }) => {
      const view = healthView(request, health, now);
      return (
        <IntegrationsPage
          shell={shell}
          view={view}
          sites={siteHealth(view)}
          query={query}
          ground={{ now, accountOf: accountsOf(db), senderOf: sendersOf(db, view) }}
        />
      );
    }),
    get(paths.siteIntegrations, { find }, ({ shell, now, found: site }) => (
      <SiteIntegrationsPage
        shell={shell}
        site={site}
        {...health.readSite(now, site.asset)}
        isService={site.asset === deps.config.serviceAsset}
        properties={propertiesOf(db, site.asset)}
        pauses={pausesOf(db, site.asset, now)}
        ground={{ now, accountOf: accountsOf(db), senderOf: () => undefined }}
      />
    )),
  ]);
}
