/** How each report family is called where it is shown, what its rows are told by, and which of its figures stand beside them. */

import type { InsightBody } from "../../archive/insights.ts";
import { type Coverage, coverageWords, type InsightReport } from "../../archive/site_insights.ts";
import { countWords as countOf } from "../../base/text.ts";
import type { UtcDay } from "../../base/time.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import { formatDay } from "../format.ts";
import type { FigureUnit } from "./lanes.ts";

/** How a key of a row is written. */
type KeyKind = "address" | "text" | "mono" | "country" | "word" | "day";

/**
 * Each family in the order of its link on the tab: its title, what one row and several are called, its dimensions in the order in which
 * they are read (the first one large, the others below it), and the figures beside the leading one, which is the family's first.
 */
const FAMILY_WORDS: Readonly<
  Record<string, readonly [title: string, row: string, rows: string, keys: string, beside: string]>
> = {
  query: ["Queries", "query", "queries", "query", "impressions ctr position"],
  page: ["Pages in search", "page", "pages", "page", "impressions ctr position"],
  "page-query": [
    "Queries by page",
    "query of a page",
    "queries of pages",
    "query page",
    "impressions position",
  ],
  country: ["Countries", "country", "countries", "country", "impressions position"],
  device: ["Devices", "device", "devices", "device", "impressions position"],
  "search-appearance-pages": [
    "Search appearance",
    "page of an appearance",
    "pages of appearances",
    "appearance page",
    "impressions position",
  ],
  "image-page-query": [
    "Image search",
    "query of a page",
    "queries of pages",
    "query page",
    "impressions position",
  ],
  "discover-page": ["Pages in Discover", "page", "pages", "page", "impressions ctr"],
  "page-country": [
    "Pages by country",
    "page of a country",
    "pages of countries",
    "page country",
    "impressions position",
  ],
  "page-device": [
    "Pages by device",
    "page of a device",
    "pages of devices",
    "page device",
    "impressions position",
  ],
  "traffic-acquisition": ["Channels", "channel", "channels", "channel", "engaged_sessions key_events"],
  "traffic-sources": ["Sources", "source", "sources", "source medium campaign", "engaged_sessions new_users"],
  "landing-pages": [
    "Landing pages",
    "landing page",
    "landing pages",
    "landing_page",
    "new_users engaged_sessions",
  ],
  "landing-page-acquisition": [
    "Landing pages by source",
    "landing page of a source",
    "landing pages of sources",
    "landing_page channel source medium",
    "engaged_sessions key_events",
  ],
  "pages-screens": ["Pages viewed", "page", "pages", "page title", "active_users key_events"],
  events: ["Events", "event", "events", "event", "total_users events_per_user"],
  "page-events": ["Events by page", "event of a page", "events of pages", "event page", "total_users"],
  "events-28d": ["Events of 28 days", "event", "events", "event", "total_users active_users"],
  "js-errors": ["Script errors", "error", "errors", "message source page", "total_users"],
  "crawl-issues": ["Crawl issues", "address", "addresses", "url", "http_code in_links"],
  "crawl-stats": [
    "Crawl statistics",
    "day",
    "days",
    "date",
    "crawl_errors in_index code_4xx code_5xx blocked_by_robots_txt",
  ],
  "rank-traffic": ["Clicks and impressions", "day", "days", "date", "impressions"],
  queries: ["Weekly queries", "query", "queries", "query", "impressions click_position"],
  pages: ["Weekly pages", "page", "pages", "page", "impressions click_position"],
  feeds: ["Feeds", "feed", "feeds", "url type status", "last_crawled"],
};

/** The words of a family; every family has some. */
export function familyWords(name: string) {
  const words = FAMILY_WORDS[name];
  if (words === undefined) throw new Error(`the report family ${name} has no words`);
  const [title, row, rows, keys, beside] = words;
  return { title, row, rows, keys: keys.split(" "), beside: beside.split(" ") };
}

/** The names of the families that have words, in their order. */
export const FAMILY_NAMES = Object.keys(FAMILY_WORDS);

/** What a report is called; its name where it is none of ours. */
export const familyTitle = (name: string): string => FAMILY_WORDS[name]?.[0] ?? name;

const KEY_KINDS: Readonly<Record<string, KeyKind>> = {
  page: "address",
  landing_page: "address",
  url: "address",
  event: "mono",
  country: "country",
  device: "word",
  appearance: "word",
  date: "day",
};

export const keyKind = (dimension: string): KeyKind => KEY_KINDS[dimension] ?? "text";

interface FigureWords {
  readonly words: string;
  readonly unit: FigureUnit;
}

const count = (words: string): FigureWords => ({ words, unit: "count" });

const FIGURES: Readonly<Record<string, FigureWords>> = {
  clicks: count("Clicks"),
  impressions: count("Impressions"),
  ctr: { words: "Click rate", unit: "share" },
  position: { words: "Position", unit: "position" },
  click_position: { words: "Position", unit: "position" },
  page_views: count("Views"),
  active_users: count("Active users"),
  total_users: count("Users"),
  new_users: count("New users"),
  sessions: count("Sessions"),
  engaged_sessions: count("Engaged"),
  key_events: count("Key events"),
  event_count: count("Events"),
  events_per_user: { words: "Per user", unit: "position" },
  crawled_pages: count("Crawled"),
  crawl_errors: count("Errors"),
  in_index: count("In the index"),
  code_4xx: count("4xx"),
  code_5xx: count("5xx"),
  blocked_by_robots_txt: count("Blocked by robots.txt"),
  url_count: count("Addresses"),
  last_crawled: count("Last read"),
};

export const FIGURE_NAMES: readonly string[] = Object.keys(FIGURES);

/** A figure's heading and unit. */
export function figureWords(metric: string): FigureWords {
  return FIGURES[metric] ?? count(metric.replaceAll("_", " "));
}

/** What is said of a report in words. Pure. */

/** Which days a report is of, and whether they are final: "18 Nov, final". */
export function dateWords(
  { family, isProvisional }: Pick<InsightReport, "family" | "isProvisional">,
  date: UtcDay,
  now: number,
): string {
  const day = formatDay(date, now);
  if (family.of === "snapshot") return `as of ${day}`;
  const state = isProvisional ? "provisional" : "final";
  return family.of === "days28" ? `28 days to ${day}, ${state}` : `${day}, ${state}`;
}

/** How many rows a report has: "1,204 queries". */
export function rowsWords(family: ReportFamily, rows: number): string {
  const { row, rows: many } = familyWords(family.name);
  return countOf(rows, row, many);
}

/** How much of the day's total the rows of a report cover, as a sentence. */
export function coverWords(coverage: Coverage | undefined): string | undefined {
  return coverage && coverageWords(coverage, figureWords(coverage.metric).words.toLowerCase());
}

/** The one week that all rows of a weekly report are of; undefined where there are several, or it is no such report. */
export function weekOf(family: ReportFamily, insight: InsightBody): string | undefined {
  const place = family.dimensions.indexOf("date");
  if (place === -1) return undefined;
  const [week, ...others] = new Set(insight.top.map(({ keys }) => keys[place]));
  return others.length === 0 ? week : undefined;
}
