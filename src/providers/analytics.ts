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
import { type Body, type ErrorTable, objectOf, readJson, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type FaultCode, faultOf, type Outcome, refused } from "./faults.ts";
import { type GoogleError, googleErrors } from "./google_errors.ts";

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
    reportQuestion(client, first.property, smallest, range, 0),
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
  return read(days, ({ bodies, ...asked }) => ({ ok: true, value: { asked, bodies } }));
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
  return read(asked, ({ bodies, ...range }) => parseHours(bodies, range));
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

interface Pages {
  readonly bodies: readonly string[];
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
): Promise<Asked<Pages & DayRange>> {
  if (!isProperty(property)) return { outcome: refused("property_malformed"), requests: 0 };
  const known = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  let range = rangeOf(now, known ?? LAST_ZONE);
  let { outcome, requests } = await askPages(client, property, range, kind);
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
    const again = await askPages(client, property, range, kind);
    requests += again.requests;
    outcome = again.outcome;
  }
  return read({ outcome, requests }, ({ bodies, timeZone: told = zone }) => ({
    ok: true,
    value: { bodies, ...range, timeZone: told },
  }));
}

/** A report is one page; one that says it has more rows is followed that far. */
const MOST_PAGES = 10;

/** Every page of a report. What is no such page is the last one: reading it says why. */
async function askPages(
  client: ProviderClient,
  property: string,
  range: DayRange,
  kind: ReportKind,
): Promise<Asked<Pages>> {
  const bodies: string[] = [];
  let timeZone: string | undefined;
  let requests = 0;
  for (let rows = 0; bodies.length < MOST_PAGES; ) {
    const asked = await askAnalytics(client, reportQuestion(client, property, kind, range, rows));
    requests += asked.requests;
    if (!asked.outcome.ok) return { outcome: asked.outcome, requests };
    const { text, json } = asked.outcome.value;
    bodies.push(text);
    // Its rows are read where it is judged, off the event loop.
    const head = shaped(json, ReportHeadShape);
    if (!head.ok || headFault(head.value, kind) !== undefined) break;
    const { rows: told = [], rowCount = 0, metadata } = head.value;
    timeZone ??= metadata?.timeZone;
    rows += told.length;
    if (told.length === 0 || rows >= rowCount) break;
  }
  return { outcome: { ok: true, value: { bodies, timeZone } }, requests };
}

/** What a report is of: its kind, and its columns by the names that the API knows. */
export interface ReportKind {
  readonly kind: "analyticsData#runReport" | "analyticsData#runRealtimeReport";
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
}

/** In the order of `SIGNAL_METRICS.analytics`. */
const METRICS = ["activeUsers", "sessions", "screenPageViews", "eventCount"];
const DAILY: ReportKind = { kind: "analyticsData#runReport", dimensions: ["date"], metrics: METRICS };
const HOURLY: ReportKind = { kind: "analyticsData#runReport", dimensions: ["dateHour"], metrics: METRICS };
const REALTIME: ReportKind = {
  kind: "analyticsData#runRealtimeReport",
  dimensions: ["dateRange"],
  metrics: ["activeUsers", "screenPageViews", "eventCount"],
};
/** The stretches of minutes that realtime counts are asked for, by the names that come back with them. */
const REALTIME_RANGES = ["last30", "last5"] as const;

/** More than the days or hours of any report here, so that one page holds them all. */
const PAGE_ROWS = 1_000;

