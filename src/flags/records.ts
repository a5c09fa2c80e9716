/** The append-only record of flags: what is written, a flag's history, and what happened since a record. */

import { and, asc, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { type Db, statement, type Tx } from "../store/store.ts";
import { flag, flagRecord, type RuleInputs, type Severity } from "./flags.ts";

const RECORD = { at: flagRecord.at, type: flagRecord.type, actor: flagRecord.actor, data: flagRecord.data };

/** One entry of a flag's history. */
export type FlagRecordRow = Readonly<Pick<typeof flagRecord.$inferSelect, keyof typeof RECORD>>;

/** Spelt as the partial indexes spell them, so that they are used. */
const NO_EVIDENCE = sql`${flagRecord.type} <> 'evidence'`;
const EVIDENCE = sql`${flagRecord.type} = 'evidence'`;

const insertRecord = statement<never, [string, number, string, string, string]>(
  "INSERT INTO flag_record (flag, at, type, actor, data) VALUES (?, ?, ?, ?, ?)",
);

const newestRecord = statement<{ id: number }, []>("SELECT id FROM flag_record ORDER BY id DESC LIMIT 1");

/** Appends one entry to a flag's history; `at` in milliseconds since the epoch. */
export function appendRecord(
  tx: Tx,
  entry: { flag: string; at: number; type: FlagRecordRow["type"]; actor: string; data: unknown },
): void {
  insertRecord(tx).run(entry.flag, entry.at, entry.type, entry.actor, JSON.stringify(entry.data));
}

/** Id of the newest record of any flag; 0 when there is none. */
export function lastRecordId(db: Db): number {
  return newestRecord(db).first()?.id ?? 0;
}

const newest = (db: Db, where: SQL | undefined, limit: number) =>
  db
    .select({ id: flagRecord.id, ...RECORD })
    .from(flagRecord)
    .where(where)
    .orderBy(desc(flagRecord.id))
    .limit(limit)
    .all();

const withoutId = ({ id: _, ...record }: { readonly id: number } & FlagRecordRow): FlagRecordRow => record;

/** Who last acted on a flag, resolved or raised it. */
export function findLastActor(db: Db, id: string): string | undefined {
  return newest(db, and(eq(flagRecord.flag, id), NO_EVIDENCE), 1)[0]?.actor;
}

/** The acts on several flags, their raising and resolving, newest first, at most `limit`. */
export function listActs(db: Db, ids: readonly string[], limit: number): FlagRecordRow[] {
  return newest(db, and(inArray(flagRecord.flag, [...ids]), NO_EVIDENCE), limit).map(withoutId);
}

/** A flag's history, in parts that are each bounded. */
export interface FlagHistory {
  /** Raising, acts and resolving, newest first. */
  readonly acts: readonly FlagRecordRow[];
  /** Each run's own reading, newest first. */
  readonly evidence: readonly FlagRecordRow[];
  /** Both, oldest first. */
  readonly record: readonly FlagRecordRow[];
  /** Entries left out of both parts, the older ones. */
  readonly more: number;
  /** Evidence entries in all. */
  readonly runs: number;
}

/** The newest `limit` acts and the newest `limit` runs of a flag: each part has an index of its own. */
export function readHistory(db: Db, id: string, limit: number): FlagHistory {
  const ofFlag = eq(flagRecord.flag, id);
  const count = (condition: SQL) =>
    db.select({ count: sql<number>`count(*)` }).from(flagRecord).where(and(ofFlag, condition)).get()?.count ??
    0;
  const acts = newest(db, and(ofFlag, NO_EVIDENCE), limit);
  const evidence = newest(db, and(ofFlag, EVIDENCE), limit);
  const runs = count(EVIDENCE);
  return {
    acts: acts.map(withoutId),
    evidence: evidence.map(withoutId),
    record: [...acts, ...evidence].sort((a, b) => a.id - b.id).map(withoutId),
    more: count(NO_EVIDENCE) + runs - acts.length - evidence.length,
    runs,
  };
}

/** A flag that was raised, raised again by a later reading, or resolved. */
export interface FlagEvent {
  readonly type: "raised" | "renewed" | "resolved";
  readonly asset: string;
  readonly rule: string | null;
  readonly severity: string;
  readonly message: string;
}

/**
 * What happened to flags after a record, oldest first, at most `limit`. A renewal of a lasting thing is one event: that its earlier
 * row was resolved for it is none of its own.
 */
export function listFlagEvents(db: Db, after: number, limit: number): FlagEvent[] {
  const { type } = flagRecord;
  return db
    .select({
      type: sql<
        FlagEvent["type"]
      >`CASE WHEN ${type} = 'raised' AND ${flag.renews} IS NOT NULL THEN 'renewed' ELSE ${type} END`,
      asset: flag.asset,
      rule: flag.rule,
      severity: flag.severity,
      message: flag.message,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(
      and(
        gt(flagRecord.id, after),
        sql`(${type} = 'raised' OR ${type} = 'resolved' AND ${flag.resolution} <> 'renewed')`,
      ),
    )
    .orderBy(asc(flagRecord.id))
    .limit(limit)
    .all();
}

/** A flag that was raised or resolved, by the number of that record. */
export interface FlagStep {
  readonly record: number;
  readonly type: "raised" | "resolved";
  readonly flag: string;
  /** The severity of the flag that it renews; null where it renews none. */
  readonly severityBefore: Severity | null;
}

// In the order of the primary key: the records between two numbers are walked, whatever they are.
const steps = statement<FlagStep, [number, number]>(`
  SELECT r.id AS record, r.type, r.flag, b.severity AS severityBefore FROM flag_record AS r
  JOIN flag AS f ON f.id = r.flag LEFT JOIN flag AS b ON b.id = f.renews
  WHERE r.id > ? AND r.id <= ? AND r.type IN ('raised', 'resolved') ORDER BY r.id`);

/** The flags that were raised or resolved after one record and up to another, in order. */
export function listFlagSteps(db: Db, after: number, to: number): FlagStep[] {
  return steps(db).all(after, to);
}

/**
 * What of a rule's inputs changed, by name, within objects too: a list of 50 URLs that lasts for a year is written once. Undefined
 * where a name went or its order changed, and they have to be written whole.
 */
export function inputChange(before: string | null, after: string): RuleInputs | undefined {
  if (before === null) return undefined;
  const known = JSON.parse(before) as RuleInputs;
  const change = differenceOf(known, JSON.parse(after) as RuleInputs);
  return JSON.stringify(changedInputs(known, change)) === after ? change : undefined;
}

/** The inputs with a change made. */
export function changedInputs(before: RuleInputs, change: RuleInputs): RuleInputs {
  const changed = Object.entries(change).map(([name, value]): [string, unknown] => {
    const was = before[name];
    return [name, isInputs(value) && isInputs(was) ? changedInputs(was, value) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

function differenceOf(before: RuleInputs, after: RuleInputs): RuleInputs {
  const changed = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = before[name];
    if (JSON.stringify(value) === JSON.stringify(was)) return [];
    return [[name, isInputs(value) && isInputs(was) ? differenceOf(was, value) : value]];
  });
  return Object.fromEntries(changed);
}

const isInputs = (value: unknown): value is RuleInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);
