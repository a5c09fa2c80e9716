/** Queries on the running snoozes, one per (rule, asset, source, subject). */
import { and, eq, inArray } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import { isAhead } from "../platform/not_ahead.ts";
import type { SeriesSource } from "./contract.ts";
import { lineOf } from "./line.ts";
import { snoozeRuns } from "./snooze_until.ts";
import { flagSnooze } from "./table.ts";

/** What a snooze belongs to; a flag that a site sent has no rule. */
interface Subject {
  readonly rule: string | null;
  readonly asset: string;
  readonly source: SeriesSource | "" | null;
  readonly subject: string;
}

const byKey = statement<{ until: number; set_at: number }, [string, string, string, string]>(
  "SELECT until, set_at FROM flag_snooze WHERE rule = ? AND asset = ? AND source = ? AND subject = ?",
);

/** Until when a snooze runs; undefined when there is none, it has run out, or it was set under a clock that was ahead. */
export function findRunningSnooze(db: Db, of: Subject, now: number): number | undefined {
  const row = byKey(db).first(of.rule ?? "", of.asset, of.source ?? "", of.subject);
  return row !== undefined && snoozeRuns(row.until, now) && !isAhead(row.set_at, now) ? row.until : undefined;
}

/**
 * Sets or moves a snooze. A flag carries it on to the next one of its thing, which another rule of its line may raise: so one
 * thing never has two snoozes.
 */
export function startSnooze(
  tx: Tx,
  of: Subject,
  snooze: { readonly until: number; readonly now: number; readonly by: string },
): void {
  endSnooze(tx, of);
  const { rule, asset, source, subject } = of;
  tx.insert(flagSnooze)
    .values({
      rule: rule ?? "",
      asset,
      source: source ?? "",
      subject,
      until: snooze.until,
      set_at: snooze.now,
      set_by: snooze.by,
    })
    .run();
}

/** Ends a snooze, whichever rule of the line it was set on. */
export function endSnooze(tx: Tx, of: Subject): void {
  tx.delete(flagSnooze)
    .where(
      and(
        inArray(flagSnooze.rule, [...rulesOf(of)]),
        eq(flagSnooze.asset, of.asset),
        eq(flagSnooze.source, of.source ?? ""),
        eq(flagSnooze.subject, of.subject),
      ),
    )
    .run();
}

/** The rules of a snooze's line; what a site sent has none. */
function rulesOf({ rule }: Subject): readonly string[] {
  return rule === null || rule === "" ? [""] : lineOf(rule).rules;
}

/** A snooze as it is stored: what it belongs to ('' for a flag that a site sent), until when, and who set it when. */
export type Snooze = typeof flagSnooze.$inferSelect;

/** Every snooze, of one asset when given, run out or not. */
export function listSnoozes(db: Db, asset?: string): Snooze[] {
  return db
    .select()
    .from(flagSnooze)
    .where(asset === undefined ? undefined : eq(flagSnooze.asset, asset))
    .all();
}
