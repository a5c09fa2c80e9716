/** What a report of analytics is asked for: read and judged in the order in which the service judges. */

import { dayNumber, parseUtcDay } from "../../base/time.ts";
import { type Fields, isObject, objectsOf, type Shape, textOf, words } from "./google_front.ts";
import { type AnalyticsProperty, dayIn, HOUR_MS, type Quota, STANDARD_QUOTA } from "./world.ts";

const FIELD: Shape = { name: true, dimensionExpression: true, expression: true, invisible: true };

/** Every key that a request may hold. Filters are looked into where they are evaluated. */
export const REPORT_SHAPE: Shape = {
  property: true,
  dimensions: FIELD,
  metrics: FIELD,
  dateRanges: { startDate: true, endDate: true, name: true },
  dimensionFilter: true,
  metricFilter: true,
  offset: true,
  limit: true,
  metricAggregations: true,
  orderBys: { desc: true, metric: { metricName: true }, dimension: { dimensionName: true, orderType: true } },
  currencyCode: true,
  cohortSpec: true,
  keepEmptyRows: true,
  returnPropertyQuota: true,
  comparisons: true,
};

export interface Order {
  readonly by: string;
  readonly isMetric: boolean;
  readonly isDescending: boolean;
}

export interface DateRange {
  readonly name: string;
  /** Day numbers, both included. */
  readonly from: number;
  readonly to: number;
}

export interface ReportQuery {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly ranges: readonly DateRange[];
  readonly filter: Fields | undefined;
  readonly orders: readonly Order[];
  readonly limit: number;
  readonly offset: number;
  readonly wantsQuota: boolean;
  readonly aggregations: readonly string[];
}

const MOST = { dimensions: 9, metrics: 10, ranges: 4 };
const DEFAULT_LIMIT = 10_000;
const MOST_ROWS = 250_000;
/** The first day there are reports of: 2015-08-14. */
const EARLIEST = 16_661;

/** The query, or the words of the refusal. `today` is that of the property. */
export function readQuery(
  body: Fields,
  { today, customDimensions }: { readonly today: number; readonly customDimensions: readonly string[] },
): ReportQuery | string {
  const dimensions = objectsOf(body["dimensions"]).map(({ name }) => textOf(name));
  const metrics = objectsOf(body["metrics"]).map(({ name }) => textOf(name));
  const known = [...DIMENSIONS, ...customDimensions.map((name) => `customEvent:${name}`)];
  const filter = isObject(body["dimensionFilter"]) ? body["dimensionFilter"] : undefined;
  for (const name of [...dimensions, ...filteredFields(filter)]) {
    if (!known.includes(name)) return invalidField("dimension", name, known);
  }
  const metricNames = Object.keys(METRIC_TYPES);
  for (const name of metrics)
    if (!metricNames.includes(name)) return invalidField("metric", name, metricNames);

  const [limit, offset] = [wholeOf(body["limit"]), wholeOf(body["offset"])];
  if (!(limit >= 0)) return `limit must be positive. The API received limit = ${String(body["limit"])}`;
  if (!(offset >= 0)) return `offset must be positive. The API received offset = ${String(body["offset"])}`;

  const asked = objectsOf(body["dateRanges"]);
  if (asked.length === 0) return "A dateRange is required.";
  if (asked.length > MOST.ranges) {
    return `Requests are limited to ${MOST.ranges} dateRanges.\n  This request contains ${asked.length} dateRanges.`;
  }
  const ranges: DateRange[] = [];
  for (const [place, { name, startDate, endDate }] of asked.entries()) {
    const [from, to] = [dateOf(textOf(startDate), today), dateOf(textOf(endDate), today)];
    if (from === undefined) return badDate("startDate", textOf(startDate));
    if (to === undefined) return badDate("endDate", textOf(endDate));
    if (from > to) {
      return `start_date must be less than or equal to end_date. start_date = ${textOf(startDate)} and end_date = ${textOf(endDate)}`;
    }
    if (from < EARLIEST) return `start_date must be after 2015-08-13. start_date = ${textOf(startDate)}`;
    ranges.push({ name: textOf(name) || `date_range_${place}`, from, to });
  }

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
  const all = [...dimensions, ...metrics];
  const clash = INCOMPATIBLE.find((pair) => pair.every((name) => all.includes(name)));
  if (clash !== undefined) {
    return `Please remove ${clash[0]} to make the request compatible. The request's dimensions & metrics are incompatible. To learn more, see https://ga-dev-tools.web.app/ga4/dimensions-metrics-explorer/`;
  }
  const orders: Order[] = [];
  for (const { metric, dimension, desc } of objectsOf(body["orderBys"])) {
    const by = isObject(metric)
      ? textOf(metric["metricName"])
      : isObject(dimension)
        ? textOf(dimension["dimensionName"])
        : "";
    if (!all.includes(by))
      return `Field ${by} exists in OrderBy but is not defined in input Dimensions/Metrics list.`;
    orders.push({ by, isMetric: isObject(metric), isDescending: desc === true });
  }
  return {
    dimensions,
    metrics,
    ranges,
    filter,
    orders,
    limit: limit === 0 ? DEFAULT_LIMIT : Math.min(limit, MOST_ROWS),
    offset,
    wantsQuota: body["returnPropertyQuota"] === true,
    aggregations: Array.isArray(body["metricAggregations"]) ? body["metricAggregations"].map(String) : [],
  };
}

