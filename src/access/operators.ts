/**
 * People and services that operate the Tower. A service operator has no password and cannot sign in; a person without one
 * signs in through the trusted header only.
 */

import { asc, eq, sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { codePoints } from "../base/contract.ts";
import type { Db, Tx } from "../store/store.ts";
import type { By, OperatorDeps, Scope } from "./access.ts";
import { auditAct } from "./audit.ts";
import { passwordFault } from "./passwords.ts";
import { issuedColumns } from "./tokens.ts";

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
    ...issuedColumns,
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

/** What an operator API token may be used for. */
export const SCOPES = ["annotations", "ledger", "health:read", "read"] as const satisfies readonly Scope[];

/** Someone, or something, that operates the Tower. */
export interface Operator {
  readonly id: string;
  readonly name: string;
  /** A person signs in; a service only holds tokens. */
  readonly kind: "person" | "service";
}

/** Letters, digits and what stands in user names and addresses; no comma, so two joined headers are no name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]*$/u;

const LONGEST_NAME = 64;

/** The name a text stands for, in NFC, so that two that look alike but differ in Unicode form cannot both exist; `undefined` when it is none. */
export function operatorNameOf(text: string): string | undefined {
  const name = text.normalize("NFC");
  const isName = NAME.test(name) && !name.endsWith(" ") && codePoints(name) <= LONGEST_NAME;
  return isName ? name : undefined;
}

/** Reads scopes from words, each once, in the order of `SCOPES`; `undefined` when one is unknown or there is none. */
export function scopesOf(words: readonly string[]): readonly Scope[] | undefined {
  const scopes = SCOPES.filter((scope) => words.includes(scope));
  return scopes.length > 0 && words.every((word) => scopes.some((scope) => scope === word))
    ? scopes
    : undefined;
}

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

/** An operator by name. */
export function findOperator(db: Db, name: string): StoredOperator | undefined {
  return db.select(operatorColumns).from(operator).where(eq(operator.name, name)).get();
}

/** Whether someone can sign in: the set-up link is for installations where nobody can. */
export function hasPerson(db: Db): boolean {
  return (
    db.select({ id: operator.id }).from(operator).where(eq(operator.kind, "person")).limit(1).all().length > 0
  );
}

export type ListedOperator = ReturnType<typeof listOperators>[number];

/** Every operator, by name, as lists show them. `addedAt` is in milliseconds since the epoch. */
export function listOperators(db: Db) {
  const { name, kind, password_hash, created_at: addedAt } = operator;
  const hasPassword = sql<boolean>`${password_hash} IS NOT NULL`.mapWith(Boolean);
  return db.select({ name, kind, hasPassword, addedAt }).from(operator).orderBy(asc(name)).all();
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

/** The sentence for a name that is none. */
export const NAME_FAULT =
  "A name starts with a letter or digit and holds letters, digits, spaces and . _ @ + ' - only, at most 64.";

/** Adds a person who signs in with a password; or a sentence says why not, and which field is meant. */
export async function addOperator(
  deps: OperatorDeps,
  asked: { readonly name: string; readonly password: string },
  by: By,
) {
  const judged = await judgeNew(asked);
  if (!judged.ok) return judged;
  const hash = await deps.passwords.hash(asked.password);
  const operator = personOf(deps, judged.name, hash);
  return deps.writer.write((tx) => {
    const reason = `There is an operator named ${operator.name} already.`;
    if (findOperator(tx, operator.name) !== undefined) return { ok: false, field: "name", reason } as const;
    recordOperator(tx, operator, by);
    return { ok: true, operator: publicOf(operator) } as const;
  });
}

/** Judges the name and the password of a new operator, before anything costly is done. */
export async function judgeNew(asked: { readonly name: string; readonly password: string }) {
  const name = operatorNameOf(asked.name);
  if (name === undefined) return { ok: false, field: "name", reason: NAME_FAULT } as const;
  const reason = await passwordFault(asked.password, name);
  return reason === undefined
    ? ({ ok: true, name } as const)
    : ({ ok: false, field: "password", reason } as const);
}

/** A new person, to be inserted. */
export function personOf(
  deps: Pick<OperatorDeps, "ids">,
  name: string,
  passwordHash: string | null,
): StoredOperator {
  return { id: deps.ids.uuid(), name, kind: "person", passwordHash };
}

/** Inserts an operator, whose name is new, and its audit row. */
export function recordOperator(tx: Tx, { id, name, kind, passwordHash }: StoredOperator, by: By): void {
  const password_changed_at = passwordHash === null ? null : by.now;
  tx.insert(operator)
    .values({ id, name, kind, password_hash: passwordHash, created_at: by.now, password_changed_at })
    .run();
  auditAct(tx, by, "operator.add", name, { kind, signs_in: passwordHash !== null });
}

/** An operator without its hash. */
export function publicOf({ id, name, kind }: StoredOperator): Operator {
  return { id, name, kind };
}
