/**
 * Google Analytics (Data API, v1beta): daily, hourly and realtime figures of a property. Dates are days of the property's own calendar,
 * which every report tells.
 */

import * as v from "valibot";
import { dayOfNumber, isTimeZone, zoneDay } from "../base/time.ts";
import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DayRange,
  type DiscoveredProperty,
  dayIn,
  type HourlyReport,
  type HourOfReport,
  orderedDays,
  type Realtime,
  type RealtimeCounts,
  type ReportNote,
  windowOf,
} from "./adapter.ts";
import {
  ANALYTICS_SCOPE,
  isProperty,
  listProperties,
  parseProperties,
  parseTimeZone,
  propertiesQuestion,
  propertyQuestion,
} from "./analytics_properties.ts";
import { type Body, type ErrorTable, objectOf, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type FaultCode, faultOf, type Outcome, refused } from "./faults.ts";
import { type GoogleError, googleErrors } from "./google.ts";
import type { RawReport, ReportAsked } from "./report_families.ts";
import {
  type PageFiles,
  type PageReader,
  type PagesRead,
  ReportPages,
  type RowRead,
  rowsIn,
} from "./report_pages.ts";

const askAnalytics = (client: ProviderClient, question: Question): Promise<Asked<Body>> =>
  askGoogle(client, ANALYTICS_SCOPE, question);

export const discover = (client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> =>
  listProperties(client, (question) => askAnalytics(client, question));

/**
 * Reports are an API of their own, enabled apart from the list of properties: with a property in the list, the smallest report of it is
 * asked for, too. That this one property is refused says nothing of the others.
 */
export async function testReports(client: ProviderClient): Promise<Asked<void>> {
  const listed = read(await askAnalytics(client, propertiesQuestion(client.addresses)), ({ json }) =>
    parseProperties(json),
  );
  const first = listed.outcome.ok ? listed.outcome.value.items[0] : undefined;
  if (first === undefined) return read(listed, () => ({ ok: true, value: undefined }));
  const yesterday = zoneDay(client.now(), "UTC") - 1;
  const smallest = { ...DAILY, metrics: ["activeUsers"] };
  const range = { from: yesterday, to: yesterday };
  const { outcome, requests: sent } = await askAnalytics(
    client,
    reportQuestion(client, first.property, smallest, range),
  );
  const requests = listed.requests + sent;
  const isOfPropertyAlone = !outcome.ok && outcome.fault.code === "property_denied";
  return { outcome: outcome.ok || isOfPropertyAlone ? { ok: true, value: undefined } : outcome, requests };
}

/** Daily figures of the 97 days up to the property's today. */
export async function askDays(
  client: ProviderClient,
  property: string,
  question: DailyQuestion,
): Promise<Asked<AskedDays>> {
  const days = await askInOwnZone(client, property, question, DAILY, windowOf);
  return read(days, ({ body, ...asked }) => ({ ok: true, value: { asked, body } }));
}

/** Hourly figures of the property's yesterday and today. */
export async function askHours(
  client: ProviderClient,
  property: string,
  question: DailyQuestion,
): Promise<Asked<HourlyReport>> {
  const asked = await askInOwnZone(client, property, question, HOURLY, (now, timeZone) => {
    const to = zoneDay(now, timeZone);
    return { from: to - 1, to };
  });
  return read(asked, ({ body, ...range }) => parseHours(body, range));
}

export async function askRealtime(client: ProviderClient, property: string): Promise<Asked<Realtime>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const [last30, last5] = REALTIME_RANGES;
  const asked = await askAnalytics(client, {
    url: `${client.addresses.analyticsData}/v1beta/properties/${property}:runRealtimeReport`,
    body: {
      metrics: REALTIME.metrics.map((name) => ({ name })),
      // Minutes are counted back from now; the one that runs is 0.
      minuteRanges: [
        { name: last30, startMinutesAgo: 29, endMinutesAgo: 0 },
        { name: last5, startMinutesAgo: 4, endMinutesAgo: 0 },
      ],
      returnPropertyQuota: true,
    },
    timeoutMs: 10_000,
    maxBytes: 262_144,
    errors: reportErrors(),
  });
  return read(asked, ({ text }) => parseRealtime(text));
}

