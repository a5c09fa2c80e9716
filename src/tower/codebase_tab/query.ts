/** Which days the charts of the Codebase tab show, as its address says it. */
import { RANGES } from "../../codebase/mod.ts";
import { address, DAY, oneOf } from "../kit/address.ts";
import { paths } from "../paths.ts";

/** How many days, and the last of them; null for the last report's. */
export const chartsAddress = address({ range: oneOf(RANGES, "90"), until: DAY });

export type ChartsQuery = typeof chartsAddress.usual;

/** The tab of a site with other days. */
export function chartsHref(asset: string, query: Partial<ChartsQuery>): string {
  return `${paths.codebase(asset)}${chartsAddress.search(query)}`;
}
