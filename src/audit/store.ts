import { and, asc, desc, eq, gt, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
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

/** Appends a row. */
export function insertRow(tx: Tx, row: AuditRow): void {
  insertAudit(tx).run({ ...row });
}

/** The newest row's id, hash and code. */
export function findLast(db: Db): { id: number; hash: string; mac: string | null } | undefined {
  return lastRow(db).get();
}

/** At most `limit` rows after `id`, oldest first. */
export function listAfter(db: Db, id: number, limit: number): AuditRow[] {
  return db.select().from(audit).where(gt(audit.id, id)).orderBy(asc(audit.id)).limit(limit).all();
}

/** Every row of these acts, oldest first. */
export function listActs(db: Db, acts: readonly string[]): Pick<AuditRow, "act" | "target" | "detail">[] {
  return db
    .select({ act: audit.act, target: audit.target, detail: audit.detail })
    .from(audit)
    .where(inArray(audit.act, [...acts]))
    .orderBy(asc(audit.id))
    .all();
}

/** Which rows are asked for; what is null or absent narrows nothing. */
export interface AuditFilter {
  /** Who did it; an operator by the bare name too. */
  readonly actor?: string | null;
  readonly act?: string | null;
  readonly target?: string | null;
  /** Instants in milliseconds since the epoch, the second one excluded. */
  readonly from?: number | null;
  readonly until?: number | null;
}

/** At most `limit` rows before an id (from the newest when absent), newest first. */
export function listNewest(
  db: Db,
  { before, limit, ...filter }: AuditFilter & { readonly before?: number | null; readonly limit: number },
): AuditRow[] {
  const given = <Value>(value: Value | null | undefined, narrow: (value: Value) => SQL) =>
    value === null || value === undefined ? undefined : narrow(value);
  return db
    .select()
    .from(audit)
    .where(
      and(
        given(before, (id) => lt(audit.id, id)),
        given(filter.actor, (actor) => inArray(audit.actor, [actor, `operator:${actor}`])),
        given(filter.act, (act) => eq(audit.act, act)),
        given(filter.target, (target) => eq(audit.target, target)),
        given(filter.from, (from) => gte(audit.at, from)),
        given(filter.until, (until) => lt(audit.at, until)),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit)
    .all();
}
