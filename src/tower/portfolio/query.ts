/** What the portfolio shows, as its address says it. */
import { LIFECYCLES, LONGEST_GROUP } from "../../assets/contract.ts";
import { SITE_STATES } from "../../freshness/mod.ts";
import { SEVERITIES } from "../component/severity.tsx";
import { address, named, oneOf, PAGE, sought } from "../kit/address.ts";
import { SINCE } from "../morning/since.ts";
import { paths } from "../paths.ts";

const SORTS = ["worst", "site", "flags", "integrations", "lines", "codebase", "nightly"] as const;
export type Sort = (typeof SORTS)[number];

const LONGEST_SEARCH = 200;

/**
 * Text in the identifier or the address, a state, a lifecycle, the sites of one group, sites with an open flag of a severity, the order,
 * the page; and from when on something is new.
 */
export const portfolioAddress = address({
  q: sought(LONGEST_SEARCH),
  state: oneOf(SITE_STATES, null),
  lifecycle: oneOf(LIFECYCLES, null),
  group: named(LONGEST_GROUP, null),
  // What such a flag was called when the first of these addresses were kept.
  alert: oneOf(SEVERITIES, null),
  sort: oneOf(SORTS, "worst"),
  page: PAGE,
  since: SINCE,
});

/** What Find is asked for, from any page. */
export const findAddress = address({ find: sought(LONGEST_SEARCH) });

export type PortfolioQuery = typeof portfolioAddress.usual;
export const EVERYTHING: PortfolioQuery = portfolioAddress.usual;
export const portfolioHref = portfolioAddress.at(paths.portfolio);