/** What was asked, and the time zone that its days are of where that is known. */
interface RangeAsked extends DayRange {
  readonly timeZone: string | undefined;
}

interface Page {
  readonly body: string;
  readonly timeZone: string | undefined;
}

/** Where a day begins last: its today lies ahead of nobody's. */
const LAST_ZONE = "Etc/GMT+12";

/**
 * Days up to the property's today. Where its calendar is not known yet, or has changed, today may be another day there: then the days
 * are asked for again, once.
 */
async function askInOwnZone(
  client: ProviderClient,
  property: string,
  { now, timeZone }: DailyQuestion,
  kind: ReportKind,
  rangeOf: (now: number, timeZone: string) => DayRange,
): Promise<Asked<Page & DayRange>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const known = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  let range = rangeOf(now, known ?? LAST_ZONE);
  let { outcome, requests } = await askPage(client, property, range, kind);
  if (!outcome.ok) return { outcome, requests };
  let zone = outcome.value.timeZone ?? known;
  if (zone === undefined) {
    // Neither told nor known: the property's settings may say it.
    const settings = await askAnalytics(client, propertyQuestion(client.addresses, property));
    requests += settings.requests;
    zone = settings.outcome.ok ? parseTimeZone(settings.outcome.value.json, property) : undefined;
  }
  const own = zone === undefined ? range : rangeOf(now, zone);
  if (own.to !== range.to) {
    range = own;
    const again = await askPage(client, property, range, kind);
    requests += again.requests;
    outcome = again.outcome;
  }
  return read({ outcome, requests }, ({ body, timeZone: told = zone }) => ({
    ok: true,
    value: { body, ...range, timeZone: told },
  }));
}

/** Asks for a report, which is one page; its rows are read where it is judged, off the event loop. */
async function askPage(
  client: ProviderClient,
  property: string,
  range: DayRange,
  kind: ReportKind,
): Promise<Asked<Page>> {
  const asked = await askAnalytics(client, reportQuestion(client, property, kind, range));
  return read(asked, ({ text, json }) => {
    const head = shaped(json, ReportHeadShape);
    const isReport = head.ok && headFault(head.value, kind) === undefined;
    return {
      ok: true,
      value: { body: text, timeZone: isReport ? head.value.metadata?.timeZone : undefined },
    };
  });
}

/** What a report is of: its kind, and its columns by the names that the API knows. */
interface ReportKind {
  readonly kind: "analyticsData#runReport" | "analyticsData#runRealtimeReport";
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
}

/** In the order of `SIGNAL_METRICS.analytics`. */
const DAILY_METRICS = ["activeUsers", "sessions", "screenPageViews", "eventCount"];
const DAILY: ReportKind = { kind: "analyticsData#runReport", dimensions: ["date"], metrics: DAILY_METRICS };
const HOURLY: ReportKind = {
  kind: "analyticsData#runReport",
  dimensions: ["dateHour"],
  metrics: DAILY_METRICS,
};
const REALTIME: ReportKind = {
  kind: "analyticsData#runRealtimeReport",
  dimensions: ["dateRange"],
  metrics: ["activeUsers", "screenPageViews", "eventCount"],
};
/** The stretches of minutes that realtime counts are asked for, by the names that come back with them. */
const REALTIME_RANGES = ["last30", "last5"] as const;

/** More than the days or hours of any report here. */
const MOST_ROWS = 1_000;

function reportQuestion(
  client: ProviderClient,
  property: string,
  kind: ReportKind,
  range: DayRange,
): Question {
  const beside = { limit: String(MOST_ROWS), returnPropertyQuota: true };
  return { ...runReport(client, property, kind, range, beside), timeoutMs: 20_000, maxBytes: 1_048_576 };
}

