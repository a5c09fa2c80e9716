/** Queries on the append-only record of flags. */

import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { formatInstant } from "../base/time.ts";
import { type Db, statement, type Tx } from "../store/db_open.ts";
import { type FlagRecordRow, flagRecord, type RuleInputs } from "./input_change.ts";

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
