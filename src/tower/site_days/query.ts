/** Which days and figures of a site are shown, as an address says it. */
import { SERIES_SOURCES, type SeriesSource } from "../../flags/mod.ts";
import { SENT } from "../../rules/mod.ts";
import { address, DAY, named, oneOf, PAGE, sought } from "../kit/address.ts";
import { paths } from "../paths.ts";

/** Ranges of the charts, in days. */
export const RANGES = [7, 30, 90] as const;

const LONGEST_NAME = 400;

/**
 * The days of the charts: a range that ends with the last of them (null for the last night), or days of one's own choice (`from` and
 * `to`), which go before. One metric alone of a source, or all whose name holds `q`; the page of the sent metrics, and that of the
 * sites on the service's own asset.
 */
export const siteAddress = address({
  range: oneOf(RANGES, 90),
  until: DAY,
  from: DAY,
  to: DAY,
  source: oneOf(SERIES_SOURCES, SENT),
  metric: named(LONGEST_NAME, null),
  q: sought(LONGEST_NAME),
  page: PAGE,
  sites: PAGE,
});

export type SiteQuery = typeof siteAddress.usual;
export const WHOLE_SITE: SiteQuery = siteAddress.usual;

/** The overview of a site with this query. */
export function siteHref(asset: string, query: Partial<SiteQuery>): string {
  return `${paths.site(asset)}${siteAddress.search(query)}`;
}

/** The overview with one metric alone, over the days of this query. */
export function metricHref(asset: string, query: SiteQuery, source: SeriesSource, metric: string): string {
  return siteHref(asset, { ...query, source, metric, page: 1, q: "" });
}

/** The overview with every metric, over the days of this query. */
export function wholeHref(asset: string, query: SiteQuery): string {
  return siteHref(asset, { ...query, source: SENT, metric: null, page: 1, q: "" });
}

/** The numbers of the charts that this query shows, as a file. */
export function csvHref(asset: string, query: SiteQuery): string {
  return `${paths.siteCsv(asset)}${siteAddress.search(query)}`;
}
