/** What is not asked now: the latest attempts whose next retry lies ahead. */
import { type Db, statement } from "../db/mod.ts";
import type { FailureCategory } from "../provider/contract.ts";
import { categoryAt } from "./attempt_row.ts";
import { heldUntil } from "./attempt_store.ts";
import type { AskedTarget } from "./contract.ts";
import { targetsById } from "./target_store.ts";

/** A target that is not asked now, and why. Times are milliseconds since the epoch. */
export interface HeldTarget {
  readonly target: AskedTarget;
  readonly category: FailureCategory | null;
  readonly attemptedAt: number;
  readonly until: number;
}

const holding = statement<
  { target: number; started_at: number; category: number | null; next_retry_at: number },
  [number, number, number]
>(
  `SELECT target, started_at, category, next_retry_at FROM pull_attempt a WHERE next_retry_at > ? AND started_at <= ?
     AND NOT EXISTS (SELECT 1 FROM pull_attempt later WHERE later.target = a.target AND later.id > a.id)
   ORDER BY next_retry_at DESC, id LIMIT ?`,
);

/** Targets that are not asked now, those that are held longest first; at most `limit`. */
export function listHeld(db: Db, now: number, limit: number): HeldTarget[] {
  const targets = targetsById(db);
  return holding(db)
    .all(now, now, limit)
    .flatMap(({ target: number, started_at, category, next_retry_at }) => {
      const target = targets.get(number);
      // It may have been asked since, by another calendar.
      if (target === undefined || heldUntil(db, target, now) === undefined) return [];
      return [{ target, category: categoryAt(category), attemptedAt: started_at, until: next_retry_at }];
    });
}
