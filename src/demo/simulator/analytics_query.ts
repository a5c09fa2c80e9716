/** What a report of analytics is asked for: read and judged in the order in which the service judges. */

import { dayNumber, parseUtcDay } from "../../base/time.ts";
import { type Fields, isObject, objectsOf, type Shape, textOf, words } from "./google_front.ts";
import { type AnalyticsProperty, HOUR_MS } from "./world.ts";

/** Every key of what Tower asks: another one is refused as one that is not known. */
export const REPORT_SHAPE: Shape = {
  dimensions: { name: true },
  metrics: { name: true },
  dateRanges: { startDate: true, endDate: true },
  dimensionFilter: { filter: { fieldName: true, inListFilter: { values: true, caseSensitive: true } } },
  offset: true,
  limit: true,
  orderBys: { dimension: { dimensionName: true } },
  keepEmptyRows: true,
  returnPropertyQuota: true,
};

/** A filter of rows by the values that a field may have. */
interface Filter {
  readonly field: string;
  readonly values: readonly unknown[];
}

export interface ReportQuery {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  /** Day numbers, both included. */
  readonly from: number;
  readonly to: number;
  readonly filter: Filter | undefined;
  /** The dimensions that rows are ordered by. */
  readonly orders: readonly string[];
  readonly limit: number;
  readonly offset: number;
}

const MOST = { dimensions: 9, metrics: 10 };
const DEFAULT_LIMIT = 10_000;
const MOST_ROWS = 250_000;
/** The first day there are reports of: 2015-08-14. */
const EARLIEST = 16_661;

/** The query, or the words of the refusal. */
export function readQuery(body: Fields, customDimensions: readonly string[]): ReportQuery | string {
  const dimensions = objectsOf(body["dimensions"]).map(({ name }) => textOf(name));
  const metrics = objectsOf(body["metrics"]).map(({ name }) => textOf(name));
  const known = [...DIMENSIONS, ...customDimensions.map((name) => `customEvent:${name}`)];
  const filter = filterOf(body["dimensionFilter"]);
  for (const name of [...dimensions, ...(filter === undefined ? [] : [filter.field])]) {
    if (!known.includes(name)) return invalidField("dimension", name);
  }
  for (const name of metrics) if (!Object.hasOwn(METRIC_TYPES, name)) return invalidField("metric", name);

  const [limit, offset] = [wholeOf(body["limit"]), wholeOf(body["offset"])];
  if (!(limit >= 0)) return `limit must be positive. The API received limit = ${String(body["limit"])}`;
  if (!(offset >= 0)) return `offset must be positive. The API received offset = ${String(body["offset"])}`;

  const [range] = objectsOf(body["dateRanges"]);
  if (range === undefined) return "A dateRange is required.";
  const [startDate, endDate] = [textOf(range["startDate"]), textOf(range["endDate"])];
  const [first, last] = [parseUtcDay(startDate), parseUtcDay(endDate)];
  if (first === undefined) return badDate("startDate", startDate);
  if (last === undefined) return badDate("endDate", endDate);
  const [from, to] = [dayNumber(first), dayNumber(last)];
  if (from > to) {
    return `start_date must be less than or equal to end_date. start_date = ${startDate} and end_date = ${endDate}`;
  }
  if (from < EARLIEST) return `start_date must be after 2015-08-13. start_date = ${startDate}`;

  if (dimensions.length > MOST.dimensions) {
    return `Requests are limited to ${MOST.dimensions} dimensions within a nested request. This request is for ${dimensions.length} dimensions.`;
  }
  if (metrics.length > MOST.metrics) {
    return `Requests are limited to ${MOST.metrics} metrics within a nested request. This request is for ${metrics.length} metrics.`;
  }
  for (const [kind, names] of [
    ["dimensions", dimensions],
    ["metrics", metrics],
  ] as const) {
    const twice = names.find((name, place) => names.indexOf(name) !== place);
    if (twice !== undefined) return `Found duplicate ${kind}: ${twice}`;
  }
  if (dimensions.length + metrics.length === 0) {
    return "Requests require dimensions and/or metrics. Most requests include both.";
  }
  const orders = objectsOf(body["orderBys"]).map(({ dimension }) =>
    isObject(dimension) ? textOf(dimension["dimensionName"]) : "",
  );
  const absent = orders.find((name) => !dimensions.includes(name));
  if (absent !== undefined)
    return `Field ${absent} exists in OrderBy but is not defined in input Dimensions/Metrics list.`;
  return {
    ...{ dimensions, metrics, from, to, filter, orders, offset },
    limit: limit === 0 ? DEFAULT_LIMIT : Math.min(limit, MOST_ROWS),
  };
}

