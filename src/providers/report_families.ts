/** The report families (spec, Archive report families), in the order in which they are asked for and shown. */

import type { Provider, ReportNote } from "./adapter.ts";
import { type Fault, faultOf } from "./faults.ts";

/** A report family (spec, Archive report families). */
export interface ReportFamily {
  readonly provider: Provider;
  readonly name: string;
  /**
   * What one report is of: a day of the provider's calendar; the 28 complete days that end at one; or whatever the provider keeps
   * at the moment it is asked, which stands under the UTC day of that moment.
   */
  readonly of: "day" | "days28" | "snapshot";
  /** How often a report comes up anew, in days. */
  readonly everyDays: 1 | 7;
  /** What a row is told by, in the order of its keys; names of our own. */
  readonly dimensions: readonly string[];
  /** The figures of a row, in the order of its values; names of our own. */
  readonly metrics: readonly string[];
}

/** One row of a report, the same for every provider. A value is null where the provider tells none. */
export interface ReportRow {
  readonly keys: readonly string[];
  readonly values: readonly (number | null)[];
}

/** The parameters of events that errors of scripts are told by, and the names of those events: a property's own choice. */
interface ErrorEvents {
  readonly events: readonly string[];
  /** As they are registered, without `customEvent:`. */
  readonly message: string;
  readonly source: string;
}

/** How much of one report is taken. */
interface ReportBounds {
  readonly rows: number;
  /** Of the answers as they came, before they are compressed. */
  readonly bytes: number;
}

/** One report to ask for. */
export interface ReportAsked {
  readonly family: ReportFamily;
  /** The provider's own id. */
  readonly property: string;
  /** Its first and its last day, as day numbers of the provider's calendar; the UTC day of the question for a snapshot. */
  readonly from: number;
  readonly to: number;
  /** The property's time zone as far as it is known. */
  readonly timeZone: string | undefined;
  readonly bounds: ReportBounds;
  readonly errorEvents: ErrorEvents;
}

/** An answer as it came, in a file of the spool; secrets were taken out of it before it was written. */
export interface RawPage {
  readonly path: string;
  readonly bytes: number;
  /** Of a family that is asked in two steps: which step it is of, and for which value of the first one. */
  readonly step: "rows" | "values";
  readonly value: string | undefined;
}

/** Why a report ends before its end. What came is kept, and is no report to read figures from. */
export type ReportCut =
  /** It has more rows, or more bytes, than are taken of one. */
  | { readonly by: "rows" | "bytes" }
  /** A later page, or the second step for a value, could not be had. */
  | { readonly by: "fault"; readonly fault: Fault };

/** What was answered, before anybody looked at its rows. Plain data: it travels to a worker. */
export interface RawReport {
  readonly asked: ReportAsked;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** In the order in which they were asked for; what is archived is these bytes, with a newline between two of them. */
  readonly pages: readonly RawPage[];
  readonly cut: ReportCut | undefined;
}

/** What a report says beside its rows. */
export interface ReadReport {
  /** Rows in all pages. */
  readonly rows: number;
  /** Told by the report; undefined where it does not tell. */
  readonly timeZone: string | undefined;
  readonly notes: readonly ReportNote[];
  /** SHA-256 (hexadecimal) of the rows whatever order they came in: the same for two answers that say the same. */
  readonly content: string;
}

/** What a report that ends before its end is recorded as: always an incomplete one, whatever ended it. */
export function faultOfCut(cut: ReportCut): Fault {
  if (cut.by !== "fault") return faultOf("report_over_ceiling");
  const { code, retryAfterMs } = cut.fault;
  return code === "report_cut_off" ? cut.fault : faultOf("rows_not_all_fetched", { retryAfterMs });
}

const SEARCH = ["clicks", "impressions", "ctr", "position"];

const family =
  (provider: Provider, of: ReportFamily["of"], everyDays: ReportFamily["everyDays"] = 1) =>
  (name: string, dimensions: readonly string[], metrics: readonly string[]): ReportFamily => ({
    ...{ provider, name, of, everyDays, dimensions, metrics },
  });
const search = family("search-console", "day");
const analytics = family("analytics", "day");
const daily = family("webmaster-tools", "snapshot");
const weekly = family("webmaster-tools", "snapshot", 7);

const WEEKLY = ["clicks", "impressions", "click_position", "impression_position"];

const FAMILIES: Readonly<Record<Provider, readonly ReportFamily[]>> = {
  "search-console": [
    search("page-query", ["page", "query"], SEARCH),
    search("page", ["page"], SEARCH),
    search("query", ["query"], SEARCH),
    search("country", ["country"], SEARCH),
    search("device", ["device"], SEARCH),
    search("page-country", ["page", "country"], SEARCH),
    search("page-device", ["page", "device"], SEARCH),
    search("search-appearance-pages", ["appearance", "page"], SEARCH),
    search("image-page-query", ["page", "query"], SEARCH),
    // Discover has no position.
    search("discover-page", ["page"], ["clicks", "impressions", "ctr"]),
  ],
  analytics: [
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
    family("analytics", "days28")("events-28d", ["event"], ["event_count", "total_users", "active_users"]),
  ],
  "webmaster-tools": [
    daily("rank-traffic", ["date"], ["clicks", "impressions"]),
    daily(
      "crawl-stats",
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
    daily("crawl-issues", ["url"], ["issues", "http_code", "in_links"]),
    // Moments in milliseconds since the epoch, null for never.
    daily("feeds", ["url", "type", "status"], ["url_count", "file_size", "last_crawled", "submitted"]),
    // Positions as they are told: what they count from is not documented. Null where there is none.
    weekly("queries", ["query", "date"], WEEKLY),
    weekly("pages", ["page", "date"], WEEKLY),
  ],
};

/** The families of a provider. */
export const familiesOf = (provider: Provider): readonly ReportFamily[] => FAMILIES[provider];

export const REPORT_FAMILIES: readonly ReportFamily[] = Object.values(FAMILIES).flat();

/** A provider's family by its name; undefined where there is none. */
export const findFamily = (provider: string, name: string): ReportFamily | undefined =>
  REPORT_FAMILIES.find((family) => family.provider === provider && family.name === name);

/** The fewest requests that a report takes: one page, and of a family in two steps one page of each. */
export const leastRequests = ({ name }: ReportFamily): number => (name === "search-appearance-pages" ? 2 : 1);
