/** Flags from their records: what the read model must hold. */

import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { isAhead } from "../base/receive.ts";
import { parseInstant, readMoment } from "../base/time.ts";
import { ruleOf, rulesOfThing } from "../sites/rule_catalogue.ts";
import { type ReadModel, tableModel } from "../store/read_model.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import {
  changedInputs,
  type FlagRow,
  flag,
  flagRecord,
  flagSnooze,
  type NewFlag,
  type RuleInputs,
  type SeriesSource,
} from "./flags.ts";

type FlagState = typeof flag.$inferSelect;
/** A record as far as a flag is made of it. */
type RecordState = Pick<typeof flagRecord.$inferSelect, "at" | "type" | "data">;

/** The row a flag's records lead to, oldest first; undefined when they do not begin with "raised". */
function rebuildFlag(id: string, records: readonly RecordState[]): FlagState | undefined {
  let state: FlagState | undefined;
  for (const record of records) {
    const data = JSON.parse(record.data) as Record<string, unknown>;
    if (record.type === "raised") {
      if (state !== undefined) return undefined;
      state = raisedState(id, record.at, data as unknown as Raised);
    } else if (state === undefined) {
      return undefined;
    } else if (record.type === "resolved") {
      state = {
        ...state,
        status: "resolved",
        resolved_at: record.at,
        resolution: String(data["resolution"]),
      };
    } else {
      state = { ...state, ...(data["set"] as Partial<FlagState> | undefined) };
      const changed = data["changed"] as RuleInputs | undefined;
      if (changed !== undefined) {
        state = { ...state, rule_inputs: changedInputs(state.rule_inputs, changed) };
      }
    }
  }
  return state;
}

type Raised = NewFlag & {
  readonly snoozed_until?: number | null;
  /** What it carries from the flag it renews. */
  readonly set?: Partial<FlagState>;
};

function raisedState(id: string, at: number, raised: Raised): FlagState {
  return {
    id,
    asset: raised.asset,
    rule: raised.rule,
    source: raised.source ?? "",
    subject: raised.subject,
    origin: raised.origin,
    severity: raised.severity,
    kind: raised.kind,
    metric: raised.metric,
    message: raised.message,
    status: "open",
    rule_inputs: raised.rule_inputs === null ? null : JSON.stringify(raised.rule_inputs),
    raised_at: at,
    resolved_at: null,
    resolution: null,
    acked_at: null,
    acked_by: null,
    snoozed_until: raised.snoozed_until ?? null,
    tuned_at: null,
    incident: null,
    hypothesis: null,
    renews: null,
    renewed_by: null,
    chain: id,
    since: at,
    reports: 1,
    ...raised.set,
  };
}

/** Which flags can tell the same lasting thing: what a renewal may follow. */

/** The rules of one thing, and how long after a reading resolved its flag the next one still goes on with it. */
interface Line {
  readonly rules: readonly string[];
  /** 0 where only a flag that is resolved and raised in the same judging lasts. */
  readonly gapMs: number;
}

const DAY_MS = 86_400_000;

/** The line of a rule. */
export function lineOf(rule: string): Line {
  return { rules: rulesOfThing(rule), gapMs: (ruleOf(rule)?.lasts?.pauseDays ?? 0) * DAY_MS };
}

/** The longest snooze: a year, leap days included. */

const LONGEST_MS = 366 * DAY_MS;

/** Whether a snooze until then still runs. One that ends beyond the longest was set under a clock that was ahead, and mutes nothing. */
export function snoozeRuns(until: number, now: number): boolean {
  return until > now && until <= longestSnooze(now);
}

/** Whether a flag is put away. A snooze ends by itself: nothing is written when its time is over. */
export function isSnoozed(flag: Pick<FlagRow, "status" | "snoozed_until">, now: number): boolean {
  const until = flag.snoozed_until === null ? undefined : parseInstant(flag.snoozed_until);
  return flag.status === "open" && until !== undefined && snoozeRuns(until, now);
}