/** Whole numbers come as numbers or as texts; NaN for what is none. */
function wholeOf(value: unknown): number {
  if (value === undefined) return 0;
  return /^-?\d+$/.test(String(value)) ? Number(value) : Number.NaN;
}

const badDate = (field: string, text: string) =>
  `Invalid ${field} : ${text}. ${field} must be YYYY-MM-DD, NdaysAgo, yesterday, or today.`;

function dateOf(text: string, today: number): number | undefined {
  if (text === "today") return today;
  if (text === "yesterday") return today - 1;
  const ago = /^(\d+)daysAgo$/.exec(text);
  if (ago !== null) return today - Number(ago[1]);
  const day = parseUtcDay(text);
  return day === undefined ? undefined : dayNumber(day);
}

/** The fields that a filter looks at. */
export function filteredFields(filter: unknown): readonly string[] {
  if (Array.isArray(filter)) return filter.flatMap((one) => filteredFields(one));
  if (!isObject(filter)) return [];
  return Object.entries(filter).flatMap(([key, value]) =>
    key === "fieldName" ? [textOf(value)] : filteredFields(value),
  );
}

/** Whether a row with these values stays. */
export function passes(filter: unknown, valueFor: (field: string) => string): boolean {
  if (!isObject(filter)) return true;
  const list = (group: unknown) =>
    isObject(group) && Array.isArray(group["expressions"]) ? group["expressions"] : [];
  if (filter["andGroup"] !== undefined) return list(filter["andGroup"]).every((one) => passes(one, valueFor));
  if (filter["orGroup"] !== undefined) return list(filter["orGroup"]).some((one) => passes(one, valueFor));
  if (filter["notExpression"] !== undefined) return !passes(filter["notExpression"], valueFor);
  if (!isObject(filter["filter"])) return true;
  const { fieldName, stringFilter, inListFilter, emptyFilter } = filter["filter"];
  const value = valueFor(textOf(fieldName));
  if (isObject(inListFilter)) {
    const fold = (text: string) => (inListFilter["caseSensitive"] === true ? text : text.toLowerCase());
    return (
      Array.isArray(inListFilter["values"]) &&
      inListFilter["values"].some((one) => fold(String(one)) === fold(value))
    );
  }
  if (emptyFilter !== undefined) return value === "" || value === "(not set)";
  if (!isObject(stringFilter)) return true;
  return matches(stringFilter, value);
}

