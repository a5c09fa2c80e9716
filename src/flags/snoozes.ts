/** Snoozes: when one runs, and the running ones, one per (rule, asset, source, subject). Nothing is written when its time is over. */

import { and, eq, inArray } from "drizzle-orm";
import { DAY_MS, isAhead, parseInstant, readMoment } from "../base/time.ts";
import { ruleOf, rulesOfThing } from "../sites/rule_catalogue.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { type FlagRow, flagSnooze, type SeriesSource } from "./flags.ts";

/** The longest snooze: a year, leap days included. */
const LONGEST_MS = 366 * DAY_MS;

/** The last moment until which a snooze set now may run. */
export function longestSnooze(now: number): number {
  return now + LONGEST_MS;
}

/** Whether a snooze until then still runs. One that ends beyond the longest was set under a clock that was ahead, and mutes nothing. */
export function snoozeRuns(until: number, now: number): boolean {
  return until > now && until <= longestSnooze(now);
}

/** Whether a flag is snoozed. */
export function isSnoozed(flag: Pick<FlagRow, "status" | "snoozed_until">, now: number): boolean {
  const until = flag.snoozed_until === null ? undefined : parseInstant(flag.snoozed_until);
  return flag.status === "open" && until !== undefined && snoozeRuns(until, now);
}

/** When a snooze ends, or what is wrong with the text. */
type Until = { readonly ok: true; readonly until: number } | { readonly ok: false; readonly message: string };

/**
 * Reads when a snooze ends: a number of days from now (`days`), or an instant, a date (its midnight) or a minute, all in UTC
 * (`until`). It lies ahead, and by a year at most.
 */
export function readUntil(
  asked: { readonly days?: string | undefined; readonly until?: string | undefined },
  now: number,
): Until {
  const { days = "", until: typed = "" } = asked;
  const count = /^\d{1,3}$/.test(days) ? Number(days) : 0;
  const until = days === "" ? readMoment(typed) : count > 0 ? now + count * DAY_MS : undefined;
  if (until === undefined) return { ok: false, message: "Give a date, or a date and a time in UTC." };
  if (until <= now) return { ok: false, message: "This moment is over. Give one that lies ahead." };
  if (until > longestSnooze(now)) return { ok: false, message: "A snooze lasts a year at most." };
  return { ok: true, until };
}

/** The rules that speak of one lasting thing, and how long after a reading resolved its flag the next one still continues it. */
interface Line {
  readonly rules: readonly string[];
  /** 0 where only a flag that is resolved and raised in the same judging lasts. */
  readonly gapMs: number;
}

/** The line of a rule. */
export function lineOf(rule: string): Line {
  return { rules: rulesOfThing(rule), gapMs: (ruleOf(rule)?.lasts?.pauseDays ?? 0) * DAY_MS };
}

/** What a snooze belongs to; a flag that a site sent has no rule. */
interface Subject {
  readonly rule: string | null;
  readonly asset: string;
  readonly source: SeriesSource | "" | null;
  readonly subject: string;
}

/** A snooze as it is stored: what it belongs to ('' for a flag that a site sent), until when, and who set it when. */
export type Snooze = typeof flagSnooze.$inferSelect;

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
export function startSnooze(tx: Tx, of: Subject, snooze: { until: number; now: number; by: string }): void {
  endSnooze(tx, of);
  const { rule, asset, source, subject } = of;
  const key = { rule: rule ?? "", asset, source: source ?? "", subject } as const;
  tx.insert(flagSnooze)
    .values({ ...key, until: snooze.until, set_at: snooze.now, set_by: snooze.by })
    .run();
}

/** Ends a snooze, whichever rule of the line it was set on. */
export function endSnooze(tx: Tx, { rule, asset, source, subject }: Subject): void {
  tx.delete(flagSnooze)
    .where(
      and(
        inArray(flagSnooze.rule, rule === null || rule === "" ? [""] : [...lineOf(rule).rules]),
        eq(flagSnooze.asset, asset),
        eq(flagSnooze.source, source ?? ""),
        eq(flagSnooze.subject, subject),
      ),
    )
    .run();
}

/** Every snooze, of one asset when given, run out or not. */
export function listSnoozes(db: Db, asset?: string): Snooze[] {
  return db
    .select()
    .from(flagSnooze)
    .where(asset === undefined ? undefined : eq(flagSnooze.asset, asset))
    .all();
}
