/** What is kept of each family's rows, as data. */

import type { Provider } from "../provider/contract.ts";
import { familiesOf } from "../provider/report/families.ts";

/** How the first rows are chosen. */
export interface Kept {
  /**
   * `top`: the first by the leading figures, over all rows; `week`: the same, of the newest week alone; `days`: the newest days;
   * `issues`: as `top`, and the URLs of each type of issue beside them.
   */
  readonly how: "top" | "week" | "days" | "issues";
  /** The figures that rows are ordered by, the leading one first; the largest come first. */
  readonly by: readonly string[];
  /** Figures that can be added up over rows: counts of events, never of people or of what stands at a day. */
  readonly sums: readonly string[];
}

const SEARCHED: Kept = { how: "top", by: ["clicks", "impressions"], sums: ["clicks", "impressions"] };
const VISITED = ["sessions", "engaged_sessions"];
const CRAWLED = [
  "crawled_pages",
  "crawl_errors",
  "code_2xx",
  "code_301",
  "code_302",
  "code_4xx",
  "code_5xx",
  "all_other_codes",
  "blocked_by_robots_txt",
  "connection_timeout",
  "contains_malware",
  "dns_failures",
];
const counted = (sums: readonly string[], then: string): Kept => ({
  how: "top",
  by: [sums[0] ?? then, then],
  sums,
});

const OF_SEARCH = Object.fromEntries(familiesOf("search-console").map(({ name }) => [name, SEARCHED]));

const KEPT: Readonly<Record<Provider, Readonly<Record<string, Kept>>>> = {
  "search-console": OF_SEARCH,
  analytics: {
    "pages-screens": counted(["page_views", "event_count", "key_events"], "active_users"),
    "landing-pages": counted([...VISITED, "key_events"], "active_users"),
    "traffic-acquisition": counted([...VISITED, "event_count", "key_events"], "active_users"),
    "traffic-sources": counted(VISITED, "active_users"),
    events: counted(["event_count"], "total_users"),
    "page-events": counted(["event_count"], "total_users"),
    "js-errors": counted(["event_count"], "total_users"),
    "landing-page-acquisition": counted([...VISITED, "key_events"], "active_users"),
    "events-28d": counted(["event_count"], "total_users"),
  },
  "webmaster-tools": {
    "rank-traffic": { ...SEARCHED, how: "days" },
    "crawl-stats": { how: "days", by: ["crawled_pages"], sums: CRAWLED },
    "crawl-issues": { how: "issues", by: ["in_links"], sums: [] },
    feeds: { how: "top", by: ["url_count"], sums: ["url_count"] },
    queries: { ...SEARCHED, how: "week" },
    pages: { ...SEARCHED, how: "week" },
  },
};

/** What is kept of a family. Throws for one that is none of ours. */
export function keptOf({ provider, name }: { readonly provider: Provider; readonly name: string }): Kept {
  const kept = KEPT[provider][name];
  if (kept === undefined) throw new Error(`nothing says what is kept of ${provider} ${name}`);
  return kept;
}
