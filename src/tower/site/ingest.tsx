/** Ingest freshness of every site, as the service's own asset shows it. Pure. */

import { tallied } from "../../base/statistics.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, type UtcDay, utcDayOf } from "../../base/time.ts";
import { listMonitoringFailures, type MonitoringFailure } from "../../health/monitoring.ts";
import { listPauses, pausesInForce } from "../../health/pauses.ts";
import { type NightlySummary, nightlySummary, STRIP_NIGHTS } from "../../reports/nights.ts";
import { type Backlog, findBacklog, findLatestPulse, listFreshness } from "../../reports/pulse.ts";
import { listFirstNights, listNights } from "../../reports/shown_day.ts";
import {
  nightlyOf,
  SITE_STATES,
  type SiteReporting,
  type SiteState,
  siteState,
} from "../../rules/freshness.ts";
import { STALE_INGEST } from "../../sites/rule_catalogue.ts";
import { findAsset, listAllAssets } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatSpan } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { DataTable } from "../kit/links.tsx";
import { Pager, type Paging, pagingOf } from "../kit/pager.tsx";
import { Moment } from "../kit/proof.tsx";
import { SITE_STATE_WORDS, SiteStateMark } from "../kit/site_state.tsx";
import { paths } from "../paths.ts";
import { type SiteQuery, siteHref } from "./range.ts";

/** What is known of one site's reports. */
interface FreshnessInput extends SiteReporting {
  readonly asset: string;
}

interface SiteFreshness extends FreshnessInput {
  readonly state: SiteState;
}

interface IngestFreshness {
  readonly sites: readonly SiteFreshness[];
  readonly paging: Paging;
  readonly counts: Readonly<Record<SiteState, number>>;
}

/** Sites on one page. */
const FRESHNESS_PAGE = 50;

/** Every site with its state: silent ones first, the longest silence before the others, then by name. */
export function ingestFreshness(
  inputs: readonly FreshnessInput[],
  now: number,
  page: number,
): IngestFreshness {
  const all = inputs.map((site) => ({ ...site, state: siteState(site, now) }));
  all.sort(
    (one, other) =>
      SITE_STATES.indexOf(one.state) - SITE_STATES.indexOf(other.state) ||
      (one.receivedAt ?? 0) - (other.receivedAt ?? 0) ||
      (one.asset < other.asset ? -1 : 1),
  );
  const paging = pagingOf(all.length, page, FRESHNESS_PAGE);
  return {
    sites: all.slice((paging.page - 1) * FRESHNESS_PAGE, paging.page * FRESHNESS_PAGE),
    paging,
    counts: tallied(
      SITE_STATES,
      all.map(({ state }) => state),
    ),
  };
}

function summaryOf({ counts }: IngestFreshness): string {
  const others = SITE_STATES.filter((state) => state !== "silent" && counts[state] > 0);
  return [
    counts.silent === 0 ? "No site is silent" : `${countOf(counts.silent, "site")} silent`,
    ...others.map((state) => `${formatCount(counts[state])} ${SITE_STATE_WORDS[state].toLowerCase()}`),
  ].join(", ");
}

