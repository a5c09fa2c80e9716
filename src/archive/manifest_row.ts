/** The archive: reports as their providers answered them, one manifest row for each attempt to get one. */

import { dayOfNumber } from "../base/time.ts";
import type { Attempt } from "../signals/attempts.ts";
import type { StoredObject } from "../store/objects.ts";
import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import { archiveDay, type archiveReport, type archiveTarget } from "./archive_tables.ts";

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
export type ArchiveTarget = Readonly<Omit<typeof archiveTarget.$inferSelect, "id">>;

/** An object of the archive: a row of `archive_object`. */
export interface ArchiveObject extends Omit<StoredObject, "place"> {
  /** SHA-256 of what its rows say in whatever order, in hexadecimal. */
  readonly content: string;
  readonly rows: number;
}

/** A manifest row: one attempt. Times are milliseconds since the epoch, dates are day numbers of the provider's calendar. */
export interface ManifestRow extends Pick<Attempt, "tookMs" | "category" | "nextRetryAt" | "requests"> {
  readonly id: number;
  /** The job's own id of the run. */
  readonly run: string;
  readonly target: ArchiveTarget;
  /** The day of the report, the last one of a range; the UTC day of the attempt for a snapshot. */
  readonly date: number;
  /** The first day of a report over days; null elsewhere. */
  readonly rangeFrom: number | null;
  readonly attemptedAt: number;
  readonly outcome: ArchiveOutcome;
  /** A code of `FAULT_CODES`. */
  readonly failureCode: string | null;
  /** Null where nothing is stored of it. */
  readonly object: ArchiveObject | null;
  /** Whether the object is all of the report; false where there is none. */
  readonly complete: boolean;
  readonly notes: readonly ArchiveNote[];
}

/** A row of the manifest as it is stored: outcomes, categories and notes by their places. */
export type ReportRecord = typeof archiveReport.$inferSelect;

/** An outcome by its place; one that is not known here is no success. */
export const outcomeAt = (place: number): ArchiveOutcome => ARCHIVE_OUTCOMES[place] ?? "failed";

/** The places of the usable outcomes, as a list for a statement. */
export const USABLE_PLACES = ARCHIVE_OUTCOMES.flatMap((outcome, place) =>
  isUsable(outcome) ? [place] : [],
).join(", ");

export const notesAt = (bits: number): ArchiveNote[] =>
  ARCHIVE_NOTES.filter((_, place) => (bits & (1 << place)) !== 0);

export const bitsOf = (notes: readonly ArchiveNote[]): number =>
  notes.reduce((bits, note) => bits | (1 << ARCHIVE_NOTES.indexOf(note)), 0);

// How the report of each date stands: a read model, made of the manifest in the order of its rows.

/** How a date of a target stands. */
export type DayRow = typeof archiveDay.$inferSelect;

/** An attempt, as far as a read model takes it in. */
export interface TakenIn extends Pick<ManifestRow, "id" | "date" | "attemptedAt" | "outcome"> {
  readonly target: number;
  readonly endedAt: number;
}

/**
 * Whether an attempt takes the place of the one that stands, which was recorded before it: by the moment it began. One that began after
 * the new one ended is of a clock that ran ahead, and never stands against it. Of two that began at once the failure stands.
 */
export function isLater(one: TakenIn, other: TakenIn | undefined): boolean {
  if (other === undefined || other.attemptedAt > one.endedAt) return true;
  if (one.attemptedAt !== other.attemptedAt) return one.attemptedAt > other.attemptedAt;
  const isFailed = !isUsable(one.outcome);
  return isFailed === isUsable(other.outcome) ? isFailed : one.id > other.id;
}

/** The attempts that a date stands by. */
export interface DayStand {
  readonly latest: TakenIn;
  /** The latest with a whole report. */
  readonly good: TakenIn | undefined;
}

/** Whether an attempt came to a whole report; one that is not final yet has none, and did not fail. */
const hasReport = (outcome: ArchiveOutcome): boolean => isUsable(outcome) && outcome !== "source_lag";

/** How a date stands after one more attempt, in the order in which they were recorded. */
export function dayAfter(day: DayStand | undefined, attempt: TakenIn): DayStand {
  return {
    latest: day === undefined || isLater(attempt, day.latest) ? attempt : day.latest,
    good: hasReport(attempt.outcome) && isLater(attempt, day?.good) ? attempt : day?.good,
  };
}

/** A date as it is stored. */
export const dayRow = ({ latest, good }: DayStand): DayRow => ({
  target: latest.target,
  date: latest.date,
  latest: latest.id,
  good: good?.id ?? null,
  failing: isUsable(latest.outcome) ? 0 : 1,
});

const COLUMNS = columnsOf(archiveDay);
const find = statement<DayRow, [number, number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target = ? AND date = ?`,
);
const between = statement<DayRow, [string, number, number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target IN (SELECT value FROM json_each(?)) AND date BETWEEN ? AND ?
   ORDER BY date DESC, target`,
);
const failingOf = statement<{ date: number }, [number, number, number]>(
  "SELECT date FROM archive_day WHERE failing = 1 AND target = ? AND date < ? ORDER BY date DESC LIMIT ?",
);
const newestOf = statement<{ date: number | null }, [number, number]>(
  "SELECT max(date) AS date FROM archive_day WHERE target = ? AND date <= ?",
);

/** The newest date of a target that was tried, up to one; undefined where none was. */
export function newestDate(db: Db, target: number, to: number): number | undefined {
  return newestOf(db).first(target, to)?.date ?? undefined;
}

/** How a date of a target stands; undefined where nothing was tried of it. */
export function findDay(db: Db, target: number, date: number): DayRow | undefined {
  return find(db).first(target, date);
}

export const putDay = replacing(archiveDay);

/** The dates of targets that were tried, both ends included, newest first. */
export function daysBetween(db: Db, targets: readonly number[], from: number, to: number): DayRow[] {
  return between(db).all(JSON.stringify(targets), from, to);
}

/** The newest dates of a target before a day whose latest attempt failed, newest first. */
export function failingDates(db: Db, target: number, before: number, limit: number): number[] {
  return failingOf(db)
    .all(target, before, limit)
    .map(({ date }) => date);
}
