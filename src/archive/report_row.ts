/** A row of the manifest as it is stored: outcomes, categories and notes by their places. */
import { FAILURE_CATEGORIES, type FailureCategory } from "../provider/contract.ts";
import {
  ARCHIVE_NOTES,
  ARCHIVE_OUTCOMES,
  type ArchiveNote,
  type ArchiveOutcome,
  isUsable,
} from "./contract.ts";

export interface ReportRecord {
  readonly id: number;
  readonly run: number;
  readonly target: number;
  readonly date: number;
  readonly range_from: number | null;
  readonly attempted_at: number;
  readonly took_ms: number;
  readonly outcome: number;
  readonly category: number | null;
  readonly failure_code: string | null;
  readonly next_retry_at: number | null;
  readonly requests: number;
  readonly object: number | null;
  readonly complete: number;
  readonly notes: number;
}

/** The columns of a row beside its id. */
export const REPORT_COLUMNS = [
  "run",
  "target",
  "date",
  "range_from",
  "attempted_at",
  "took_ms",
  "outcome",
  "category",
  "failure_code",
  "next_retry_at",
  "requests",
  "object",
  "complete",
  "notes",
] as const satisfies readonly (keyof ReportRecord)[];

/** An outcome by its place; one that is not known here is no success. */
export const outcomeAt = (place: number): ArchiveOutcome => ARCHIVE_OUTCOMES[place] ?? "failed";

/** The places of the usable outcomes, as a list for a statement. */
export const USABLE_PLACES = ARCHIVE_OUTCOMES.flatMap((outcome, place) =>
  isUsable(outcome) ? [place] : [],
).join(", ");

/** A category by its place; null of an attempt that did not fail, and where it is not known here. */
export const categoryAt = (place: number | null): FailureCategory | null =>
  FAILURE_CATEGORIES[place ?? -1] ?? null;

/** The place of one of a list's names. Throws where it is none of them. */
export function placeIn<T>(names: readonly T[], name: T): number {
  const place = names.indexOf(name);
  if (place < 0) throw new RangeError(`${String(name)} has no place`);
  return place;
}

export const notesAt = (bits: number): ArchiveNote[] =>
  ARCHIVE_NOTES.filter((_, place) => (bits & (1 << place)) !== 0);

export const bitsOf = (notes: readonly ArchiveNote[]): number =>
  notes.reduce((bits, note) => bits | (1 << placeIn(ARCHIVE_NOTES, note)), 0);