/** Freshness of the ingest per site, on the overview of the service's own asset. */
export function IngestBlock(props: {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly freshness: IngestFreshness;
}) {
  const { now } = here();
  const { asset, query, freshness } = props;
  return (
    <Block id="ingest" heading="Ingest freshness" note={summaryOf(freshness)}>
      <DataTable
        fold
        caption="Freshness of each site's nightly reports, longest silence first"
        items={freshness.sites}
        columns={[
          {
            words: "Site",
            names: true,
            cell: (site) => (
              <a class="wrap" data-row href={paths.site(site.asset)}>
                {site.asset}
              </a>
            ),
          },
          { words: "State", label: true, cell: ({ state }) => <SiteStateMark state={state} /> },
          {
            words: "Last nightly report",
            label: "Last",
            cell: ({ receivedAt }) =>
              receivedAt === undefined ? <span class="nm">No report</span> : <Moment at={receivedAt} />,
          },
          {
            words: "Age",
            label: true,
            numeric: true,
            cell: ({ receivedAt }) =>
              receivedAt === undefined ? <span class="dim">–</span> : formatSpan(now - receivedAt),
          },
          {
            words: "Silent after",
            label: true,
            numeric: true,
            cell: ({ silentHours }) => (silentHours < 1 ? "under 1 h" : `${formatCount(silentHours)} h`),
          },
        ]}
        empty={
          <Empty heading="No site yet">
            <p>Each site shows here with its last nightly report once it is added.</p>
            <a class="btn" href={paths.newSite}>
              Add a site
            </a>
          </Empty>
        }
      />
      <Pager
        paging={freshness.paging}
        what="sites"
        href={(sites) => `${siteHref(asset, { ...query, sites })}#ingest`}
      />
      <p class="note">
        Only live sites that have reported before, and are not paused, are judged. {STALE_INGEST} raises one
        error flag here for each silent site and resolves it when reports return.
      </p>
    </Block>
  );
}

/** What is known of a site's nightly reports: the latest in time, the nights before it, and what could not be judged. */

/** The metrics of a report, as it has them. */
export type SentFigures = Readonly<
  Record<
    string,
    {
      readonly last24h?: number | undefined;
      readonly avg7d?: number | undefined;
      readonly total?: number | undefined;
    }
  >
>;

export interface NightlyOverview {
  readonly asset: string;
  readonly summary: NightlySummary;
  /** The metrics of the latest report; none where there is no report. */
  readonly figures: SentFigures;
  readonly firstNight: UtcDay | undefined;
  /** The last night that owes a report: the last one of a live site, else that of its latest report. */
  readonly owedTo: UtcDay | undefined;
  /** What of the site's reports could not be judged. */
  readonly failures: readonly MonitoringFailure[];
  /** The site's reports that are not judged yet. */
  readonly backlog: Backlog;
  /** On the service's own asset: the freshness of every site. */
  readonly service: IngestFreshness | null;
}

/** What gathering needs beside the database. */
export interface NightlyContext {
  readonly db: Db;
  readonly now: number;
  readonly serviceAsset: string;
  readonly silentHoursOf: (asset: string) => number;
}

/** Reads the nightly part of a site's overview; `sites` is the page of the sites on the service's own asset. */
export function readNightly(
  context: NightlyContext,
  asset: string,
  sites = 1,
  site = findAsset(context.db, asset),
): NightlyOverview {
  const { db, now } = context;
  const latest = findLatestPulse(db, asset, now);
  const received =
    listNights(db, [asset], addDays(utcDayOf(now), -STRIP_NIGHTS)).get(asset) ?? new Set<UtcDay>();
  const first = listFirstNights(db, [asset]).get(asset);
  const live = site?.lifecycle === "live";
  const families = site?.families.map(({ family }) => family) ?? [];
  const summary = nightlySummary({ received, first, live, latest, families, now });
  return {
    asset,
    summary,
    figures: latest?.report.metrics ?? {},
    firstNight: first,
    owedTo: live ? summary.lastNight : latest?.date,
    failures: listMonitoringFailures(db, { kind: "rule", asset }),
    backlog: findBacklog(db, asset),
    service: asset === context.serviceAsset ? readService(context, sites) : null,
  };
}

function readService(context: NightlyContext, page: number): IngestFreshness {
  const { db, now, serviceAsset, silentHoursOf } = context;
  const received = new Map(listFreshness(db, now).map(({ asset, receivedAt }) => [asset, receivedAt]));
  const pauseOf = pausesInForce(listPauses(db), now);
  const sites = listAllAssets(db)
    .filter(({ id }) => id !== serviceAsset)
    .map(({ id, lifecycle, wentLiveAt }) => ({
      asset: id,
      lifecycle,
      wentLiveAt: wentLiveAt ?? undefined,
      receivedAt: received.get(id),
      silentHours: silentHoursOf(id),
      paused: pauseOf(nightlyOf(id)),
    }));
  return ingestFreshness(sites, now, page);
}
