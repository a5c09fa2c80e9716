/** Reports of Google Analytics as ours: pure. */

import * as v from "valibot";
import { isTimeZone } from "../base/time.ts";
import {
  type DailyReport,
  type DayRange,
  dayIn,
  type HourlyReport,
  type HourOfReport,
  type Outcome,
  objectOf,
  orderedDays,
  type Realtime,
  type RealtimeCounts,
  type ReportNote,
  readJson,
  refused,
} from "./adapter.ts";
import { DAILY_METRICS, REALTIME_METRICS, REALTIME_RANGES } from "./request.ts";

/** What a report of Google Analytics says beside its rows: its columns, how many rows there are, and what limits them. */

const Names = v.array(objectOf({ name: v.string() }));
const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Metadata = objectOf({
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
});

/** The parts of a report but for its rows, which are left as they are. */
export const REPORT_HEAD = {
  kind: v.optional(v.string()),
  dimensionHeaders: v.optional(Names),
  metricHeaders: v.optional(Names),
  rowCount: v.optional(Count),
  metadata: v.optional(Metadata),
};

export const ReportHeadShape = objectOf({ ...REPORT_HEAD, rows: v.optional(v.array(v.unknown())) });
export type ReportHead = v.InferOutput<typeof ReportHeadShape>;

/** What a report must be of: its kind, and its columns by the names that the API knows. */
export interface ReportKind {
  readonly kind: "analyticsData#runReport" | "analyticsData#runRealtimeReport";
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
}

/** What an account may not see of a property is told as a zero or left out. */
export function isRestricted({ metadata }: ReportHead, { metrics }: ReportKind): boolean {
  const restricted = metadata?.schemaRestrictionResponse?.activeMetricRestrictions ?? [];
  return restricted.some(({ metricName }) => metricName !== undefined && metrics.includes(metricName));
}

/**
 * The headers are those of the question, in its order. A report without rows may leave them out, but not say nothing at all: then its
 * kind has to tell that it is one.
 */
