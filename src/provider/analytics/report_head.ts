/** What a report of Google Analytics says beside its rows: its columns, how many rows there are, and what limits them. */
import * as v from "valibot";
import type { ReportNote } from "../contract.ts";
import { objectOf } from "../read_json.ts";

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
