/** Visits of operators: what the portfolio calls new is what happened since the visit before the one under way. */

import { type Db, statement, type Tx } from "../store/store.ts";

/** For so long after a look another one belongs to the same visit, in milliseconds. */
export const VISIT_MS = 30 * 60_000;

const WORTH_NOTING_MS = 60_000;

/** The looks of an operator. Times are milliseconds since the epoch. */
export interface Look {
  /** The end of the visit before the one under way; null on the first. */
  readonly before: number | null;
  readonly last: number;
}

const ofOperator = statement<Look, [string]>(
  "SELECT looked_before AS before, last_look_at AS last FROM operator_look WHERE operator = ?",
);

const note = statement<never, [string, number, number]>(
  `INSERT INTO operator_look (operator, looked_before, last_look_at) VALUES (?1, NULL, ?2)
   ON CONFLICT (operator) DO UPDATE SET
     looked_before = CASE WHEN abs(?2 - last_look_at) > ?3 THEN min(last_look_at, ?2) ELSE looked_before END,
     last_look_at = ?2`,
);

const begin = statement<never, [string, number]>(
  `INSERT INTO operator_look (operator, looked_before, last_look_at) VALUES (?1, ?2, ?2)
   ON CONFLICT (operator) DO UPDATE SET looked_before = ?2, last_look_at = ?2`,
);

const drop = statement<never, [string]>("DELETE FROM operator_look WHERE operator = ?");

/** The looks of an operator, by name; undefined before the first. */
export function findLook(db: Db, operator: string): Look | undefined {
  return ofOperator(db).first(operator);
}

/** What the looks of an operator are after one more: a visit ends where nobody looked for half an hour. */
export function lookedAgain(look: Look | undefined, now: number): Look {
  if (look === undefined) return { before: null, last: now };
  const isAnother = Math.abs(now - look.last) > VISIT_MS;
  return { before: isAnother ? Math.min(look.last, now) : look.before, last: now };
}

/** Whether a look is worth writing down: one within a minute of the last changes nothing, and a write has everything read anew. */
export function isWorthNoting(look: Look | undefined, now: number): boolean {
  return look === undefined || Math.abs(now - look.last) >= WORTH_NOTING_MS;
}

/** Writes down that an operator looked: the same as `lookedAgain`, in one statement. */
export function noteLook(tx: Tx, operator: string, now: number): void {
  note(tx).run(operator, now, VISIT_MS);
}

/** Everything up to now is seen: what is new begins here. */
export function noteSeen(tx: Tx, operator: string, now: number): void {
  begin(tx).run(operator, now);
}

/** Forgets the looks of an operator who is removed. */
export function forgetLooks(tx: Tx, operator: string): void {
  drop(tx).run(operator);
}
