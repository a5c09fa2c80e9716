import { and, asc, desc, eq, gt, lt, sql } from "drizzle-orm";
import { type Db, prepared, rowDigester, type Tx } from "../db/mod.ts";
import type { AuditRow } from "./chain.ts";
import { audit } from "./table.ts";

const p = sql.placeholder;

const insertAudit = prepared((db) =>
  db
    .insert(audit)
    .values({
      id: p("id"),
      at: p("at"),
      actor: p("actor"),
      act: p("act"),
      target: p("target"),
      detail: p("detail"),
      previous_hash: p("previous_hash"),
      hash: p("hash"),
      mac: p("mac"),
      row_digest: p("row_digest"),
    })
    .prepare(),
);

const lastRow = prepared((db) =>
  db
    .select({ id: audit.id, hash: audit.hash, mac: audit.mac })
    .from(audit)
    .orderBy(desc(audit.id))
    .limit(1)
    .prepare(),
);

const digestOf = rowDigester(["at", "actor", "act", "target", "detail", "previous_hash", "hash", "mac"]);

/** Appends a row. */
export function insertRow(tx: Tx, row: AuditRow): void {
  insertAudit(tx).run({ ...row, row_digest: digestOf(row) });
}

/** The newest row's id, hash and code. */
export function findLast(db: Db): { id: number; hash: string; mac: string | null } | undefined {
  return lastRow(db).get();
}

/** At most `limit` rows after `id`, oldest first. */
export function listAfter(db: Db, id: number, limit: number): AuditRow[] {
  return db.select().from(audit).where(gt(audit.id, id)).orderBy(asc(audit.id)).limit(limit).all();
}

/** At most `limit` rows before `id` (from the newest when absent), newest first, of one target when given. */
export function listNewest(
  db: Db,
  page: { readonly before?: number; readonly target?: string; readonly limit: number },
): AuditRow[] {
  return db
    .select()
    .from(audit)
    .where(
      and(
        page.before === undefined ? undefined : lt(audit.id, page.before),
        page.target === undefined ? undefined : eq(audit.target, page.target),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(page.limit)
    .all();
}