/** Whole numbers come as numbers or as texts; NaN for what is none. */
function wholeOf(value: unknown): number {
  if (value === undefined) return 0;
  return /^-?\d+$/.test(String(value)) ? Number(value) : Number.NaN;
}

const badDate = (field: string, text: string) =>
  `Invalid ${field} : ${text}. ${field} must be YYYY-MM-DD, NdaysAgo, yesterday, or today.`;

function filterOf(asked: unknown): Filter | undefined {
  if (!isObject(asked) || !isObject(asked["filter"])) return undefined;
  const { fieldName, inListFilter } = asked["filter"];
  const values =
    isObject(inListFilter) && Array.isArray(inListFilter["values"]) ? inListFilter["values"] : [];
  return { field: textOf(fieldName), values };
}

// The dimensions and metrics that Tower asks for, with the types of the answers.

const DIMENSIONS: readonly string[] = words(`
  date dateHour eventName landingPage pagePath pageTitle sessionCampaignName sessionDefaultChannelGroup sessionMedium
  sessionSource
`);

export const METRIC_TYPES: Readonly<Record<string, string>> = {
  activeUsers: "TYPE_INTEGER",
  engagedSessions: "TYPE_INTEGER",
  eventCount: "TYPE_INTEGER",
  eventCountPerUser: "TYPE_FLOAT",
  keyEvents: "TYPE_FLOAT",
  newUsers: "TYPE_INTEGER",
  screenPageViews: "TYPE_INTEGER",
  sessions: "TYPE_INTEGER",
  totalUsers: "TYPE_INTEGER",
  userEngagementDuration: "TYPE_SECONDS",
};

const SCHEMA = "https://developers.google.com/analytics/devguides/reporting/data/v1";

/** The words about a field that is none. */
export function invalidField(kind: "dimension" | "metric", name: string, schema = "api-schema"): string {
  // The words about a metric have two spaces there.
  const gap = kind === "metric" ? "  " : " ";
  return `Field ${name} is not a valid ${kind}.${gap}For a list of valid dimensions and metrics, see ${SCHEMA}/${schema} `;
}

/** What a property of analytics may be asked in an hour, apart for reports and for realtime. */

const TOKENS_PER_HOUR = 40_000;

/** The tokens that a report costs, as they were measured: most cost one or two. */
export function costOf(dimensions: number, metrics: number, days: number): number {
  return 1 + (metrics >= 10 ? 1 : 0) + (dimensions >= 9 ? 2 : 0) + Math.floor(days / 60);
}

export class AnalyticsQuota {
  readonly #used = new Map<string, number>();

  /** Takes tokens of the hour, where so many are left. */
  take(
    { property, tokensPerHour = TOKENS_PER_HOUR }: AnalyticsProperty,
    category: "core" | "realtime",
    cost: number,
    now: number,
  ): boolean {
    const key = `${category} ${property} ${Math.floor(now / HOUR_MS)}`;
    const used = (this.#used.get(key) ?? 0) + cost;
    if (used > tokensPerHour) return false;
    this.#used.set(key, used);
    return true;
  }
}
