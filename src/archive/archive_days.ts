/** How the report of each date stands: a read model, made of the manifest in the order of its rows. */

import { columnsOf, replacing } from "../store/rows.ts";
import { type Db, statement } from "../store/store.ts";
import { archiveDay } from "./archive_tables.ts";
import { type ArchiveOutcome, isUsable } from "./manifest_row.ts";

/** How a date of a target stands. */
export type DayRow = typeof archiveDay.$inferSelect;

/** An attempt, as far as a read model takes it in. */
export interface TakenIn {
  readonly id: number;
  readonly target: number;
  readonly date: number;
  /** When it began and ended, in milliseconds since the epoch. */
  readonly attemptedAt: number;
  readonly endedAt: number;
  readonly outcome: ArchiveOutcome;
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
    latest: isLater(attempt, day?.latest) ? attempt : (day?.latest ?? attempt),
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
