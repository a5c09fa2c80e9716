/** The archive: reports as their providers answered them, one manifest row for each attempt to get one. */
import { dayOfNumber } from "../lib/day_number.ts";
import type { FailureCategory, Provider } from "../provider/contract.ts";

/** What an attempt came to (decisions, Reading over the API), by place as it is stored. */
export const ARCHIVE_OUTCOMES = [
  "stored",
  "unchanged",
  "empty",
  "source_lag",
  "incomplete",
  "failed",
] as const;
export type ArchiveOutcome = (typeof ARCHIVE_OUTCOMES)[number];

/** Outcomes that meet what was due: an empty report and one that is not final yet are no failures. */
export const isUsable = (outcome: ArchiveOutcome): boolean =>
  outcome !== "incomplete" && outcome !== "failed";

/** The day that a usable attempt covers; null for one that was asked before its provider had the day. */
export const coveredBy = (outcome: ArchiveOutcome, date: number): string | null =>
  outcome === "source_lag" ? null : dayOfNumber(date);

/** What is known of a report beside its rows, by place of its bit as it is stored. A success all the same. */
export const ARCHIVE_NOTES = ["sampled", "thresholded", "other_row", "top_rows", "provisional"] as const;
export type ArchiveNote = (typeof ARCHIVE_NOTES)[number];

/** Which report: a row of `archive_target`. */
export interface ArchiveTarget {
  readonly asset: string;
  readonly provider: Provider;
  readonly connectionRevision: string;
  readonly property: string;
  /** The name of a `ReportFamily`. */
  readonly family: string;
}

/** An object of the archive: a row of `archive_object`. */
export interface ArchiveObject {
  /** SHA-256 of the uncompressed bytes, in hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly storedBytes: number;
  /** SHA-256 of the gzip bytes, in hexadecimal. */
  readonly storedSha256: string;
  /** SHA-256 of what its rows say in whatever order, in hexadecimal. */
  readonly content: string;
  readonly rows: number;
  /** Secrets that were taken out of the answer; null where they were not counted. */
  readonly secrets: number | null;
}

/** A manifest row: one attempt. Times are milliseconds since the epoch, dates are day numbers of the provider's calendar. */
export interface ManifestRow {
  readonly id: number;
  /** The job's own id of the run. */
  readonly run: string;
  readonly target: ArchiveTarget;
  /** The day of the report, the last one of a range; the UTC day of the attempt for a snapshot. */
  readonly date: number;
  /** The first day of a report over days; null elsewhere. */
  readonly rangeFrom: number | null;
  readonly attemptedAt: number;
  readonly tookMs: number;
  readonly outcome: ArchiveOutcome;
  readonly category: FailureCategory | null;
  /** A code of `FAULT_CODES`. */
  readonly failureCode: string | null;
  readonly nextRetryAt: number | null;
  readonly requests: number;
  /** Null where nothing is stored of it. */
  readonly object: ArchiveObject | null;
  /** Whether the object is all of the report; false where there is none. */
  readonly complete: boolean;
  readonly notes: readonly ArchiveNote[];
}

/** How a report of a date stands: the latest attempt, and the latest that came to something to read. */
export interface ArchiveDay {
  readonly date: number;
  readonly latest: ManifestRow;
  readonly good: ManifestRow | undefined;
}
