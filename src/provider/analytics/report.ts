/** A report of Google Analytics as it is told: rows of texts under headers, with what limits them beside it. */
import * as v from "valibot";
import { isTimeZone } from "../../lib/zone_day.ts";
import type { Outcome, ReportNote } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, readJson } from "../read_json.ts";

const Names = v.array(objectOf({ name: v.string() }));
const Values = v.array(objectOf({ value: v.string() }));
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

const Report = objectOf({
  kind: v.optional(v.string()),
  dimensionHeaders: v.optional(Names),
  metricHeaders: v.optional(Names),
  rows: v.optional(v.array(objectOf({ dimensionValues: Values, metricValues: Values }))),
  rowCount: v.optional(Count),
  metadata: v.optional(Metadata),
});
type Report = v.InferOutput<typeof Report>;

/** What a report must be of. */
export interface ReportKind {
  readonly kind: "analyticsData#runReport" | "analyticsData#runRealtimeReport";
  readonly dimension: string;
  readonly metrics: readonly string[];
}

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

/** What an account may not see of a property is told as a zero or left out. */
function isRestricted({ metadata }: Report, { metrics }: ReportKind): boolean {
  const restricted = metadata?.schemaRestrictionResponse?.activeMetricRestrictions ?? [];
  return restricted.some(({ metricName }) => metricName !== undefined && metrics.includes(metricName));
}

/**
 * The headers are those of the question, in its order. A report without rows may leave them out, but not say nothing at all: then its
 * kind has to tell that it is one.
 */
function isOfKind(report: Report, { kind, dimension, metrics }: ReportKind): boolean {
  const { dimensionHeaders, metricHeaders, rows } = report;
  if (report.kind !== undefined && report.kind !== kind) return false;
  if (dimensionHeaders === undefined && metricHeaders === undefined) {
    return rows === undefined && report.kind === kind;
  }
  return isSame(dimensionHeaders, [dimension]) && isSame(metricHeaders, metrics);
}

function isSame(headers: v.InferOutput<typeof Names> | undefined, names: readonly string[]): boolean {
  return headers?.length === names.length && headers.every(({ name }, place) => name === names[place]);
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

function notesOf({ metadata }: Report): readonly ReportNote[] {
  const notes: ReportNote[] = [];
  if ((metadata?.samplingMetadatas?.length ?? 0) > 0) notes.push("sampled");
  if (metadata?.subjectToThresholding === true) notes.push("thresholded");
  if (metadata?.dataLossFromOtherRow === true) notes.push("other_row");
  return notes;
}
