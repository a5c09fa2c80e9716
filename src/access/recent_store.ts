/** Acts that are looked through, from the newest: what lies behind them is not told, however long the audit is. */

import { type Db, statement } from "../store/db_open.ts";
import type { AuditRow } from "./audit_verify.ts";

const LOOKED_THROUGH = 5_000;

const recent = statement<Pick<AuditRow, "at" | "act" | "target" | "detail">, [string, number]>(
  `SELECT at, act, target, detail FROM audit
   WHERE id > (SELECT max(id) FROM audit) - ${LOOKED_THROUGH} AND act >= ?1 AND act < ?1 || char(65535) AND at > ?2
   ORDER BY id DESC`,
);

/** The newest acts whose name begins so, after a moment (milliseconds since the epoch), newest first. */
export function listRecentActs(
  db: Db,
  { prefix, from }: { readonly prefix: string; readonly from: number },
): Pick<AuditRow, "at" | "act" | "target" | "detail">[] {
  return recent(db).all(prefix, from);
}
