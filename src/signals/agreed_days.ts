/** Which settled days two collections in a row agree on, from what is stored of them: attempts and observations. */
import { type Db, statement } from "../db/mod.ts";
import { PULL_OUTCOMES } from "./contract.ts";
import { findNewest, listTargets, observedIn, type SignalsOf } from "./observation_store.ts";
import type { LastTold } from "./told_store.ts";

const DAY_MS = 86_400_000;

/** Rows read at a time. */
const ROWS = 64;

// An answer without any day agrees with nothing.
const AGREEING = (["unchanged", "source_lag"] as const).map((outcome) => PULL_OUTCOMES.indexOf(outcome));
const collectedSince = statement<{ id: number }, [number, number]>(
  `SELECT id FROM pull_attempt WHERE target = ? AND id > ? AND outcome IN (${AGREEING.join(", ")}) LIMIT 1`,
);

const before = statement<{ id: number; observed_at: number; days: Uint8Array }, [number, number, number]>(
  "SELECT id, observed_at, days FROM observation WHERE target = ? AND id < ? ORDER BY id DESC LIMIT ?",
);

/**
 * The settled days, from one on, on which the newest collection of a site's figures told another value than the one before: they may still
 * move. A day that settled with the value it had does not.
 */
export function movingDays(db: Db, of: SignalsOf, last: LastTold, from: number): ReadonlySet<number> {
  const targets = listTargets(db, of);
  if (targets.some(({ id }) => collectedSince(db).first(id, last.attempt) !== undefined)) return new Set();
  const newest = targets.flatMap((target) => findNewest(db, target) ?? []).sort((a, b) => b.id - a.id)[0];
  const told = newest === undefined ? [] : observedIn(newest).figures;
  const settled = told.filter(({ day, to }) => day >= from && to.state === "final");
  const pending = new Map(settled.map(({ day, place, to }) => [`${day} ${place}`, { day, value: to.value }]));
  const moving = new Set<number>();
  let rows: readonly { id: number; observed_at: number; days: Uint8Array }[];
  for (let id = newest?.id ?? 0; pending.size > 0; id = rows.at(-1)?.id ?? 0) {
    rows = before(db).all(newest?.target.id ?? 0, id, ROWS);
    for (const row of rows) {
      for (const { day, place, to } of observedIn(row).figures) {
        const now = pending.get(`${day} ${place}`);
        if (now !== undefined && now.value !== to.value) moving.add(day);
        pending.delete(`${day} ${place}`);
      }
      if (pending.size === 0) return moving;
    }
    if (rows.length < ROWS || (rows.at(-1)?.observed_at ?? 0) < from * DAY_MS - DAY_MS) break;
  }
  // What was never told before may move, too.
  for (const { day } of pending.values()) moving.add(day);
  return moving;
}
