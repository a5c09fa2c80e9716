/** Which settled days two collections in a row agree on, from what is stored of them: attempts and observations. */
import { type Db, statement } from "../db/mod.ts";
import { PULL_OUTCOMES } from "./contract.ts";
import { listTargets, observedIn, type SignalsOf } from "./observation_store.ts";
import type { LastTold } from "./told_store.ts";

const DAY_MS = 86_400_000;

/** Rows read at a time. */
const ROWS = 64;

// An answer without any day agrees with nothing.
const AGREEING = (["unchanged", "source_lag"] as const).map((outcome) => PULL_OUTCOMES.indexOf(outcome));
const collectedSince = statement<{ id: number }, [number, number]>(
  `SELECT id FROM pull_attempt WHERE target = ? AND id > ? AND outcome IN (${AGREEING.join(", ")}) LIMIT 1`,
);

interface Row {
  readonly id: number;
  readonly target: number;
  readonly observed_at: number;
  readonly days: Uint8Array;
}
const ofAttempt = statement<Row, [number]>(
  "SELECT id, target, observed_at, days FROM observation WHERE target = ? ORDER BY id DESC LIMIT 1",
);
const before = statement<Row, [number, number, number]>(
  "SELECT id, target, observed_at, days FROM observation WHERE target = ? AND id < ? ORDER BY id DESC LIMIT ?",
);

/**
 * The days, from one on, on which the newest collection of a site's figures told another value than the one before: they may still
 * move. A day that settled with the value it had does not.
 */
export function movingDays(db: Db, of: SignalsOf, told: LastTold, from: number): ReadonlySet<number> {
  const targets = listTargets(db, of);
  if (targets.some(({ id }) => collectedSince(db).first(id, told.attempt) !== undefined)) return new Set();
  const newest = targets.flatMap(({ id }) => ofAttempt(db).first(id) ?? []).sort((a, b) => b.id - a.id)[0];
  if (newest === undefined) return new Set();
  const pending = new Map(
    observedIn(newest)
      .figures.filter(({ day }) => day >= from)
      .map(({ day, place, to }) => [`${day} ${place}`, { day, value: to.value }]),
  );
  const moving = new Set<number>();
  const oldest = (from - 1) * DAY_MS;
  for (let last = newest; pending.size > 0 && last.observed_at >= oldest; ) {
    const rows = before(db).all(newest.target, last.id, ROWS);
    for (const row of rows) {
      for (const { day, place, to } of observedIn(row).figures) {
        const key = `${day} ${place}`;
        const now = pending.get(key);
        if (now === undefined) continue;
        if (now.value !== to.value) moving.add(day);
        pending.delete(key);
      }
    }
    const end = rows.at(-1);
    if (end === undefined) break;
    last = end;
  }
  for (const { day } of pending.values()) moving.add(day);
  return moving;
}
