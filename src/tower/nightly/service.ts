/** Ingest freshness of every site, as the service's own asset shows it. Pure. */
import { SITE_STATES, type SiteReporting, type SiteState, siteState } from "../../freshness/mod.ts";
import { tallied } from "../../lib/tally.ts";
import type { Paging } from "../component/pager.tsx";
import { pagingOf } from "../component/pager.tsx";

/** What is known of one site's reports. */
export interface FreshnessInput extends SiteReporting {
  readonly asset: string;
}

export interface SiteFreshness extends FreshnessInput {
  readonly state: SiteState;
}

export interface IngestFreshness {
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
