import type { LiveTraffic } from "../../live/mod.ts";
import { Empty } from "../component/empty.tsx";
import { SiteHeader, siteTitle } from "../component/site_header.tsx";
import { get, mounted } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { LivePanel } from "./panel.tsx";

/** `/sites/{asset}/live`: the panel that asks for itself; for whoever opens it, a page that shows it alone. */
export function liveRoutes(deps: PageDeps & SiteHeadDeps & { readonly live: Pick<LiveTraffic, "look"> }) {
  return mounted(deps, [
    get(
      paths.siteLive,
      { find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ found: site, shell, now, wants, part }) => {
        const view = deps.live.look(site.asset);
        const panel = <LivePanel asset={site.asset} view={view} now={now} />;
        if (wants("live")) return part(panel);
        return (
          <Page shell={shell} title={siteTitle(site, "now")} current="sites">
            <SiteHeader site={site} current="overview" />
            {view.state === "watched" ? (
              panel
            ) : (
              <NotWatched retired={view.state === "retired"} asset={site.asset} />
            )}
          </Page>
        );
      },
    ),
  ]);
}

/** Why nothing is asked. */
function NotWatched({ retired, asset }: { readonly retired: boolean; readonly asset: string }) {
  return (
    <Empty alone heading={retired ? "This site is retired" : "No analytics property is attached"}>
      <p>{retired ? "Nothing is asked about it any more." : "Visitors show here once one is."}</p>
      <a class="btn" href={retired ? paths.site(asset) : paths.siteSettings(asset)}>
        {retired ? "Back to the site" : "Settings of this site"}
      </a>
    </Empty>
  );
}