/** The last moment until which a snooze set now may run. */
export function longestSnooze(now: number): number {
  return now + LONGEST_MS;
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
  const { days, until = "" } = asked;
  if (days !== undefined && days !== "") {
    const count = /^\d{1,3}$/.test(days) ? Number(days) : 0;
    return judged(count > 0 ? now + count * DAY_MS : undefined, now);
  }
  return judged(readMoment(until), now);
}

function judged(until: number | undefined, now: number): Until {
  if (until === undefined) return { ok: false, message: "Give a date, or a date and a time in UTC." };
  if (until <= now) return { ok: false, message: "This moment is over. Give one that lies ahead." };
  if (until > longestSnooze(now)) return { ok: false, message: "A snooze lasts a year at most." };
  return { ok: true, until };
}

/** Queries on the running snoozes, one per (rule, asset, source, subject). */

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

/** What the snoozes are that acts lead to. Pure. */

/** What a snooze belongs to, as it is stored. */
type SnoozeKey = Pick<Snooze, "rule" | "asset" | "source" | "subject">;

/** An act on a flag, with what the flag's snooze belongs to. */
interface SnoozeAct extends SnoozeKey {
  readonly at: number;
  readonly actor: string;
  readonly data: string;
}

/** A key as text. */
const snoozeKey = ({ rule, asset, source, subject }: SnoozeKey) =>
  JSON.stringify([rule, asset, source, subject]);

/** By what each belongs to: the last snooze, unless it was ended. The acts come oldest first. */
function replaySnoozes(acts: readonly SnoozeAct[]): Map<string, Snooze> {
  const snoozes = new Map<string, Snooze>();
  for (const { at, actor, data, rule, asset, source, subject } of acts) {
    const { act, set } = JSON.parse(data) as ActData;
    if (act !== "wake" && act !== "snooze") continue;
    const of = { rule, asset, source, subject };
    for (const one of lineOf(rule).rules) snoozes.delete(snoozeKey({ ...of, rule: one }));
    if (act === "snooze" && typeof set.snoozed_until === "number") {
      snoozes.set(snoozeKey(of), { ...of, until: set.snoozed_until, set_at: at, set_by: actor });
    }
  }
  return snoozes;
}

interface ActData {
  readonly act: string;
  readonly set: { readonly snoozed_until?: number | null };
}

/** Flags and snoozes against the records that lead to them. */

// Evidence and all else have an index each.
const recordsOf = statement<RecordState, [string, string]>(
  `SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type <> 'evidence'
   UNION ALL SELECT id, at, type, data FROM flag_record WHERE flag = ? AND type = 'evidence' ORDER BY id`,
);

export const FLAG_MODEL: ReadModel<FlagState, string> = tableModel({
  name: "flags",
  what: "flags against their records",
  source: "its records",
  table: flag,
  by: {
    column: "id",
    next: [
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type <> 'evidence'",
      "SELECT min(flag) FROM flag_record WHERE flag > ?1 AND type = 'evidence'",
    ],
  },
  named: ({ id }) => `flag ${id}`,
  replay: (db, id) => {
    const records = recordsOf(db).all(id, id);
    if (records.length === 0) return [];
    const row = rebuildFlag(id, records);
    return row === undefined ? `flag ${id} has records that do not begin with its raising` : [row];
  },
});

/** A snooze is the last one of its (rule, asset, source, subject), unless that one was woken. */
export const SNOOZE_MODEL: ReadModel<Snooze, number> = tableModel({
  name: "snoozes",
  what: "snoozes against their acts",
  source: "its acts",
  table: flagSnooze,
  named: (row) => `the snooze of ${snoozeKey(row)}`,
  replay: (db) => [...replaySnoozes(listSnoozeActs(db)).values()],
});

/** Acts are an operator's own, so that there are few. */
function listSnoozeActs(db: Db): SnoozeAct[] {
  return db
    .select({
      rule: sql<string>`coalesce(${flag.rule}, '')`,
      asset: flag.asset,
      source: flag.source,
      subject: flag.subject,
      at: flagRecord.at,
      actor: flagRecord.actor,
      data: flagRecord.data,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(eq(flagRecord.type, "act"))
    .orderBy(asc(flagRecord.id))
    .all();
}