export function isOfKind(report: ReportHead, { kind, dimensions, metrics }: ReportKind): boolean {
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

/** A report of Google Analytics as it is told: rows of texts under headers, with what limits them beside it. */

const Values = v.array(objectOf({ value: v.string() }));

const Report = objectOf({
  ...REPORT_HEAD,
  rows: v.optional(v.array(objectOf({ dimensionValues: Values, metricValues: Values }))),
});
type Report = v.InferOutput<typeof Report>;

/** A row: its dimension as it is told, and its counts in the order of the metrics asked for. */
export interface ReportRow {
  readonly key: string;
  readonly counts: readonly number[];
}

export interface ReadReport {
  readonly rows: readonly ReportRow[];
  /** Rows that there are in all; undefined where the report has none and does not say so. */
  readonly rowCount: number | undefined;
  /** A time zone that this machine knows; undefined where none is told. */
  readonly timeZone: string | undefined;
  readonly notes: readonly ReportNote[];
}

/** Reads one page of a report. */
export function readReport(text: string, of: ReportKind): Outcome<ReadReport> {
  const read = readJson(text, Report);
  if (!read.ok) return read;
  const report = read.value;
  const { metadata, rowCount } = report;
  if (isRestricted(report, of)) return refused("metric_restricted");
  if (!isOfKind(report, of)) return refused("other_columns");
  if ((metadata?.dataTruncationReasons?.length ?? 0) > 0) return refused("report_truncated");
  const timeZone = metadata?.timeZone;
  if (timeZone !== undefined && !isTimeZone(timeZone)) return refused("unknown_time_zone");
  const rows = rowsOf(report, of.metrics.length);
  if (rows === undefined) return refused("impossible_value");
  return { ok: true, value: { rows, rowCount, timeZone, notes: notesOf(report) } };
}

/** Undefined where a row has another number of values than there are columns, or one that is no count. */
function rowsOf({ rows = [] }: Report, columns: number): readonly ReportRow[] | undefined {
  const read: ReportRow[] = [];
  for (const { dimensionValues, metricValues } of rows) {
    const [key, ...more] = dimensionValues;
    const counts = metricValues.map(({ value }) => (/^\d{1,16}$/.test(value) ? Number(value) : Number.NaN));
    if (key === undefined || more.length > 0 || counts.length !== columns) return undefined;
    if (!counts.every(Number.isSafeInteger)) return undefined;
    read.push({ key: key.value, counts });
  }
  return read;
}

/** What was asked, and the time zone that its days are of where that is known. */
export interface RangeAsked extends DayRange {
  readonly timeZone: string | undefined;
}

const DAILY: ReportKind = { kind: "analyticsData#runReport", dimensions: ["date"], metrics: DAILY_METRICS };
const HOURLY: ReportKind = {
  kind: "analyticsData#runReport",
  dimensions: ["dateHour"],
  metrics: DAILY_METRICS,
};
const REALTIME: ReportKind = {
  kind: "analyticsData#runRealtimeReport",
  dimensions: ["dateRange"],
  metrics: REALTIME_METRICS,
};

/** Where a report that is not all of it goes on: how many rows are here of how many. */
export interface Extent {
  readonly rows: number;
  readonly of: number;
  readonly timeZone: string | undefined;
}

/** How far a page of days or hours reaches; undefined where it is no such page, which reading it will say. */
export function extentOf(text: string, kind: "daily" | "hourly"): Extent | undefined {
  const page = readReport(text, kind === "daily" ? DAILY : HOURLY);
  if (!page.ok) return undefined;
  const { rows, rowCount = 0, timeZone } = page.value;
  return { rows: rows.length, of: rowCount, timeZone };
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
  return {
    ok: true,
    value: {
      provider: "analytics",
      timeZone,
      from,
      to,
      days: ordered.value,
      firstIncomplete: undefined,
      notes,
    },
  };
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
  const isTwice = hours.some(({ day, hour }, place) => {
    const before = hours[place - 1];
    return before?.day === day && before.hour === hour;
  });
  return isTwice ? refused("other_days") : { ok: true, value: { timeZone, from, to, hours, notes } };
}

/** Counts of now. With nobody there the answer holds no rows and hardly more than its kind: a zero all the same. */
export function parseRealtime(text: string): Outcome<Realtime> {
  const read = readReport(text, REALTIME);
  if (!read.ok) return read;
  const { rows, rowCount } = read.value;
  if ((rowCount ?? 0) > rows.length) return refused("rows_missing");
  const told = new Map(rows.map(({ key, counts }) => [key, counts]));
  const isAsked = (key: string) => REALTIME_RANGES.some((range) => range === key);
  const fits = told.size === rows.length && rows.length <= (rowCount ?? rows.length);
  if (!fits || !rows.every(({ key }) => isAsked(key))) return refused("unexpected_report");
  const [last30, last5] = REALTIME_RANGES;
  return { ok: true, value: { last30: countsOf(told.get(last30)), last5: countsOf(told.get(last5)) } };
}

function countsOf([activeUsers = 0, pageViews = 0, eventCount = 0]: readonly number[] = []): RealtimeCounts {
  return { activeUsers, pageViews, eventCount };
}

/** The day number of `YYYYMMDD`; undefined for anything else, such as `(other)`. */
function dayOf(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return dayIn(`${year}-${month}-${day}`);
}

type Whole = Pick<ReadReport, "rows" | "notes"> & { readonly timeZone: string };

/**
 * The rows of all pages, where they are as many as each page says there are. `rowCount` is left out only together with the rows: rows
 * without it are no report.
 */
function wholeReport(pages: readonly string[], of: ReportKind, asked: RangeAsked): Outcome<Whole> {
  const read: ReadReport[] = [];
  for (const text of pages) {
    const page = readReport(text, of);
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
