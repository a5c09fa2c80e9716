/** Routes of a site's overview, of its figures as a file, and of the page that says how to send reports. */

import { siteHealth } from "../../integrations/target_state.ts";
import { type LiveTraffic, sourceAmong } from "../../signals/live_traffic.ts";
import { listBetween } from "../../sites/annotations.ts";
import type { PageDeps } from "../keyboard.tsx";
import { get, healthView, type Moment, mounted } from "../kit/route.ts";
import { wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { siteHead } from "../site_head.ts";
import { readCodebaseView } from "./codebase_routes.tsx";
import { type ExpectedDeps, readJudged } from "./expected.ts";
import { CODE } from "./lanes.ts";
import { LivePanel } from "./live_panel.tsx";
import { keyLanes, OverviewPage, SendingPage } from "./overview_page.tsx";
import { siteAddress } from "./range.ts";
import { csvOf, type Lane, type SiteDays } from "./site_days.tsx";
import { readSite, type SiteReadDeps } from "./site_days_read.ts";
import { readTests } from "./verdict.tsx";
import type { Destination } from "./ways.tsx";

/** Codebase reports read for the latest figures and the counts of 30 days. */
const MOST_REPORTS = 60;
/** Before what stands out, so long at most, the nearest change is named. */
const NEAR_MS = 7 * 86_400_000;

/** The numbers of the charts as a file. Its name holds nothing but what an address may. */
function csvFile(site: SiteDays): Response {
  const { from, to } = site.days;
  return new Response(csvOf(site), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${site.asset}-${from}-${to}.csv"`,
      "cache-control": "private, no-cache",
    },
  });
}

/** `/sites/{asset}`: the overview of a site; `/sites/{asset}/sending`: how to send its reports. */
export function assetRoutes(
  deps: PageDeps &
    SiteReadDeps &
    ExpectedDeps & {
      readonly destinationOf: (asset: string) => Destination;
      readonly live: Pick<LiveTraffic, "look">;
    },
) {
  const { db } = deps;
  const { serviceAsset } = deps.config;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.site, { query: siteAddress, find }, ({ request, query, search, now, found: site }) => {
      const { asset, entries } = site;
      // One metric alone was shown here once.
      if (query.metric !== null) return seeOther(paths.metricAsked(asset, search));
      return wholeOrDamage({ site, tab: "overview" }, () => {
        const { nightly, attachments, days, latestCode } = readSite(deps, site, query, now);
        const health = healthView(request, deps.health, now);
        const since = entries.find(({ trouble }) => trouble === "numbers" || trouble === "other")?.since;
        const keys = keyLanes(days);
        const judged = (lane: Lane) => {
          const { half, metric, unit } = lane;
          if (half === CODE || unit !== "count") return undefined;
          const shown = lane.days.filter(({ state }) => state !== "none").map(({ day }) => day);
          const offset = half === "pulse" ? days.offset : 0;
          return readJudged(deps, { asset, source: half, metric }, shown, offset, now)?.ranges;
        };
        return (
          <OverviewPage
            site={site}
            entries={entries}
            health={siteHealth(health).get(asset)}
            change={
              typeof since === "number" ? listBetween(db, asset, since - NEAR_MS, since, 1)[0] : undefined
            }
            days={days}
            keys={keys}
            expected={
              new Map(
                keys.flatMap((lane) => {
                  const ranges = judged(lane);
                  return ranges === undefined ? [] : [[lane.key, ranges] as const];
                }),
              )
            }
            tests={readTests(db, days, { figures: nightly.figures, isService: asset === serviceAsset })}
            codebase={readCodebaseView(db, asset, {}, now, MOST_REPORTS, attachments, latestCode)}
            nightly={nightly}
            destination={deps.destinationOf(asset)}
            live={
              <LivePanel
                asset={asset}
                view={deps.live.look(asset, sourceAmong(site.lifecycle, attachments))}
              />
            }
          />
        );
      });
    }),
    get(paths.siteCsv, { query: siteAddress, find }, ({ query, now, found: site }) =>
      csvFile(readSite(deps, site, query, now).days),
    ),
    get(paths.siteSending, { find }, ({ found: site }) => (
      <SendingPage
        site={site}
        destination={deps.destinationOf(site.asset)}
        own={site.asset === serviceAsset}
      />
    )),
  ]);
}
