/** Reports that are left out since their property is not set up for them: no attempt, no row of the manifest. */
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { ArchiveTarget } from "./contract.ts";
import { findTarget, type NumberedTarget, targetId, targetsById } from "./target_store.ts";

/** A report that is left out. */
export interface Skip {
  readonly target: NumberedTarget;
  /** A reason of our own, such as `parameter_unregistered`. */
  readonly reason: string;
  /** When it was last seen, in milliseconds since the epoch. */
  readonly seenAt: number;
}

const put = statement<never, [number, string, number]>(
  `INSERT INTO archive_skip (target, reason, seen_at) VALUES (?, ?, ?)
   ON CONFLICT (target) DO UPDATE SET reason = excluded.reason, seen_at = excluded.seen_at`,
);
const drop = statement<never, [number]>("DELETE FROM archive_skip WHERE target = ?");
const every = statement<{ target: number; reason: string; seen_at: number }, []>(
  "SELECT target, reason, seen_at FROM archive_skip ORDER BY target",
);

const one = statement<{ reason: string; seen_at: number }, [number]>(
  "SELECT reason, seen_at FROM archive_skip WHERE target = ?",
);

/** Whether the report of a target is left out, and why. */
export function findSkip(db: Db, target: number): Omit<Skip, "target"> | undefined {
  const row = one(db).first(target);
  return row === undefined ? undefined : { reason: row.reason, seenAt: row.seen_at };
}

/** Notes that a report is left out. */
export function noteSkip(tx: Tx, target: ArchiveTarget, reason: string, now: number): void {
  put(tx).run(targetId(tx, target), reason, now);
}

/** Notes that a report is asked for. */
export function endSkip(tx: Tx, target: ArchiveTarget): void {
  const id = findTarget(tx, target);
  if (id !== undefined) drop(tx).run(id);
}

/** The reports that are left out. */
export function listSkips(db: Db): Skip[] {
  const targets = targetsById(db);
  return every(db)
    .all()
    .flatMap(({ target: id, reason, seen_at }) => {
      const target = targets.get(id);
      return target === undefined ? [] : [{ target, reason, seenAt: seen_at }];
    });
}
