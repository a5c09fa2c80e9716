/** Which days the charts of a site show. Pure. */

import { addDays, daysBetween, type UtcDay } from "../../base/time.ts";
import { SERIES_SOURCES } from "../../flags/flags.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import { address, DAY, named, oneOf, PAGE, sought } from "../kit/address.tsx";
import { sortOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";

/** Which days and figures of a site are shown, as an address says it. */

/** Ranges of the charts, in days. */
export const RANGES = [7, 28, 90, 365] as const;

const LONGEST_NAME = 400;

/** What the table of metrics is sorted by. */
export const SORTS = ["metric", "latest", "normally", "change", "week", "week-change"] as const;

/**
 * The days of the charts: a range that ends with the last night, or days of one's own choice (`from` and `to`), which go before. One metric alone of a source, or all whose name holds `q`; the order of the table of metrics, whose worst come first where nothing is said, and its page.
 */
const params = {
  range: oneOf(RANGES, 28),
  from: DAY,
  to: DAY,
  source: oneOf(SERIES_SOURCES, SENT),
  metric: named(LONGEST_NAME, null),
  q: sought(LONGEST_NAME),
  sort: sortOf(SORTS, ""),
  page: PAGE,
};
export const siteAddress = address(params);
/** One metric alone shows more days. */
export const metricAddress = address({ ...params, range: oneOf(RANGES, 90) });

export type SiteQuery = typeof siteAddress.usual;
export const WHOLE_SITE: SiteQuery = siteAddress.usual;

/** The overview of a site with this query. */
export function siteHref(asset: string, query: Partial<SiteQuery>): string {
  return `${paths.site(asset)}${siteAddress.search(query)}`;
}

/** The overview of one day. */
export const dayHref = (asset: string, day: UtcDay): string => siteHref(asset, { from: day, to: day });

/** The page of one metric. */
export function metricHref(asset: string, query: Partial<SiteQuery>): string {
  return `${paths.metric(asset)}${metricAddress.search(query)}`;
}

/** The numbers of the charts that this query shows, as a file. */
export function csvHref(asset: string, query: SiteQuery): string {
  return `${paths.siteCsv(asset)}${siteAddress.search(query)}`;
}

/** Most days on one page. */
export const MOST_DAYS = 400;

export interface ShownDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number;
  /** The days are of one's own choice, and not one of the ranges. */
  readonly chosen: boolean;
  /** The queries of the days before and after; null where there is nothing. */
  readonly earlier: Partial<SiteQuery> | null;
  readonly later: Partial<SiteQuery> | null;
}

/**
 * The days a query asks for, put in order and cut to what can be shown: `last` is the newest day that can be, `first` the first of which
 * anything is known. An end that is not given is the last day, or a range before it.
 */
export function shownDays(
  { range, from: asked, to: askedTo }: Pick<SiteQuery, "range" | "from" | "to">,
  last: UtcDay,
  first: UtcDay | undefined,
): ShownDays {
  const end = askedTo ?? last;
  const begin = asked ?? addDays(end, 1 - range);
  const [early = begin, to = end] = [begin, end].map((day) => (day > last ? last : day)).toSorted();
  const from = daysBetween(early, to) < MOST_DAYS ? early : addDays(to, 1 - MOST_DAYS);
  const count = daysBetween(from, to) + 1;
  const moved = (by: number) => ({ from: addDays(from, by), to: addDays(to, by) });
  return {
    from,
    to,
    count,
    chosen: asked !== null || askedTo !== null,
    earlier: first !== undefined && first < from ? moved(-count) : null,
    later: to < last ? moved(Math.min(count, daysBetween(to, last))) : null,
  };
}
