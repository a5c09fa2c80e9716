/** What happened to flags since a moment, for telling a person. */
import { and, asc, desc, eq, gt, inArray } from "drizzle-orm";
import type { Db } from "../db/mod.ts";
import { flag, flagRecord } from "./table.ts";

/** A flag that was raised or resolved. */
export interface FlagEvent {
  readonly type: "raised" | "resolved";
  readonly asset: string;
  readonly rule: string | null;
  readonly severity: string;
  readonly message: string;
}

/** Id of the newest record of any flag; 0 when there is none. */
export function lastRecordId(db: Db): number {
  const row = db.select({ id: flagRecord.id }).from(flagRecord).orderBy(desc(flagRecord.id)).limit(1).get();
  return row?.id ?? 0;
}

/** Flags raised and resolved after a record, oldest first, at most `limit`. */
export function listFlagEvents(db: Db, after: number, limit: number): FlagEvent[] {
  return db
    .select({
      type: flagRecord.type,
      asset: flag.asset,
      rule: flag.rule,
      severity: flag.severity,
      message: flag.message,
    })
    .from(flagRecord)
    .innerJoin(flag, eq(flag.id, flagRecord.flag))
    .where(and(gt(flagRecord.id, after), inArray(flagRecord.type, ["raised", "resolved"])))
    .orderBy(asc(flagRecord.id))
    .limit(limit)
    .all()
    .flatMap((row) => (row.type === "raised" || row.type === "resolved" ? [{ ...row, type: row.type }] : []));
}
