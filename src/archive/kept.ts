/** What is kept of each family's rows, as data. */

import type { Provider } from "../providers/adapter.ts";
import { familiesOf, type ReportFamily } from "../providers/report_families.ts";
import type { InsightBody } from "./insights_contract.ts";

/** How the first rows are chosen. */
interface Kept {
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

/** The rows of a report beside those of an earlier one. Pure. */

/** What an earlier report says of a row. */
export type Earlier =
  /** Its figures there, in the order of the family's. */
  | { readonly told: "values"; readonly values: readonly (number | null)[] }
  /** All rows of that report are kept, and this is none of them: it is new. */
  | { readonly told: "no_row" }
  /** Only the first rows of that report are kept, and this is none of them: whether it was there is not known. */
  | { readonly told: "not_kept" }
  /** Several rows are told by the same words, cut or not: which is which is not known. */
  | { readonly told: "unclear" };

/** How many rows the first ones are of. */
const rowsOf = ({ rows, among }: InsightBody): number => among ?? rows;

/** What an earlier report says of each row of `shown`, in their order. A week's rows are the same by all but their date. */
export function earlierRows(
  { dimensions }: Pick<ReportFamily, "dimensions">,
  shown: InsightBody,
  before: InsightBody,
): Earlier[] {
  const named = dimensions.flatMap((dimension, place) =>
    dimension === "date" && dimensions.length > 1 ? [] : [place],
  );
  const [place = 0] = named;
  // With their lengths, several keys make one name that no others make.
  const nameOf = ({ keys }: InsightBody["top"][number]) =>
    named.length === 1
      ? (keys[place] ?? "")
      : named.reduce((name, at) => `${name}${keys[at]?.length ?? 0}:${keys[at] ?? ""}`, "");
  const [now, then] = [Map.groupBy(shown.top, nameOf), Map.groupBy(before.top, nameOf)];
  const isWhole = rowsOf(before) <= before.top.length;
  return shown.top.map((row): Earlier => {
    const name = nameOf(row);
    const [held, ...others] = then.get(name) ?? [];
    if (others.length > 0 || (now.get(name)?.length ?? 0) > 1) return { told: "unclear" };
    if (held !== undefined) return { told: "values", values: held.values };
    return { told: isWhole ? "no_row" : "not_kept" };
  });
}
