/** What a report of analytics is asked for: read and judged in the order in which the service judges. */

import { dayNumber, parseUtcDay } from "../../base/time.ts";
import { type Fields, isObject, objectsOf, type Shape, textOf, words } from "./google_front.ts";
import { type AnalyticsProperty, dayIn, HOUR_MS, type Quota, STANDARD_QUOTA } from "./world.ts";

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

/** What a property of analytics may be asked: its buckets, apart for reports and for realtime. */

export type QuotaCategory = "core" | "realtime";

/** What was used, in the hour and the day in which it was. */
interface Used {
  hour: number;
  day: number;
  tokensOfHour: number;
  tokensOfDay: number;
  thresholded: number;
}

/** The tokens that a report costs, as they were measured: most cost one or two. */
export function costOf(dimensions: number, metrics: number, days: number): number {
  return 1 + (metrics >= 10 ? 1 : 0) + (dimensions >= 9 ? 2 : 0) + Math.floor(days / 60);
}

/** Days begin at midnight there, for every property. */
const QUOTA_ZONE = "America/Los_Angeles";

export class AnalyticsQuota {
  readonly #used = new Map<string, Used>();
  readonly #inFlight = new Map<string, number>();

  /** The bucket that has not enough left, or undefined: then it is taken from all. */
  take(
    property: AnalyticsProperty,
    category: QuotaCategory,
    {
      cost,
      now,
      isThresholded,
    }: { readonly cost: number; readonly now: number; readonly isThresholded: boolean },
  ): string | undefined {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    if ((this.#inFlight.get(property.property) ?? 0) > allowed.concurrentRequests) return "concurrent";
    if (used.tokensOfDay + cost > allowed.tokensPerDay) return "tokens-day";
    if (used.tokensOfHour + cost > allowed.tokensPerHour) return "tokens-hour";
    if (used.tokensOfHour + cost > allowed.tokensPerProjectPerHour) return "tokens-project-hour";
    if (isThresholded && used.thresholded + 1 > allowed.potentiallyThresholdedRequestsPerHour)
      return "thresholded";
    used.tokensOfDay += cost;
    used.tokensOfHour += cost;
    if (isThresholded) used.thresholded++;
    return undefined;
  }

  /** A request is under way; call what is returned when it has ended. */
  begin(property: string): () => void {
    this.#inFlight.set(property, (this.#inFlight.get(property) ?? 0) + 1);
    return () => this.#inFlight.set(property, (this.#inFlight.get(property) ?? 1) - 1);
  }

  #usedOf(property: string, category: QuotaCategory, now: number): Used {
    const key = `${category} ${property}`;
    const [hour, day] = [Math.floor(now / HOUR_MS), dayIn(QUOTA_ZONE, now)];
    const used = this.#used.get(key) ?? { hour, day, tokensOfHour: 0, tokensOfDay: 0, thresholded: 0 };
    if (used.hour !== hour) Object.assign(used, { hour, tokensOfHour: 0, thresholded: 0 });
    if (used.day !== day) Object.assign(used, { day, tokensOfDay: 0 });
    this.#used.set(key, used);
    return used;
  }
}

const allowedTo = ({ quota }: AnalyticsProperty): Quota => ({ ...STANDARD_QUOTA, ...quota });
