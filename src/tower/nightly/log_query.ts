/** What the log of a site's reports shows, read from its address and written back to it. */
import { addDays, parseUtcDay, startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import { paths } from "../paths.ts";
import { type LogFilter, REPORT_KINDS, type ReportKind } from "./log_store.ts";
import { pageOf } from "./query.ts";

export interface LogQuery {
  readonly kind: ReportKind | null;
  /** Days of receiving, both included. */
  readonly from: UtcDay | null;
  readonly to: UtcDay | null;
  /** Counted from 1. */
  readonly page: number;
}

export const WHOLE_LOG: LogQuery = { kind: null, from: null, to: null, page: 1 };

/** Reads the query of an address. Whatever it does not know reads as not given. */
export function logQuery(params: URLSearchParams): LogQuery {
  return {
    kind: REPORT_KINDS.find((kind) => kind === params.get("kind")) ?? null,
    from: parseUtcDay(params.get("from") ?? "") ?? null,
    to: parseUtcDay(params.get("to") ?? "") ?? null,
    page: pageOf(params.get("page")),
  };
}

/** The address that shows the query; what is as usual is left out. */
export function logHref(asset: string, query: LogQuery): string {
  const params = new URLSearchParams();
  if (query.kind !== null) params.set("kind", query.kind);
  if (query.from !== null) params.set("from", query.from);
  if (query.to !== null) params.set("to", query.to);
  if (query.page > 1) params.set("page", String(query.page));
  const text = params.toString();
  return text === "" ? paths.reports(asset) : `${paths.reports(asset)}?${text}`;
}

/** The query as the store reads it. */
export function logFilter(asset: string, query: LogQuery): LogFilter {
  return {
    asset,
    kind: query.kind,
    from: query.from === null ? null : startOfDay(query.from),
    until: query.to === null ? null : startOfDay(addDays(query.to, 1)),
  };
}