function matches({ matchType, value, caseSensitive }: Fields, text: string): boolean {
  const fold = (one: string) => (caseSensitive === true ? one : one.toLowerCase());
  const [wanted, had] = [fold(textOf(value)), fold(text)];
  switch (matchType) {
    case "BEGINS_WITH":
      return had.startsWith(wanted);
    case "ENDS_WITH":
      return had.endsWith(wanted);
    case "CONTAINS":
      return had.includes(wanted);
    case "FULL_REGEXP":
      return new RegExp(`^(?:${wanted})$`).test(had);
    case "PARTIAL_REGEXP":
      return new RegExp(wanted).test(had);
    default:
      return had === wanted;
  }
}

// The dimensions and metrics that analytics knows, with the types of its answers.

export const DIMENSIONS: readonly string[] = words(`
  browser cityId country date dateHour deviceCategory eventName hostName isKeyEvent landingPage
  landingPagePlusQueryString pagePath pagePathPlusQueryString pageTitle sessionCampaignName
  sessionDefaultChannelGroup sessionMedium sessionSource sessionSourceMedium unifiedPagePathScreen
  unifiedScreenName
`);

export const METRIC_TYPES: Readonly<Record<string, string>> = {
  activeUsers: "TYPE_INTEGER",
  engagedSessions: "TYPE_INTEGER",
  eventCount: "TYPE_INTEGER",
  eventCountPerUser: "TYPE_FLOAT",
  itemRevenue: "TYPE_CURRENCY",
  keyEvents: "TYPE_FLOAT",
  newUsers: "TYPE_INTEGER",
  screenPageViews: "TYPE_INTEGER",
  sessions: "TYPE_INTEGER",
  totalUsers: "TYPE_INTEGER",
  userEngagementDuration: "TYPE_SECONDS",
};

export const REALTIME_DIMENSIONS: readonly string[] = words(`
  appVersion audienceName city country countryId deviceCategory eventName minutesAgo platform streamId
  streamName unifiedScreenName
`);

export const REALTIME_METRICS: readonly string[] = words("activeUsers eventCount keyEvents screenPageViews");

/** Fields that cannot stand in one report. The first is the one to take out. */
const INCOMPATIBLE: readonly (readonly [string, string])[] = [
  ["dateHour", "itemRevenue"],
  ["landingPage", "itemRevenue"],
];

const SCHEMA = "https://developers.google.com/analytics/devguides/reporting/data/v1";

/** The words about a field that is none; near one that is, it is named. */
export function invalidField(
  kind: "dimension" | "metric",
  name: string,
  known: readonly string[],
  isRealtime = false,
): string {
  const near = known.find((one) => one !== name && differsLittle(one, name));
  const page = `${SCHEMA}/${isRealtime ? "realtime-api-schema" : "api-schema"} `;
  // The words about a metric have two spaces there.
  const gap = kind === "metric" ? "  " : " ";
  return `${near === undefined ? "" : `Did you mean ${near}? `}Field ${name} is not a valid ${kind}.${gap}For a list of valid dimensions and metrics, see ${page}`;
}

/** Whether two names differ by at most two letters that were changed, left out or added. */
function differsLittle(one: string, other: string): boolean {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place);
  for (const [place, letter] of [...one].entries()) {
    const next = [place + 1];
    for (let at = 1; at <= other.length; at++) {
      const changed = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[other.length] ?? 0) <= 2;
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

  /** As an answer tells it. */
  told(property: AnalyticsProperty, category: QuotaCategory, cost: number, now: number) {
    const allowed = allowedTo(property);
    const used = this.#usedOf(property.property, category, now);
    const pair = (consumed: number, remaining: number) => ({ consumed, remaining });
    return {
      tokensPerDay: pair(cost, allowed.tokensPerDay - used.tokensOfDay),
      tokensPerHour: pair(cost, allowed.tokensPerHour - used.tokensOfHour),
      concurrentRequests: pair(0, allowed.concurrentRequests),
      serverErrorsPerProjectPerHour: pair(0, allowed.serverErrorsPerProjectPerHour),
      potentiallyThresholdedRequestsPerHour: pair(
        0,
        allowed.potentiallyThresholdedRequestsPerHour - used.thresholded,
      ),
      tokensPerProjectPerHour: pair(cost, allowed.tokensPerProjectPerHour - used.tokensOfHour),
    };
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
