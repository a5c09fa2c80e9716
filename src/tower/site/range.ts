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

/** What the metrics of the table are sorted by; the worst come first where nothing is said. */
export const SORTS = ["metric", "latest", "normally", "change", "week", "week-change"] as const;
export type Sort = (typeof SORTS)[number];

/**
 * The days of the charts: a range that ends with the last of them (null for the last night), or days of one's own choice (`from` and
 * `to`), which go before. One metric alone of a source, or all whose name holds `q`; the page of the sent metrics and their order.
 */
const params = {
  range: oneOf(RANGES, 28),
  until: DAY,
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

/** What was done to days of one's own choice, so that a page can say it. */
export type DaysNote = "reversed" | "ahead" | "cut";

export interface ShownDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number;
  /** The days are of one's own choice, and not one of the ranges. */
  readonly chosen: boolean;
  readonly notes: readonly DaysNote[];
  /** The queries of the days before and after; null where there is nothing. */
  readonly earlier: Partial<SiteQuery> | null;
  readonly later: Partial<SiteQuery> | null;
}

/** The days a query asks for. `last` is the newest day that can be shown, `first` the first day of which anything is known. */
export function shownDays(
  query: Pick<SiteQuery, "range" | "until" | "from" | "to">,
  last: UtcDay,
  first: UtcDay | undefined,
): ShownDays {
  const { range, until } = query;
  const chosen = query.from !== null || query.to !== null;
  if (!chosen) {
    const to = until === null || until > last ? last : until;
    const from = addDays(to, 1 - range);
    return {
      from,
      to,
      count: range,
      chosen,
      notes: [],
      earlier: first !== undefined && first < from ? { until: addDays(from, -1) } : null,
      later: to < last ? { until: addDays(to, range) } : null,
    };
  }
  const { from, to, notes } = chosenDays(query, last);
  const count = daysBetween(from, to) + 1;
  const moved = (by: number) => ({ from: addDays(from, by), to: addDays(to, by) });
  return {
    from,
    to,
    count,
    chosen,
    notes,
    earlier: first !== undefined && first < from ? moved(-count) : null,
    later: to < last ? moved(Math.min(count, daysBetween(to, last))) : null,
  };
}

/** Days of one's own choice, put in order and cut to what can be shown. An end that is not given is the last day, or a range before it. */
function chosenDays(
  { range, from: asked, to: askedTo }: Pick<SiteQuery, "range" | "from" | "to">,
  last: UtcDay,
) {
  const end = askedTo ?? last;
  const begin = asked ?? addDays(end, 1 - range);
  const reversed = begin > end;
  let [from, to] = reversed ? [end, begin] : [begin, end];
  const ahead = to > last;
  if (ahead) to = last;
  if (from > to) from = to;
  const cut = daysBetween(from, to) >= MOST_DAYS;
  if (cut) from = addDays(to, 1 - MOST_DAYS);
  const notes: DaysNote[] = [];
  if (reversed) notes.push("reversed");
  if (ahead) notes.push("ahead");
  if (cut) notes.push("cut");
  return { from, to, notes };
}
