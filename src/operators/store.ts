import { and, asc, eq, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
import type { Operator } from "./contract.ts";
import { apiToken, operator } from "./table.ts";

const p = sql.placeholder;

/** An operator with what signing in needs. */
export interface StoredOperator extends Operator {
  readonly passwordHash: string | null;
}

const operatorColumns = {
  id: operator.id,
  name: operator.name,
  kind: operator.kind,
  passwordHash: operator.password_hash,
};

const byName = prepared((db) =>
  db
    .select(operatorColumns)
    .from(operator)
    .where(eq(operator.name, p("name")))
    .prepare(),
);

const anyPerson = prepared((db) =>
  db.select({ id: operator.id }).from(operator).where(eq(operator.kind, "person")).limit(1).prepare(),
);

/** An operator by name. */
export function findOperator(db: Db, name: string): StoredOperator | undefined {
  return byName(db).get({ name });
}

/** Whether someone can sign in: the set-up link is for installations where nobody can. */
export function hasPerson(db: Db): boolean {
  return anyPerson(db).get() !== undefined;
}

/** An operator as lists show them. */
export interface ListedOperator {
  readonly name: string;
  readonly kind: Operator["kind"];
  readonly hasPassword: boolean;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
}

/** Every operator, by name. */
export function listOperators(db: Db): ListedOperator[] {
  return db
    .select({
      name: operator.name,
      kind: operator.kind,
      hash: operator.password_hash,
      addedAt: operator.created_at,
    })
    .from(operator)
    .orderBy(asc(operator.name))
    .all()
    .map(({ name, kind, hash, addedAt }) => ({ name, kind, hasPassword: hash !== null, addedAt }));
}

/** Inserts an operator; the caller has made sure that the name is new. */
export function insertOperator(tx: Tx, added: StoredOperator, at: number): void {
  tx.insert(operator)
    .values({
      id: added.id,
      name: added.name,
      kind: added.kind,
      password_hash: added.passwordHash,
      created_at: at,
      password_changed_at: added.passwordHash === null ? null : at,
    })
    .run();
}

/** Takes an operator out with their tokens; the caller has ended everything else that lets them in. */
export function deleteOperator(tx: Tx, id: string): void {
  tx.delete(apiToken).where(eq(apiToken.operator, id)).run();
  tx.delete(operator).where(eq(operator.id, id)).run();
}

/** Sets an operator's password. */
export function updatePassword(tx: Tx, id: string, hash: string, at: number): void {
  tx.update(operator).set({ password_hash: hash, password_changed_at: at }).where(eq(operator.id, id)).run();
}

/** Replaces a hash by one of the same password at today's cost. */
export function updateHash(tx: Tx, id: string, before: string, hash: string): void {
  tx.update(operator)
    .set({ password_hash: hash })
    .where(and(eq(operator.id, id), eq(operator.password_hash, before)))
    .run();
}
