/** Queries on the running snoozes, one per (rule, asset, subject). */
import { and, eq } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import { snoozeRuns } from "./snooze_until.ts";
import { flagSnooze } from "./table.ts";

/** What a snooze belongs to; a flag that a site sent has no rule. */
interface Subject {
  readonly rule: string | null;
  readonly asset: string;
  readonly subject: string;
}

const byKey = statement<{ until: number }, [string, string, string]>(
  "SELECT until FROM flag_snooze WHERE rule = ? AND asset = ? AND subject = ?",
);

/** Until when a snooze runs; undefined when there is none or it has run out. */
export function findRunningSnooze(db: Db, of: Subject, now: number): number | undefined {
  const row = byKey(db).first(of.rule ?? "", of.asset, of.subject);
  return row !== undefined && snoozeRuns(row.until, now) ? row.until : undefined;
}

/** Sets or moves a snooze. */
export function startSnooze(
  tx: Tx,
  of: Subject,
  snooze: { readonly until: number; readonly now: number; readonly by: string },
): void {
  const set = { until: snooze.until, set_at: snooze.now, set_by: snooze.by };
  tx.insert(flagSnooze)
    .values({ rule: of.rule ?? "", asset: of.asset, subject: of.subject, ...set })
    .onConflictDoUpdate({ target: [flagSnooze.rule, flagSnooze.asset, flagSnooze.subject], set })
    .run();
}

/** Ends a snooze. */
export function endSnooze(tx: Tx, of: Subject): void {
  tx.delete(flagSnooze)
    .where(
      and(
        eq(flagSnooze.rule, of.rule ?? ""),
        eq(flagSnooze.asset, of.asset),
        eq(flagSnooze.subject, of.subject),
      ),
    )
    .run();
}

/** A snooze as it is stored: what it belongs to ('' for a flag that a site sent), until when, and who set it when. */
export type Snooze = typeof flagSnooze.$inferSelect;

/** Every snooze, for checking them against the records. */
export function listSnoozes(db: Db): Snooze[] {
  return db.select().from(flagSnooze).all();
}
