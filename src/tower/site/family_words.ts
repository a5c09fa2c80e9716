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

interface FamilyWords {
  readonly title: string;
  /** One row: "query". */
  readonly row: string;
  readonly rows?: string;
  /** Dimensions in the order in which they are read: the first one large, the others below it. */
  readonly keys: readonly string[];
  /** Figures beside the leading one, which is the family's first. */
  readonly beside: readonly string[];
}

const FAMILY_WORDS: Readonly<Record<string, FamilyWords>> = {
  query: {
    title: "Queries",
    row: "query",
    rows: "queries",
    keys: ["query"],
    beside: ["impressions", "ctr", "position"],
  },
  page: { title: "Pages in search", row: "page", keys: ["page"], beside: ["impressions", "ctr", "position"] },
  "page-query": {
    title: "Queries by page",
    row: "query of a page",
    rows: "queries of pages",
    keys: ["query", "page"],
    beside: ["impressions", "position"],
  },
  country: {
    title: "Countries",
    row: "country",
    rows: "countries",
    keys: ["country"],
    beside: ["impressions", "position"],
  },
  device: { title: "Devices", row: "device", keys: ["device"], beside: ["impressions", "position"] },
  "page-country": {
    title: "Pages by country",
    row: "page of a country",
    rows: "pages of countries",
    keys: ["page", "country"],
    beside: ["impressions", "position"],
  },
  "page-device": {
    title: "Pages by device",
    row: "page of a device",
    rows: "pages of devices",
    keys: ["page", "device"],
    beside: ["impressions", "position"],
  },
  "search-appearance-pages": {
    title: "Search appearance",
    row: "page of an appearance",
    rows: "pages of appearances",
    keys: ["appearance", "page"],
    beside: ["impressions", "position"],
  },
  "image-page-query": {
    title: "Image search",
    row: "query of a page",
    rows: "queries of pages",
    keys: ["query", "page"],
    beside: ["impressions", "position"],
  },
  "discover-page": {
    title: "Pages in Discover",
    row: "page",
    keys: ["page"],
    beside: ["impressions", "ctr"],
  },
  "pages-screens": {
    title: "Pages viewed",
    row: "page",
    keys: ["page", "title"],
    beside: ["active_users", "key_events"],
  },
  "landing-pages": {
    title: "Landing pages",
    row: "landing page",
    keys: ["landing_page"],
    beside: ["new_users", "engaged_sessions"],
  },
  "traffic-acquisition": {
    title: "Channels",
    row: "channel",
    keys: ["channel"],
    beside: ["engaged_sessions", "key_events"],
  },
  "traffic-sources": {
    title: "Sources",
    row: "source",
    keys: ["source", "medium", "campaign"],
    beside: ["engaged_sessions", "new_users"],
  },
  events: { title: "Events", row: "event", keys: ["event"], beside: ["total_users", "events_per_user"] },
  "page-events": {
    title: "Events by page",
    row: "event of a page",
    rows: "events of pages",
    keys: ["event", "page"],
    beside: ["total_users"],
  },
  "js-errors": {
    title: "Script errors",
    row: "error",
    keys: ["message", "source", "page"],
    beside: ["total_users"],
  },
  "landing-page-acquisition": {
    title: "Landing pages by source",
    row: "landing page of a source",
    rows: "landing pages of sources",
    keys: ["landing_page", "channel", "source", "medium"],
    beside: ["engaged_sessions", "key_events"],
  },
  "events-28d": {
    title: "Events of 28 days",
    row: "event",
    keys: ["event"],
    beside: ["total_users", "active_users"],
  },
  "rank-traffic": { title: "Clicks and impressions", row: "day", keys: ["date"], beside: ["impressions"] },
  "crawl-stats": {
    title: "Crawl statistics",
    row: "day",
    keys: ["date"],
    beside: ["crawl_errors", "in_index", "code_4xx", "code_5xx", "blocked_by_robots_txt"],
  },
  "crawl-issues": {
    title: "Crawl issues",
    row: "address",
    rows: "addresses",
    keys: ["url"],
    beside: ["http_code", "in_links"],
  },
  feeds: { title: "Feeds", row: "feed", keys: ["url", "type", "status"], beside: ["last_crawled"] },
  queries: {
    title: "Weekly queries",
    row: "query",
    rows: "queries",
    keys: ["query"],
    beside: ["impressions", "click_position"],
  },
  pages: { title: "Weekly pages", row: "page", keys: ["page"], beside: ["impressions", "click_position"] },
};

/** The words of a family; every family has some. */
export function familyWords(name: string): FamilyWords {
  const words = FAMILY_WORDS[name];
  if (words === undefined) throw new Error(`the report family ${name} has no words`);
  return words;
}

/** What a report is called; its name where it is none of ours. */
export const familyTitle = (name: string): string => FAMILY_WORDS[name]?.title ?? name;

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
  return countOf(rows, row, many ?? (row.includes(" of ") ? undefined : `${row}s`));
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