/** A report over a range of days; `beside` says which of its rows, and in which order. */
function runReport(
  { addresses }: ProviderClient,
  property: string,
  { dimensions, metrics }: ReportKind,
  { from, to }: DayRange,
  beside: object,
): Pick<Question, "url" | "body" | "errors"> {
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${property}:runReport`,
    body: {
      dateRanges: [{ startDate: dayOfNumber(from), endDate: dayOfNumber(to) }],
      dimensions: dimensions.map((name) => ({ name })),
      metrics: metrics.map((name) => ({ name })),
      ...beside,
      keepEmptyRows: false,
    },
    errors: reportErrors(dimensions.filter((name) => name.startsWith("customEvent:"))),
  };
}

/** Errors of reports. `customFields` are the custom dimensions asked for, by their names in the API (`customEvent:…`). */
export function reportErrors(customFields: readonly string[] = []): ErrorTable {
  return googleErrors("property_denied", (error) => {
    if (error.status === 429 || error.name === "RESOURCE_EXHAUSTED") {
      const code = QUOTAS.find(([words]) => words.test(error.message))?.[1] ?? "rate_limited";
      return faultOf(code, { scope: "property" });
    }
    return isUnregistered(error, customFields) ? "analytics_custom_dimension_unregistered" : undefined;
  });
}

/** Every quota has one status; a part of the message says which it is. All of them are a property's. */
const QUOTAS: readonly (readonly [words: RegExp, code: FaultCode])[] = [
  [/concurrent/i, "too_many_at_once"],
  [/server errors/i, "too_many_failures"],
  [/thresholded/i, "threshold_quota"],
  [/per day/i, "daily_quota"],
  [/per hour/i, "hourly_quota"],
  [/client errors/i, "too_many_refused"],
];

/** The message may begin with a guess at what was meant, so it is not looked at from its beginning alone. */
const UNREGISTERED = /\bField (customEvent:[A-Za-z0-9_]+) is not a valid dimension\b/;

function isUnregistered({ status, name, message }: GoogleError, customFields: readonly string[]): boolean {
  const field = UNREGISTERED.exec(message)?.[1];
  return status === 400 && name === "INVALID_ARGUMENT" && field !== undefined && customFields.includes(field);
}

const Names = v.array(objectOf({ name: v.string() }));
/** A report but for its rows, which are left as they are. */
const ReportHeadShape = objectOf({
  kind: v.optional(v.string()),
  dimensionHeaders: v.optional(Names),
  metricHeaders: v.optional(Names),
  rowCount: v.optional(v.pipe(v.number(), v.safeInteger())),
  metadata: v.optional(
    objectOf({
      timeZone: v.optional(v.string()),
      dataLossFromOtherRow: v.optional(v.boolean()),
      subjectToThresholding: v.optional(v.boolean()),
      samplingMetadatas: v.optional(v.array(v.unknown())),
      dataTruncationReasons: v.optional(v.array(v.unknown())),
      schemaRestrictionResponse: v.optional(
        objectOf({
          activeMetricRestrictions: v.optional(v.array(objectOf({ metricName: v.optional(v.string()) }))),
        }),
      ),
    }),
  ),
  rows: v.optional(v.array(v.unknown())),
});

type ReportHead = v.InferOutput<typeof ReportHeadShape>;

/** Why a page is no such report, by what stands beside its rows. */
function headFault(head: ReportHead, of: ReportKind): FaultCode | undefined {
  const { timeZone, dataTruncationReasons: cut = [] } = head.metadata ?? {};
  if (isRestricted(head, of)) return "metric_restricted";
  if (!isOfKind(head, of)) return "other_columns";
  if (cut.length > 0) return "report_truncated";
  return timeZone === undefined || isTimeZone(timeZone) ? undefined : "unknown_time_zone";
}

/** What an account may not see of a property is told as a zero or left out. */
function isRestricted({ metadata }: ReportHead, { metrics }: ReportKind): boolean {
  const restricted = metadata?.schemaRestrictionResponse?.activeMetricRestrictions ?? [];
  return restricted.some(({ metricName }) => metricName !== undefined && metrics.includes(metricName));
}

/**
 * The headers are those of the question, in its order. A report without rows may leave them out, but not say nothing at all: then its
 * kind has to tell that it is one.
 */
function isOfKind(report: ReportHead, { kind, dimensions, metrics }: ReportKind): boolean {
  const { dimensionHeaders, metricHeaders, rows } = report;
  if (report.kind !== undefined && report.kind !== kind) return false;
  if (dimensionHeaders === undefined && metricHeaders === undefined) {
    return rows === undefined && report.kind === kind;
  }
  return isSame(dimensionHeaders, dimensions) && isSame(metricHeaders, metrics);
}

function isSame(headers: v.InferOutput<typeof Names> | undefined, names: readonly string[]): boolean {
  return headers?.length === names.length && headers.every(({ name }, place) => name === names[place]);
}

/** What limits its rows. */
export function notesOf({ metadata }: ReportHead): readonly ReportNote[] {
  const notes: ReportNote[] = [];
  if ((metadata?.samplingMetadatas?.length ?? 0) > 0) notes.push("sampled");
  if (metadata?.subjectToThresholding === true) notes.push("thresholded");
  if (metadata?.dataLossFromOtherRow === true) notes.push("other_row");
  return notes;
}

/** The rows of a report, and the time zone that they are of: as it tells it, or as it was known. */
function wholeReport(text: string, of: ReportKind, known: string | undefined) {
  const read = countsIn(text, of);
  if (!read.ok) return read;
  const { rows, notes, timeZone = known } = read.value;
  if (timeZone === undefined || !isTimeZone(timeZone)) return refused("unknown_time_zone");
  return { ok: true, value: { rows, timeZone, notes } } as const;
}

/** The rows of a report; analytics tells no row without its counts. */
function countsIn(text: string, of: ReportKind) {
  const read = rowsIn(text, new AnalyticsReader(of));
  if (!read.ok) return read;
  const rows = read.value.rows.map(({ keys: [key = ""], values }) => ({ key, values: values.map(Number) }));
  return { ok: true, value: { ...read.value, rows } } as const;
}

/** The daily figures of a report. */
export function parseDays(text: string, asked: RangeAsked): Outcome<DailyReport> {
  const whole = wholeReport(text, DAILY, asked.timeZone);
  if (!whole.ok) return whole;
  const { rows, timeZone, notes } = whole.value;
  const days = rows.map(({ key, values }) => ({ keys: [dashed(key)], values }));
  const ordered = orderedDays(days, asked);
  if (!ordered.ok) return ordered;
  const { from, to } = asked;
  const told = { timeZone, from, to, days: ordered.value, firstIncomplete: undefined, notes };
  return { ok: true, value: { provider: "analytics", ...told } };
}

/** The hourly figures of a report. */
export function parseHours(text: string, asked: RangeAsked): Outcome<HourlyReport> {
  const whole = wholeReport(text, HOURLY, asked.timeZone);
  if (!whole.ok) return whole;
  const { rows, timeZone } = whole.value;
  const { from, to } = asked;
  const hours: HourOfReport[] = [];
  for (const { key, values } of rows) {
    const day = dayIn(dashed(key.slice(0, 8)));
    const hour = /^\d{8}([01]\d|2[0-3])$/.exec(key)?.[1];
    if (day === undefined || hour === undefined || day < from || day > to) return refused("other_days");
    const [activeUsers = 0, sessions = 0, pageViews = 0, eventCount = 0] = values;
    hours.push({ day, hour: Number(hour), activeUsers, sessions, pageViews, eventCount });
  }
  hours.sort((a, b) => a.day - b.day || a.hour - b.hour);
  const isTwice = new Set(rows.map(({ key }) => key)).size < rows.length;
  return isTwice ? refused("other_days") : { ok: true, value: { timeZone, hours } };
}

/** Counts of now. With nobody there the answer holds no rows and hardly more than its kind: a zero all the same. */
export function parseRealtime(text: string): Outcome<Realtime> {
  const read = countsIn(text, REALTIME);
  if (!read.ok) return read;
  const { rows } = read.value;
  const told = new Map(rows.map(({ key, values }) => [key, values]));
  const isAsked = [...told.keys()].every((key) => REALTIME_RANGES.some((range) => range === key));
  if (told.size < rows.length || !isAsked) return refused("unexpected_report");
  const countsOf = (range: string): RealtimeCounts => {
    const [activeUsers = 0, pageViews = 0, eventCount = 0] = told.get(range) ?? [];
    return { activeUsers, pageViews, eventCount };
  };
  return { ok: true, value: { last30: countsOf("last30"), last5: countsOf("last5") } };
}

/** `2026-11-18` of `20261118`; '' for anything else, such as `(other)`. */
const dashed = (text: string): string =>
  /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : "";

// The rows of reports, read one by one.

/** Figures that may be no whole numbers: what an event is worth is divided among what led to it. */
const DECIMAL: ReadonlySet<string> = new Set(["keyEvents", "userEngagementDuration", "eventCountPerUser"]);
const WHOLE_NUMBER = /^\d{1,16}$/;
const DECIMAL_NUMBER = /^\d{1,16}(?:\.\d{1,32})?(?:[eE][-+]?\d{1,2})?$/;

export class AnalyticsReader implements PageReader {
  readonly list = "rows";
  readonly isKeyed = true;
  readonly dayKey = undefined;
  readonly #kind: ReportKind;
  readonly #numbers: readonly RegExp[];
  readonly #notes = new Set<ReportNote>();
  #first: Pick<ReportHead, "rowCount"> & { readonly timeZone: string | undefined } = {
    rowCount: undefined,
    timeZone: undefined,
  };
  #pages = 0;
  #rows = 0;

  constructor(kind: ReportKind) {
    this.#kind = kind;
    this.#numbers = this.#kind.metrics.map((name) => (DECIMAL.has(name) ? DECIMAL_NUMBER : WHOLE_NUMBER));
  }

  row(item: unknown): RowRead {
    const { dimensionValues, metricValues } = (item ?? {}) as {
      readonly dimensionValues?: unknown;
      readonly metricValues?: unknown;
    };
    const keys = textsOf(dimensionValues);
    const figures = textsOf(metricValues);
    if (keys === undefined || figures === undefined) return "unexpected_report";
    const { dimensions } = this.#kind;
    if (keys.length !== dimensions.length || figures.length !== this.#numbers.length) return "other_columns";
    const values = figures.map((text, place) =>
      this.#numbers[place]?.test(text) === true ? Number(text) : Number.NaN,
    );
    const isPossible = values.every((value) => Number.isFinite(value) && value <= Number.MAX_SAFE_INTEGER);
    return isPossible ? { keys, values } : "impossible_value";
  }

  pageEnds(rest: unknown, items: number | undefined): FaultCode | undefined {
    const read = shaped(rest, ReportHeadShape);
    if (!read.ok) return read.fault.code;
    const head = read.value;
    const fault = headFault(head, this.#kind);
    if (fault !== undefined) return fault;
    // Counts of now may be told without it.
    const { rowCount = this.#kind === REALTIME ? items : undefined } = head;
    const timeZone = head.metadata?.timeZone;
    // It is left out only together with the rows: rows without it are no report.
    if (items === undefined ? head.rows !== undefined : rowCount === undefined) return "unexpected_report";
    if (this.#pages++ === 0) this.#first = { rowCount, timeZone };
    else if (rowCount !== this.#first.rowCount || timeZone !== this.#first.timeZone) {
      return "unexpected_report";
    }
    this.#rows += items ?? 0;
    for (const note of notesOf(head)) this.#notes.add(note);
    return undefined;
  }

  ends(isWhole: boolean): FaultCode | PagesRead {
    const { rowCount = 0, timeZone } = this.#first;
    if (this.#rows > rowCount) return "unexpected_report";
    if (isWhole && this.#rows < rowCount) return "rows_missing";
    return { timeZone, notes: [...this.#notes] };
  }
}

/** The texts of `[{"value": "…"}]`. A row with no dimension of a name has no list of them at all. */
function textsOf(values: unknown): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts: string[] = [];
  for (const one of values) {
    const { value } = (one ?? {}) as { readonly value?: unknown };
    if (typeof value !== "string") return undefined;
    texts.push(value);
  }
  return texts;
}

// Archive reports of analytics: asked page after page, until there are as many rows as it says, and read row by row.

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 250_000;
/** Should the API give fewer rows than it is asked for, it is not followed for ever: reading says that rows are missing. */
const MOST_PAGES = 100;

export async function askAnalyticsReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  if (!isProperty(asked.property)) return { outcome: refused("property_malformed"), requests: 0 };
  const pages = new ReportPages(client, asked, files, {
    list: "rows",
    ask: (question) => askGoogle(client, ANALYTICS_SCOPE, question),
  });
  const kind = kindOf(asked);
  const most = asked.bounds.rows;
  for (let [page, offset] = [0, 0]; page < MOST_PAGES; page++) {
    const limit = Math.min(PAGE_ROWS, most - offset);
    const question = runReport(client, asked.property, kind, asked, {
      ...filterOf(asked),
      // Over all of them, so that no tie moves from one page to another or from one day's answer to the next.
      orderBys: kind.dimensions.map((dimensionName) => ({ dimension: { dimensionName } })),
      limit: String(limit),
      offset: String(offset),
    });
    const seen = await pages.ask({ ...question, timeoutMs: 180_000 }, { step: "rows", value: undefined });
    const rows = seen?.items ?? 0;
    offset += rows;
    if (rows === 0 || offset >= rowCountOf(seen?.rest)) break;
    if (offset >= most) {
      pages.endAtRows();
      break;
    }
  }
  return pages.report();
}

/** How many rows a page says there are in all; none where it does not say so, which reading it judges. */
function rowCountOf(rest: unknown): number {
  const { rowCount } = (rest ?? {}) as { readonly rowCount?: unknown };
  return typeof rowCount === "number" ? rowCount : 0;
}

const DIMENSIONS: Readonly<Record<string, string>> = {
  page: "pagePath",
  title: "pageTitle",
  landing_page: "landingPage",
  channel: "sessionDefaultChannelGroup",
  source: "sessionSource",
  medium: "sessionMedium",
  campaign: "sessionCampaignName",
  event: "eventName",
};

const ARCHIVE_METRICS: Readonly<Record<string, string>> = {
  page_views: "screenPageViews",
  active_users: "activeUsers",
  event_count: "eventCount",
  engagement_seconds: "userEngagementDuration",
  key_events: "keyEvents",
  sessions: "sessions",
  new_users: "newUsers",
  engaged_sessions: "engagedSessions",
  total_users: "totalUsers",
  events_per_user: "eventCountPerUser",
};

/** What a report is of, by the names that the API knows. */
export function kindOf({ family, errorEvents }: ReportAsked): ReportKind {
  const { name, dimensions, metrics } = family;
  const errors: Readonly<Record<string, string>> = {
    message: `customEvent:${errorEvents.message}`,
    source: `customEvent:${errorEvents.source}`,
  };
  const own = name === "js-errors" ? { ...DIMENSIONS, ...errors } : DIMENSIONS;
  return {
    kind: "analyticsData#runReport",
    dimensions: dimensions.map((one) => own[one] ?? one),
    metrics: metrics.map((one) => ARCHIVE_METRICS[one] ?? one),
  };
}

function filterOf({ family, errorEvents }: ReportAsked): object {
  if (family.name !== "js-errors") return {};
  const inListFilter = { values: [...errorEvents.events], caseSensitive: true };
  return { dimensionFilter: { filter: { fieldName: "eventName", inListFilter } } };
}
