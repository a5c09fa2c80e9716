/** Queries on the append-only record of flags. */

import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { formatInstant } from "../base/time.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { type FlagRecordRow, flag, flagRecord, type RuleInputs, type Severity } from "./flags.ts";

const TIMES = new Set(["resolved_at", "acked_at", "snoozed_until", "tuned_at", "since"]);

/** A stored entry of a flag's history as the service answers it: times as text, inputs as an object. */
function toRecordRow(row: typeof flagRecord.$inferSelect): FlagRecordRow {
  const data = JSON.parse(row.data) as RuleInputs;
  const set = data["set"] as RuleInputs | undefined;
  return {
    at: formatInstant(row.at),
    type: row.type,
    actor: row.actor,
    data: set === undefined ? readable(data) : { ...readable(data), set: readable(set) },
  };
}

function readable(columns: RuleInputs): RuleInputs {
  return Object.fromEntries(
    Object.entries(columns).map(([name, value]) => {
      if (TIMES.has(name) && typeof value === "number") return [name, formatInstant(value)];
      if (name === "rule_inputs" && typeof value === "string") return [name, JSON.parse(value)];
      return [name, value];
    }),
  );
}

/** Spelt as the partial indexes spell them, so that they are used. */
const NO_EVIDENCE = sql`${flagRecord.type} <> 'evidence'`;
const EVIDENCE = sql`${flagRecord.type} = 'evidence'`;

const insertRecord = statement<never, [string, number, string, string, string]>(
  "INSERT INTO flag_record (flag, at, type, actor, data) VALUES (?, ?, ?, ?, ?)",
);

const newestRecord = statement<{ id: number }, []>("SELECT id FROM flag_record ORDER BY id DESC LIMIT 1");

/** Appends one entry to a flag's history. */
export function appendRecord(
  tx: Tx,
  entry: { flag: string; at: number; type: FlagRecordRow["type"]; actor: string; data: unknown },
): void {
  const row = { ...entry, data: JSON.stringify(entry.data) };
  insertRecord(tx).run(row.flag, row.at, row.type, row.actor, row.data);
}

/** Id of the newest record of any flag; 0 when there is none. */
export function lastRecordId(db: Db): number {
  return newestRecord(db).first()?.id ?? 0;
}

/** Who last acted on a flag, resolved or raised it. */
export function findLastActor(db: Db, id: string): string | undefined {
  return db
    .select({ actor: flagRecord.actor })
    .from(flagRecord)
    .where(and(eq(flagRecord.flag, id), NO_EVIDENCE))
    .orderBy(desc(flagRecord.id))
    .limit(1)
    .get()?.actor;
}

// Each part has its index; the two are merged by their ids, and read no further than is asked.
const recordsOf = statement<typeof flagRecord.$inferSelect, [string, string, number]>(
  `SELECT id, flag, at, type, actor, data FROM flag_record WHERE flag = ? AND type <> 'evidence'
   UNION ALL
   SELECT id, flag, at, type, actor, data FROM flag_record WHERE flag = ? AND type = 'evidence'
   ORDER BY id LIMIT ?`,
);

/** A flag's history, oldest first, at most `limit` entries. */
export function listRecords(db: Db, id: string, limit: number): FlagRecordRow[] {
  return recordsOf(db).all(id, id, limit).map(toRecordRow);
}

/** The acts on several flags, their raising and resolving, newest first, at most `limit`. */
export function listActs(db: Db, ids: readonly string[], limit: number): FlagRecordRow[] {
  return db
    .select()
    .from(flagRecord)
    .where(and(inArray(flagRecord.flag, [...ids]), NO_EVIDENCE))
    .orderBy(desc(flagRecord.id))
    .limit(limit)
    .all()
    .map(toRecordRow);
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

/** The newest `limit` acts and the newest `limit` runs of a flag. */
export function readHistory(db: Db, id: string, limit: number): FlagHistory {
  const newest = (isEvidence: boolean) =>
    db
      .select()
      .from(flagRecord)
      .where(and(eq(flagRecord.flag, id), isEvidence ? EVIDENCE : NO_EVIDENCE))
      .orderBy(desc(flagRecord.id))
      .limit(limit)
      .all();
  const count = (condition: typeof NO_EVIDENCE) =>
    db
      .select({ count: sql<number>`count(*)` })
      .from(flagRecord)
      .where(and(eq(flagRecord.flag, id), condition))
      .get()?.count ?? 0;
  const acts = newest(false);
  const evidence = newest(true);
  const runs = count(EVIDENCE);
  return {
    acts: acts.map(toRecordRow),
    evidence: evidence.map(toRecordRow),
    record: [...acts, ...evidence].sort((a, b) => a.id - b.id).map(toRecordRow),
    more: count(NO_EVIDENCE) + runs - acts.length - evidence.length,
    runs,
  };
}

/** What happened to flags since a moment, for telling a person. */

/** A flag that was raised, told anew by a later one, or resolved. */
export interface FlagEvent {
  readonly type: "raised" | "renewed" | "resolved";
  readonly asset: string;
  readonly rule: string | null;
  readonly severity: string;
  readonly message: string;
}

/**
 * What happened to flags after a record, oldest first, at most `limit`. A lasting thing that is told anew is one event: that its
 * earlier row was resolved for it is none of its own.
 */
export function listFlagEvents(db: Db, after: number, limit: number): FlagEvent[] {
  return db
    .select({
      type: sql<
        FlagEvent["type"]
      >`CASE WHEN ${flagRecord.type} = 'raised' AND ${flag.renews} IS NOT NULL THEN 'renewed' ELSE ${flagRecord.type} END`,
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
        sql`(${flagRecord.type} = 'raised' OR ${flagRecord.type} = 'resolved' AND ${flag.resolution} <> 'renewed')`,
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
