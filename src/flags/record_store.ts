/** Queries on the append-only record of flags. */
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import { type Db, statement, type Tx } from "../db/mod.ts";
import type { FlagRecordRow } from "./contract.ts";
import { toRecordRow } from "./record.ts";
import { flagRecord } from "./table.ts";

/** Spelt as the partial index spells it, so that it is used. */
const NO_EVIDENCE = sql`${flagRecord.type} <> 'evidence'`;

const insertRecord = statement<never, [string, number, string, string, string]>(
  "INSERT INTO flag_record (flag, at, type, actor, data) VALUES (?, ?, ?, ?, ?)",
);

/** Appends one entry to a flag's history. */
export function appendRecord(
  tx: Tx,
  entry: { flag: string; at: number; type: FlagRecordRow["type"]; actor: string; data: unknown },
): void {
  insertRecord(tx).run(entry.flag, entry.at, entry.type, entry.actor, JSON.stringify(entry.data));
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

/** A flag's history, oldest first, at most `limit` entries. */
export function listRecords(db: Db, id: string, limit: number): FlagRecordRow[] {
  return db
    .select()
    .from(flagRecord)
    .where(eq(flagRecord.flag, id))
    .orderBy(asc(flagRecord.id))
    .limit(limit)
    .all()
    .map(toRecordRow);
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
      .where(and(eq(flagRecord.flag, id), isEvidence ? eq(flagRecord.type, "evidence") : NO_EVIDENCE))
      .orderBy(desc(flagRecord.id))
      .limit(limit)
      .all();
  const count = (condition?: typeof NO_EVIDENCE) =>
    db
      .select({ count: sql<number>`count(*)` })
      .from(flagRecord)
      .where(and(eq(flagRecord.flag, id), condition))
      .get()?.count ?? 0;
  const acts = newest(false);
  const evidence = newest(true);
  const all = count();
  return {
    acts: acts.map(toRecordRow),
    evidence: evidence.map(toRecordRow),
    record: [...acts, ...evidence].sort((a, b) => a.id - b.id).map(toRecordRow),
    more: all - acts.length - evidence.length,
    runs: all - count(NO_EVIDENCE),
  };
}
