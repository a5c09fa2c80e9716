/** What the attempts of the manifest say of the health of a report of a date, as if each had been told to it. */
import { type Db, statement } from "../db/mod.ts";
import { after, type Evidence, type Observation } from "../health/mod.ts";
import { coveredBy, isUsable } from "./contract.ts";
import { attemptName } from "./report_health.ts";
import { categoryAt, outcomeAt, type ReportRecord } from "./report_row.ts";

/** A row of the manifest, as far as it says what came of an attempt. */
export type AttemptRow = Pick<
  ReportRecord,
  "id" | "date" | "attempted_at" | "took_ms" | "outcome" | "category" | "failure_code" | "next_retry_at"
>;

/** What an attempt came to. */
export function observationOf(row: AttemptRow): Observation {
  const outcome = outcomeAt(row.outcome);
  return {
    attempt: attemptName(row.id),
    startedAt: row.attempted_at,
    observedAt: row.attempted_at + row.took_ms,
    result: isUsable(outcome)
      ? { ok: true, coveredDate: coveredBy(outcome, row.date) }
      : {
          ok: false,
          category: categoryAt(row.category) ?? "monitoring_failure",
          code: row.failure_code,
          nextRetryAt: row.next_retry_at,
        },
  };
}

const COLUMNS = "id, date, attempted_at, took_ms, outcome, category, failure_code, next_retry_at";
const between = statement<AttemptRow, [number, number, number]>(
  `SELECT ${COLUMNS} FROM archive_report WHERE target = ? AND date BETWEEN ? AND ? ORDER BY date, id`,
);
const byId = statement<AttemptRow, [number]>(`SELECT ${COLUMNS} FROM archive_report WHERE id = ?`);

/** What is known of each date of a target, from one to another, that was tried: without what a later attempt shows to be ahead of the clock. */
export function evidenceBetween(db: Db, target: number, from: number, to: number): Map<number, Evidence> {
  const tried = new Map<number, AttemptRow[]>();
  for (const row of between(db).all(target, from, to)) {
    const before = tried.get(row.date) ?? [];
    const end = row.attempted_at + row.took_ms;
    tried.set(row.date, [...before.filter(({ attempted_at }) => attempted_at <= end), row]);
  }
  const known = new Map<number, Evidence>();
  for (const row of [...tried.values()].flat()) {
    known.set(row.date, after(known.get(row.date), observationOf(row)));
  }
  return known;
}

/** What one attempt came to; undefined where there is none of that number. */
export function findObservation(db: Db, report: number): Observation | undefined {
  const row = byId(db).first(report);
  return row && observationOf(row);
}
