/** The report families (spec, Archive report families), in the order in which they are asked for and shown. */
import type { Provider } from "../contract.ts";
import type { ReportFamily } from "./contract.ts";

const SEARCH = ["clicks", "impressions", "ctr", "position"];

const search = (
  name: string,
  dimensions: readonly string[],
  metrics: readonly string[] = SEARCH,
): ReportFamily => ({
  provider: "search-console",
  name,
  of: "day",
  everyDays: 1,
  dimensions,
  metrics,
});

const analytics = (
  name: string,
  dimensions: readonly string[],
  metrics: readonly string[],
): ReportFamily => ({
  provider: "analytics",
  name,
  of: "day",
  everyDays: 1,
  dimensions,
  metrics,
});

const webmaster = (
  name: string,
  everyDays: 1 | 7,
  dimensions: readonly string[],
  metrics: readonly string[],
): ReportFamily => ({ provider: "webmaster-tools", name, of: "snapshot", everyDays, dimensions, metrics });

const WEEKLY = ["clicks", "impressions", "click_position", "impression_position"];

export const REPORT_FAMILIES: readonly ReportFamily[] = [
  search("page-query", ["page", "query"]),
  search("page", ["page"]),
  search("query", ["query"]),
  search("country", ["country"]),
  search("device", ["device"]),
  search("page-country", ["page", "country"]),
  search("page-device", ["page", "device"]),
  search("search-appearance-pages", ["appearance", "page"]),
  search("image-page-query", ["page", "query"]),
  // Discover has no position.
  search("discover-page", ["page"], ["clicks", "impressions", "ctr"]),
  analytics(
    "pages-screens",
    ["page", "title"],
    ["page_views", "active_users", "event_count", "engagement_seconds", "key_events"],
  ),
  analytics(
    "landing-pages",
    ["landing_page"],
    ["sessions", "active_users", "new_users", "engaged_sessions", "engagement_seconds", "key_events"],
  ),
  analytics(
    "traffic-acquisition",
    ["channel"],
    ["sessions", "engaged_sessions", "active_users", "event_count", "key_events", "engagement_seconds"],
  ),
  analytics(
    "traffic-sources",
    ["source", "medium", "campaign"],
    ["sessions", "engaged_sessions", "active_users", "new_users"],
  ),
  analytics("events", ["event"], ["event_count", "total_users", "events_per_user"]),
  analytics("page-events", ["page", "event"], ["event_count", "total_users"]),
  analytics("js-errors", ["message", "source", "page"], ["event_count", "total_users"]),
  analytics(
    "landing-page-acquisition",
    ["landing_page", "channel", "source", "medium"],
    ["sessions", "engaged_sessions", "active_users", "key_events"],
  ),
  // Users are counted once over all 28 days: what single days tell cannot be added up.
  { ...analytics("events-28d", ["event"], ["event_count", "total_users", "active_users"]), of: "days28" },
  webmaster("rank-traffic", 1, ["date"], ["clicks", "impressions"]),
  webmaster(
    "crawl-stats",
    1,
    ["date"],
    [
      "crawled_pages",
      "crawl_errors",
      "in_index",
      "in_links",
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
    ],
  ),
  // `issues` is a mask of bits, of which a page has one or more.
  webmaster("crawl-issues", 1, ["url"], ["issues", "http_code", "in_links"]),
  // Moments in milliseconds since the epoch, null for never.
  webmaster("feeds", 1, ["url", "type", "status"], ["url_count", "file_size", "last_crawled", "submitted"]),
  // Positions as they are told: what they count from is not documented. Null where there is none.
  webmaster("queries", 7, ["query", "date"], WEEKLY),
  webmaster("pages", 7, ["page", "date"], WEEKLY),
];

/** The families of a provider. */
export const familiesOf = (provider: Provider): readonly ReportFamily[] =>
  REPORT_FAMILIES.filter((family) => family.provider === provider);

/** A provider's family by its name; undefined where there is none. */
export const findFamily = (provider: string, name: string): ReportFamily | undefined =>
  REPORT_FAMILIES.find((family) => family.provider === provider && family.name === name);

/** The fewest requests that a report takes: one page, and of a family in two steps one page of each. */
export const leastRequests = ({ name }: ReportFamily): number => (name === "search-appearance-pages" ? 2 : 1);
