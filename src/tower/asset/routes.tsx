import { findLatest } from "../../codebase/mod.ts";
import type { Attachment } from "../../credentials/contract.ts";
import { listAttachmentsOf } from "../../credentials/mod.ts";
import type { Db } from "../../db/mod.ts";
import { listInbox } from "../../flags/mod.ts";
import { chanceMarks, withinChance } from "../../flow/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { type LiveTraffic, sourceAmong } from "../../live/mod.ts";
import { readCodebaseView, toViewFlag } from "../codebase_tab/routes.tsx";
import { wholeOrDamage } from "../damage.tsx";
import { type PanelDeps, readPanels } from "../insights/read.ts";
import { get, type Moment, mounted } from "../kit/route.ts";
import { LivePanel } from "../live/panel.tsx";
import { type NightlyContext, type NightlyOverview, readNightly } from "../nightly/overview.ts";
import { readTests } from "../nightly/tests.ts";
import type { PageDeps } from "../page_deps.ts";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { flagsShown } from "../shown_days.ts";
import { csvOf } from "../site_days/csv.ts";
import type { SiteDays } from "../site_days/lane.ts";
import { type SiteQuery, siteAddress } from "../site_days/query.ts";
import { readSiteDays, type SiteDaysContext } from "../site_days/read.ts";
import { readRevised } from "../site_days/seen.ts";
import { siteHead } from "../site_head.ts";
import { AssetPage } from "./page.tsx";
import { SendingPage } from "./sending.tsx";

/** Most open flags named on the overview. */
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
    get(paths.site, { query: siteAddress, find }, ({ shell, query, now, found: site }) => {
      const { asset } = site;
      return wholeOrDamage({ shell, site, tab: "overview" }, () => {
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
            shell={shell}
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
                now={now}
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
    get(paths.siteSending, { find }, ({ shell, found: site }) => (
      <SendingPage
        shell={shell}
        site={site}
        destination={deps.destinationOf(site.asset)}
        own={site.asset === serviceAsset}
      />
    )),
  ]);
}
