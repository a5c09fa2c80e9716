/** Routes of a site's overview and of the page that says how to send reports. */

import type { UtcDay } from "../../base/time.ts";
import { listInbox } from "../../flags/inbox.ts";
import { listAttachmentsOf } from "../../providers/attachments.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { findLatest } from "../../reports/codebase.ts";
import { chanceMarks, withinChance } from "../../rules/stands_out.ts";
import { type LiveTraffic, sourceAmong } from "../../signals/live_traffic.ts";
import type { Db } from "../../store/store.ts";
import type { PageDeps } from "../keyboard.tsx";
import { get, type Moment, mounted } from "../kit/route.ts";
import { wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { flagsShown } from "../shown_days.ts";
import { siteHead } from "../site_head.ts";
import { readCodebaseView, toViewFlag } from "./codebase_routes.tsx";
import { readRevised } from "./day.tsx";
import { type NightlyContext, type NightlyOverview, readNightly } from "./ingest.tsx";
import { type PanelDeps, readPanels } from "./insights_routes.tsx";
import { LivePanel } from "./live_panel.tsx";
import { AssetPage, SendingPage } from "./overview_page.tsx";
import { type SiteQuery, siteAddress } from "./range.ts";
import { csvOf, type SiteDays } from "./site_days.tsx";
import { readSiteDays, type SiteDaysContext } from "./site_days_read.ts";
import { readTests } from "./verdict.tsx";
import type { Destination } from "./ways.tsx";

const MOST_FLAGS = 8;
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

/** Codebase reports read for the latest figures and the counts of 30 days. */
const MOST_REPORTS = 60;

/** `/sites/{asset}`: the overview of a site; `/sites/{asset}/sending`: how to send its reports. */
export function assetRoutes(
  deps: PageDeps &
    Pick<NightlyContext, "silentHoursOf"> &
    Pick<SiteDaysContext, "annotationsOf"> &
    PanelDeps & {
      readonly db: Db;
      readonly config: { readonly serviceAsset: string };
      readonly destinationOf: (asset: string) => Destination;
      readonly live: Pick<LiveTraffic, "look">;
    },
) {
  const { db } = deps;
  const { serviceAsset } = deps.config;
  const find = ({ asset }: { readonly asset: string }, at: Moment) => siteHead(deps, asset, at);
  const daysOf = (
    { asset, summary, figures, owedTo, firstNight }: NightlyOverview,
    query: SiteQuery,
    now: number,
    lastCode: UtcDay | undefined,
    attachments: readonly Attachment[],
  ) =>
    readSiteDays(deps, {
      asset,
      query,
      now,
      lastNight: summary.lastNight,
      owedTo,
      current: new Set(Object.keys(figures)),
      firstNight,
      lastCode,
      attachments,
    });
  return mounted(deps, [
    get(paths.site, { query: siteAddress, find }, ({ query, now, found: site }) => {
      const { asset } = site;
      return wholeOrDamage({ site, tab: "overview" }, () => {
        const nightly = readNightly({ ...deps, now, serviceAsset }, asset, query.sites, site);
        const attachments = listAttachmentsOf(db, asset);
        const codebase = readCodebaseView(db, asset, {}, now, MOST_REPORTS, attachments);
        const { figures } = nightly;
        const days = daysOf(nightly, query, now, codebase?.latest.date, attachments);
        const chance = chanceMarks(db);
        const open = listInbox(
          db,
          { asset, status: "open" },
          { sort: "worst", limit: MOST_FLAGS, offset: 0, now, behind: withinChance(chance) },
        );
        return (
          <AssetPage
            site={site}
            days={days}
            tests={readTests(db, days, { figures, isService: asset === serviceAsset })}
            codebase={codebase}
            nightly={nightly}
            panels={
              query.metric === null ? readPanels(deps, { ...site, attachments, now }, "overview") : undefined
            }
            openFlags={open
              .map(flagsShown(db, days))
              .map((row) => ({ ...toViewFlag(row, now), chance: chance.get(row.id) }))}
            refused={site.refused}
            destination={deps.destinationOf(asset)}
            revised={
              query.metric === null
                ? []
                : readRevised(db, { asset, source: query.source, metric: query.metric }, days)
            }
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
    get(paths.siteCsv, { query: siteAddress, find }, ({ query, now, found: site }) => {
      const nightly = readNightly({ ...deps, now, serviceAsset }, site.asset, query.sites, site);
      const days = daysOf(
        nightly,
        query,
        now,
        findLatest(db, site.asset, now)?.date,
        listAttachmentsOf(db, site.asset),
      );
      return csvFile(days);
    }),
    get(paths.siteSending, { find }, ({ found: site }) => (
      <SendingPage
        site={site}
        destination={deps.destinationOf(site.asset)}
        own={site.asset === serviceAsset}
      />
    )),
  ]);
}
