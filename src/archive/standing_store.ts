/** How a report stands over all of its dates: a read model, made of its days and of its latest attempts. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import { isUsable } from "./contract.ts";
import { type DayRow, isLater, type TakenIn } from "./day_store.ts";

export interface StandingRow {
  readonly target: number;
  /** Dates with an attempt, and those whose latest attempt failed. */
  readonly dates: number;
  readonly failing: number;
  /** Day number. */
  readonly last_date: number;
  /** Rows of `archive_report`: the latest attempt, and the latest that was usable; null where none was. */
  readonly latest: number;
  readonly usable: number | null;
}

/** The attempts that a report stands by, over all of its dates. */
export interface ReportStand {
  readonly latest: TakenIn;
  /** The latest usable one. */
  readonly usable: TakenIn | undefined;
}

/** What a report stands by after one more attempt, in the order in which they were recorded. */
export function standAfter(stand: ReportStand | undefined, attempt: TakenIn): ReportStand {
  return {
    latest: isLater(attempt, stand?.latest) ? attempt : (stand?.latest ?? attempt),
    usable: isUsable(attempt.outcome) && isLater(attempt, stand?.usable) ? attempt : stand?.usable,
  };
}

/** How a report stands after an attempt that changed a date. */
export function standingAfter(
  standing: StandingRow | undefined,
  { latest, usable }: ReportStand,
  { before, after }: { readonly before: DayRow | undefined; readonly after: DayRow },
): StandingRow {
  return {
    target: after.target,
    dates: (standing?.dates ?? 0) + (before === undefined ? 1 : 0),
    failing: (standing?.failing ?? 0) + after.failing - (before?.failing ?? 0),
    last_date: Math.max(standing?.last_date ?? after.date, after.date),
    latest: latest.id,
    usable: usable?.id ?? null,
  };
}

const COLUMNS = "target, dates, failing, last_date, latest, usable";
const find = statement<StandingRow, [number]>(`SELECT ${COLUMNS} FROM archive_standing WHERE target = ?`);
const put = statement<never, [number, number, number, number, number, number | null]>(
  `INSERT INTO archive_standing (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT (target) DO UPDATE SET dates = excluded.dates, failing = excluded.failing, last_date = excluded.last_date,
     latest = excluded.latest, usable = excluded.usable`,
);
const every = statement<StandingRow, []>(`SELECT ${COLUMNS} FROM archive_standing ORDER BY target`);
const some = statement<StandingRow, [string]>(
  `SELECT ${COLUMNS} FROM archive_standing WHERE target IN (SELECT value FROM json_each(?)) ORDER BY target`,
);

export function findStanding(db: Db, target: number): StandingRow | undefined {
  return find(db).first(target);
}

export function putStanding(tx: Tx, row: StandingRow): void {
  put(tx).run(row.target, row.dates, row.failing, row.last_date, row.latest, row.usable);
}

/** How reports stand, in the order of their targets: all of them, or those of the targets named. */
export function standingRows(db: Db, targets?: readonly number[]): StandingRow[] {
  return targets === undefined ? every(db).all() : some(db).all(JSON.stringify(targets));
}