function reportQuestion(
  { addresses }: ProviderClient,
  property: string,
  { dimensions, metrics }: ReportKind,
  range: DayRange,
  offset: number,
): Question {
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${property}:runReport`,
    body: {
      dateRanges: [{ startDate: dayOfNumber(range.from), endDate: dayOfNumber(range.to) }],
      dimensions: dimensions.map((name) => ({ name })),
      metrics: metrics.map((name) => ({ name })),
      // Without it the order is that of the first figure, and its ties may change between two pages.
      orderBys: dimensions.map((dimensionName) => ({ dimension: { dimensionName } })),
      limit: String(PAGE_ROWS),
      offset: String(offset),
      keepEmptyRows: false,
      returnPropertyQuota: true,
    },
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
    errors: reportErrors(),
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
const HEAD = {
  kind: v.optional(v.string()),
  dimensionHeaders: v.optional(Names),
  metricHeaders: v.optional(Names),
  rowCount: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
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
};

/** A report but for its rows, which are left as they are. */
export const ReportHeadShape = objectOf({ ...HEAD, rows: v.optional(v.array(v.unknown())) });
export type ReportHead = v.InferOutput<typeof ReportHeadShape>;

/** Why a page is no such report, by what stands beside its rows. */
export function headFault(head: ReportHead, of: ReportKind): FaultCode | undefined {
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

const Values = v.array(objectOf({ value: v.string() }));
const Report = objectOf({
  ...HEAD,
  rows: v.optional(v.array(objectOf({ dimensionValues: Values, metricValues: Values }))),
});

interface ReadPage {
  /** Of each row its dimension as it is told, and its counts in the order of the metrics asked for. */
  readonly rows: readonly { readonly key: string; readonly counts: readonly number[] }[];
  /** Rows that there are in all; undefined where the report has none and does not say so. */
  readonly rowCount: number | undefined;
  /** A time zone that this machine knows; undefined where none is told. */
  readonly timeZone: string | undefined;
  readonly notes: readonly ReportNote[];
}

function readPage(text: string, of: ReportKind): Outcome<ReadPage> {
  const read = readJson(text, Report);
  if (!read.ok) return read;
  const report = read.value;
  const fault = headFault(report, of);
  if (fault !== undefined) return refused(fault);
  const { metadata, rowCount } = report;
  const rows: { key: string; counts: number[] }[] = [];
  for (const { dimensionValues, metricValues } of report.rows ?? []) {
    const [key, ...more] = dimensionValues;
    const counts = metricValues.map(({ value }) => (/^\d{1,16}$/.test(value) ? Number(value) : Number.NaN));
    const isWhole = key !== undefined && more.length === 0 && counts.length === of.metrics.length;
    if (!isWhole || !counts.every(Number.isSafeInteger)) return refused("impossible_value");
    rows.push({ key: key.value, counts });
  }
  return { ok: true, value: { rows, rowCount, timeZone: metadata?.timeZone, notes: notesOf(report) } };
}

type WholeReport = Pick<ReadPage, "rows" | "notes"> & { readonly timeZone: string };

/**
 * The rows of all pages, where they are as many as each page says there are. `rowCount` is left out only together with the rows: rows
 * without it are no report.
 */
function wholeReport(pages: readonly string[], of: ReportKind, asked: RangeAsked): Outcome<WholeReport> {
  const read: ReadPage[] = [];
  for (const text of pages) {
    const page = readPage(text, of);
    if (!page.ok) return page;
    read.push(page.value);
  }
  const [first] = read;
  if (first === undefined) return refused("unexpected_report");
  const rows = read.flatMap((page) => page.rows);
  const { rowCount = 0 } = first;
  const isOne = read.every((page) => page.rowCount === first.rowCount && page.timeZone === first.timeZone);
  if (!isOne || rows.length > rowCount) return refused("unexpected_report");
  if (rows.length < rowCount) return refused("rows_missing");
  const timeZone = first.timeZone ?? asked.timeZone;
  if (timeZone === undefined || !isTimeZone(timeZone)) return refused("unknown_time_zone");
  return { ok: true, value: { rows, timeZone, notes: [...new Set(read.flatMap((page) => page.notes))] } };
}

/** The daily figures in the pages of a report. */
export function parseDays(pages: readonly string[], asked: RangeAsked): Outcome<DailyReport> {
  const whole = wholeReport(pages, DAILY, asked);
  if (!whole.ok) return whole;
  const { rows, timeZone, notes } = whole.value;
  const days = rows.map(({ key, counts }) => ({ day: dayOf(key) ?? Number.NaN, values: counts }));
  const ordered = orderedDays(days, asked);
  if (!ordered.ok) return ordered;
  const { from, to } = asked;
  const told = { timeZone, from, to, days: ordered.value, firstIncomplete: undefined, notes };
  return { ok: true, value: { provider: "analytics", ...told } };
}

/** The hourly figures in the pages of a report. */
export function parseHours(pages: readonly string[], asked: RangeAsked): Outcome<HourlyReport> {
  const whole = wholeReport(pages, HOURLY, asked);
  if (!whole.ok) return whole;
  const { rows, timeZone, notes } = whole.value;
  const { from, to } = asked;
  const hours: HourOfReport[] = [];
  for (const { key, counts } of rows) {
    const day = dayOf(key.slice(0, 8));
    const hour = /^\d{8}([01]\d|2[0-3])$/.exec(key)?.[1];
    if (day === undefined || hour === undefined || day < from || day > to) return refused("other_days");
    const [activeUsers = 0, sessions = 0, pageViews = 0, eventCount = 0] = counts;
    hours.push({ day, hour: Number(hour), activeUsers, sessions, pageViews, eventCount });
  }
  hours.sort((a, b) => a.day - b.day || a.hour - b.hour);
  const isTwice = new Set(rows.map(({ key }) => key)).size < rows.length;
  return isTwice ? refused("other_days") : { ok: true, value: { timeZone, from, to, hours, notes } };
}

/** Counts of now. With nobody there the answer holds no rows and hardly more than its kind: a zero all the same. */
export function parseRealtime(text: string): Outcome<Realtime> {
  const read = readPage(text, REALTIME);
  if (!read.ok) return read;
  const { rows, rowCount = rows.length } = read.value;
  if (rowCount > rows.length) return refused("rows_missing");
  const told = new Map(rows.map(({ key, counts }) => [key, counts]));
  const isAsked = rows.every(({ key }) => REALTIME_RANGES.some((range) => range === key));
  if (told.size < rows.length || rows.length > rowCount || !isAsked) return refused("unexpected_report");
  const countsOf = (range: string): RealtimeCounts => {
    const [activeUsers = 0, pageViews = 0, eventCount = 0] = told.get(range) ?? [];
    return { activeUsers, pageViews, eventCount };
  };
  return { ok: true, value: { last30: countsOf("last30"), last5: countsOf("last5") } };
}

/** The day number of `YYYYMMDD`; undefined for anything else, such as `(other)`. */
function dayOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return dayIn(`${year}-${month}-${day}`);
}
