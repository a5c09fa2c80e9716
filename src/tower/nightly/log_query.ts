/** What the log of a site's reports shows, as its address says it. */
import { address, DAY, instantsOf, oneOf, PAGE } from "../kit/address.ts";
import { paths } from "../paths.ts";
import { type Narrowed, REPORT_KINDS } from "./log.ts";

/** A kind of report, and the days of receiving, both included. */
export const logAddress = address({ kind: oneOf(REPORT_KINDS, null), from: DAY, to: DAY, page: PAGE });

export type LogQuery = typeof logAddress.usual;
export const WHOLE_LOG: LogQuery = logAddress.usual;

/** The log of a site with this query. */
export function logHref(asset: string, query: Partial<LogQuery>): string {
  return `${paths.reports(asset)}${logAddress.search(query)}`;
}

/** The query as the store reads it. */
export function logFilter(asset: string, query: LogQuery): Narrowed {
  return {
    asset,
    kind: query.kind,
    ...instantsOf(query),
  };
}
