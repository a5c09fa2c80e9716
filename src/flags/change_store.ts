/** What happened to flags since a moment, for telling a person. */

import { and, asc, eq, gt, sql } from "drizzle-orm";
import { type Db, statement } from "../store/db_open.ts";
import { flag, flagRecord, type Severity } from "./input_change.ts";

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
