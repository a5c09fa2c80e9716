/**
 * People and services that operate the Tower. A service operator has no password and cannot sign in; a person without one
 * signs in through the trusted header only.
 */

import { and, asc, eq, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as v from "valibot";
import { rule, ruleMessage, text as textOfContract } from "../base/contract.ts";
import { type Db, prepared, type Tx } from "../store/store.ts";
import type { Scope } from "./access.ts";

export const operator = sqliteTable(
  "operator",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull().unique(),
    kind: text("kind", { enum: ["person", "service"] }).notNull(),
    password_hash: text("password_hash"),
    created_at: integer("created_at").notNull(),
    password_changed_at: integer("password_changed_at"),
  },
  (t) => [
    check("operator_kind", sql`${t.kind} IN ('person', 'service')`),
    check("operator_service_has_no_password", sql`${t.kind} <> 'service' OR ${t.password_hash} IS NULL`),
  ],
);

/** Signed-in sessions: only the SHA-256 digest of the cookie's token is kept. */
export const operatorSession = sqliteTable(
  "operator_session",
  {
    digest: text("digest").primaryKey(),
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    created_at: integer("created_at").notNull(),
    last_seen_at: integer("last_seen_at").notNull(),
    confirmed_at: integer("confirmed_at").notNull(),
    address: text("address").notNull(),
    agent: text("agent").notNull(),
    /** 1 where the operator asked to stay signed in. */
    kept: integer("kept").notNull().default(0),
  },
  (t) => [index("operator_session_operator").on(t.operator)],
);

/** Browsers that an operator signed in with: only the SHA-256 digest of the secret that each keeps. */
export const operatorDevice = sqliteTable(
  "operator_device",
  {
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    digest: text("digest").notNull(),
    created_at: integer("created_at").notNull(),
    last_seen_at: integer("last_seen_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.operator, t.digest] })],
);

/** Operator API tokens for CI: hashed, named after their operator, scoped. */
export const apiToken = sqliteTable(
  "api_token",
  {
    id: text("id").primaryKey(),
    operator: text("operator")
      .notNull()
      .references(() => operator.id),
    digest: text("digest").notNull().unique(),
    scopes: text("scopes").notNull(),
    created_at: integer("created_at").notNull(),
    created_by: text("created_by").notNull(),
    revoked_at: integer("revoked_at"),
    revoked_by: text("revoked_by"),
    last_used_at: integer("last_used_at"),
  },
  (t) => [index("api_token_operator").on(t.operator)],
);

/** The one-time set-up link, by digest. */
export const setupLink = sqliteTable("setup_link", {
  digest: text("digest").primaryKey(),
  created_at: integer("created_at").notNull(),
  expires_at: integer("expires_at").notNull(),
  used_at: integer("used_at"),
});

/** Failed sign-ins per key (`pair:…`, `address:…`, `account:…`, `device:…`, `global`); kept here so that a restart does not reset them. */
export const signInThrottle = sqliteTable("sign_in_throttle", {
  key: text("key").primaryKey(),
  failures: integer("failures").notNull(),
  window_started_at: integer("window_started_at").notNull(),
  blocked_until: integer("blocked_until").notNull(),
});

/** When an operator looked at the portfolio: what is new is what happened since the visit before the one under way. */
export const operatorLook = sqliteTable("operator_look", {
  /** The name: one that a proxy tells has no row of its own. */
  operator: text("operator").primaryKey(),
  /** The end of the visit before; null on the first. */
  looked_before: integer("looked_before"),
  last_look_at: integer("last_look_at").notNull(),
});

/** What an operator API token may be used for. */

export const SCOPES = ["annotations", "ledger", "health:read", "read"] as const satisfies readonly Scope[];

/** A person signs in; a service only holds tokens. */
type OperatorKind = "person" | "service";

/** Someone, or something, that operates the Tower. */
export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly kind: OperatorKind;
}

/** Letters, digits and what stands in user names and addresses; no comma, so two joined headers are no name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]*$/u;

function isOperatorName(name: string): boolean {
  return NAME.test(name) && !name.endsWith(" ") && name.normalize("NFC") === name;
}

/** An operator's name. Two names that look alike but differ in Unicode form cannot both exist: only NFC is accepted. */
const OperatorNameSchema = v.pipe(
  textOfContract(64),
  rule<string>(
    "operator-name",
    isOperatorName,
    "must start with a letter or digit and hold letters, digits, spaces and . _ @ + ' - only",
  ),
);

/** The name a text stands for, in NFC; `undefined` when it is none. */
export function operatorNameOf(text: string): string | undefined {
  const name = v.safeParse(OperatorNameSchema, text.isWellFormed() ? text.normalize("NFC") : text);
  return name.success ? name.output : undefined;
}

/** A token's scopes: at least one, each once, in the order of `SCOPES`. */
const ScopesSchema = v.pipe(
  v.array(v.picklist(SCOPES, ruleMessage("scope", `must be one of ${SCOPES.join(", ")}`))),
  rule<Scope[]>("min-items", (scopes) => scopes.length > 0, "must hold at least one scope"),
  v.transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
);

/** Reads scopes from words; `undefined` when one is unknown or there is none. */
export function scopesOf(words: readonly string[]): readonly Scope[] | undefined {
  const scopes = v.safeParse(ScopesSchema, words);
  return scopes.success ? scopes.output : undefined;
}

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
