/** What the nightly part of a site's overview shows, as its address says it. */
import { NIGHTLY_RANGES } from "../../pulse/mod.ts";
import { address, DAY, named, oneOf, PAGE, sought } from "../kit/address.ts";
import { paths } from "../paths.ts";

const LONGEST_NAME = 400;

/**
 * The days of the charts and the last of them (null for the last night), one metric alone or all whose name holds `q`, the page of
 * the metrics, and that of the sites on the service's own asset.
 */
export const nightlyAddress = address({
  range: oneOf(NIGHTLY_RANGES, 90),
  until: DAY,
  metric: named(LONGEST_NAME, null),
  q: sought(LONGEST_NAME),
  page: PAGE,
  sites: PAGE,
});

export type NightlyQuery = typeof nightlyAddress.usual;
export const WHOLE_NIGHTLY: NightlyQuery = nightlyAddress.usual;

/** The overview of a site with this query. */
export function nightlyHref(asset: string, query: Partial<NightlyQuery>): string {
  return `${paths.site(asset)}${nightlyAddress.search(query)}`;
}
