/** What the nightly part of a site's overview shows, read from its address and written back to it. */
import { parseUtcDay, type UtcDay } from "../../lib/utc_day.ts";
import { NIGHTLY_RANGES, type NightlyRange } from "../../pulse/mod.ts";
import { paths } from "../paths.ts";

export interface NightlyQuery {
  /** Days of the charts. */
  readonly range: NightlyRange;
  /** Last day of the charts; null for the last night. */
  readonly until: UtcDay | null;
  /** One metric alone; null for all of them, page by page. */
  readonly metric: string | null;
  /** Text in the metric's name. */
  readonly q: string;
  /** Page of the metrics, counted from 1. */
  readonly page: number;
  /** Page of the sites on the service's own asset, counted from 1. */
  readonly sites: number;
}

export const WHOLE_NIGHTLY: NightlyQuery = { range: 90, until: null, metric: null, q: "", page: 1, sites: 1 };

const LONGEST_NAME = 400;

/** Reads the query of an address. Whatever it does not know reads as not given. */
export function nightlyQuery(params: URLSearchParams): NightlyQuery {
  const range = Number(params.get("range"));
  const metric = (params.get("metric") ?? "").slice(0, LONGEST_NAME);
  return {
    range: NIGHTLY_RANGES.find((known) => known === range) ?? WHOLE_NIGHTLY.range,
    until: parseUtcDay(params.get("until") ?? "") ?? null,
    metric: metric === "" ? null : metric,
    q: (params.get("q") ?? "").trim().slice(0, LONGEST_NAME),
    page: pageOf(params.get("page")),
    sites: pageOf(params.get("sites")),
  };
}

/** A page's number as an address gives it; 1 for what is no such number. */
export function pageOf(text: string | null): number {
  const page = Number(text ?? "1");
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}

/** The address that shows the query; what is as usual is left out. */
export function nightlyHref(asset: string, query: NightlyQuery): string {
  const params = new URLSearchParams();
  if (query.range !== WHOLE_NIGHTLY.range) params.set("range", String(query.range));
  if (query.until !== null) params.set("until", query.until);
  if (query.metric !== null) params.set("metric", query.metric);
  if (query.q !== "") params.set("q", query.q);
  if (query.page > 1) params.set("page", String(query.page));
  if (query.sites > 1) params.set("sites", String(query.sites));
  const text = params.toString();
  return text === "" ? paths.site(asset) : `${paths.site(asset)}?${text}`;
}
