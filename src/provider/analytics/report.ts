/** A report of Google Analytics as it is told: rows of texts under headers, with what limits them beside it. */
import * as v from "valibot";
import { isTimeZone } from "../../lib/zone_day.ts";
import type { Outcome, ReportNote } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, readJson } from "../read_json.ts";
import { isOfKind, isRestricted, notesOf, REPORT_HEAD, type ReportKind } from "./report_head.ts";

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
