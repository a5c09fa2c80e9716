import { SITE_STATES } from "../../freshness/mod.ts";
import { STALE_INGEST } from "../../rules/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Pager } from "../component/pager.tsx";
import { SITE_STATE_WORDS, SiteStateMark } from "../component/site_state.tsx";
import { DataTable } from "../component/table.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount, formatSpan } from "../format.ts";
import { paths } from "../paths.ts";
import { type SiteQuery, siteHref } from "../site_days/query.ts";
import type { IngestFreshness } from "./service.ts";

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
  readonly now: number;
}) {
  const { asset, query, freshness, now } = props;
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
              receivedAt === undefined ? (
                <span class="nm">No report</span>
              ) : (
                <Moment at={receivedAt} now={now} />
              ),
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
