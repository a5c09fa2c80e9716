/** How the report of each date stands: a read model, made of the manifest. Later attempts have greater rows. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import { type ArchiveOutcome, isUsable } from "./contract.ts";

/** How a date of a target stands. */
export interface DayRow {
  readonly target: number;
  readonly date: number;
  /** Rows of `archive_report`: the latest attempt, and the latest with a whole report; null where none was. */
  readonly latest: number;
  readonly good: number | null;
  /** 1 where the latest attempt failed, or was incomplete. */
  readonly failing: number;
}

/** An attempt, as far as a read model takes it in. */
export interface TakenIn {
  readonly id: number;
  readonly target: number;
  readonly date: number;
  readonly outcome: ArchiveOutcome;
}

/** Whether an attempt came to a whole report; one that is not final yet has none, and did not fail. */
export const hasReport = (outcome: ArchiveOutcome): boolean => isUsable(outcome) && outcome !== "source_lag";

/** How a date stands after one more attempt. */
export function dayAfter(
  day: Pick<DayRow, "good"> | undefined,
  { id, target, date, outcome }: TakenIn,
): DayRow {
  const good = hasReport(outcome) ? id : (day?.good ?? null);
  return { target, date, latest: id, good, failing: isUsable(outcome) ? 0 : 1 };
}

const COLUMNS = "target, date, latest, good, failing";
const find = statement<DayRow, [number, number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target = ? AND date = ?`,
);
const put = statement<never, [number, number, number, number | null, number]>(
  `INSERT INTO archive_day (${COLUMNS}) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (target, date) DO UPDATE SET latest = excluded.latest, good = excluded.good, failing = excluded.failing`,
);
const drop = statement<never, [number, number]>("DELETE FROM archive_day WHERE target = ? AND date = ?");
const between = statement<DayRow, [string, number, number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target IN (SELECT value FROM json_each(?)) AND date BETWEEN ? AND ?
   ORDER BY date DESC, target`,
);
const ofTarget = statement<DayRow, [number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target = ? ORDER BY date`,
);
const failingOf = statement<{ date: number }, [number, number, number]>(
  "SELECT date FROM archive_day WHERE failing = 1 AND target = ? AND date < ? ORDER BY date DESC LIMIT ?",
);
const goodBefore = statement<DayRow, [number, number]>(
  `SELECT ${COLUMNS} FROM archive_day WHERE target = ? AND date <= ? AND good IS NOT NULL ORDER BY date DESC LIMIT 1`,
);

/** How a date of a target stands; undefined where nothing was tried of it. */
export function findDay(db: Db, target: number, date: number): DayRow | undefined {
  return find(db).first(target, date);
}

export function putDay(tx: Tx, { target, date, latest, good, failing }: DayRow): void {
  put(tx).run(target, date, latest, good, failing);
}

export function dropDay(tx: Tx, target: number, date: number): void {
  drop(tx).run(target, date);
}

/** The dates of targets that were tried, both ends included, newest first. */
export function daysBetween(db: Db, targets: readonly number[], from: number, to: number): DayRow[] {
  return between(db).all(JSON.stringify(targets), from, to);
}

/** Every date of a target that was tried, oldest first. */
export function daysOfTarget(db: Db, target: number): DayRow[] {
  return ofTarget(db).all(target);
}

/** The newest dates of a target before a day whose latest attempt failed, newest first. */
export function failingDates(db: Db, target: number, before: number, limit: number): number[] {
  return failingOf(db)
    .all(target, before, limit)
    .map(({ date }) => date);
}

/** The newest date of a target up to a day that has a whole report. */
export function newestGood(db: Db, target: number, upTo: number): DayRow | undefined {
  return goodBefore(db).first(target, upTo);
}
