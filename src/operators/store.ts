import { and, asc, desc, eq, gt, isNull, lte, or, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
import { CLOCK_TOLERANCE_MS } from "../platform/not_ahead.ts";
import type { Operator, Scope } from "./contract.ts";
import { KEPT_LIFE_MS, SESSION_IDLE_MS, SESSION_LIFE_MS, type Session } from "./session.ts";
import { apiToken, operator, operatorSession, setupLink } from "./table.ts";

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

const sessionColumns = {
  digest: operatorSession.digest,
  createdAt: operatorSession.created_at,
  lastSeenAt: operatorSession.last_seen_at,
  confirmedAt: operatorSession.confirmed_at,
  address: operatorSession.address,
  agent: operatorSession.agent,
  kept: sql<boolean>`${operatorSession.kept} = 1`.mapWith(Boolean),
};

const sessionByDigest = prepared((db) =>
  db
    .select({ ...sessionColumns, operatorId: operator.id, name: operator.name, kind: operator.kind })
    .from(operatorSession)
    .innerJoin(operator, eq(operator.id, operatorSession.operator))
    .where(eq(operatorSession.digest, p("digest")))
    .prepare(),
);

/** A session, live or not, with its operator. */
export function findSession(db: Db, digest: string): { session: Session; operator: Operator } | undefined {
  const row = sessionByDigest(db).get({ digest });
  if (row === undefined) return undefined;
  const { operatorId, name, kind, ...session } = row;
  return { session, operator: { id: operatorId, name, kind } };
}

/** What `isLive` says of a session, in SQL. */
const live = (now: number) => {
  const { created_at, last_seen_at, kept } = operatorSession;
  return and(
    lte(last_seen_at, now + CLOCK_TOLERANCE_MS),
    or(
      and(eq(kept, 1), gt(created_at, now - KEPT_LIFE_MS)),
      and(eq(kept, 0), gt(created_at, now - SESSION_LIFE_MS), gt(last_seen_at, now - SESSION_IDLE_MS)),
    ),
  );
};

/** An operator's live sessions, the last used first. The bound is far above what a person has. */
export function listSessions(db: Db, operatorId: string, now: number): Session[] {
  return db
    .select(sessionColumns)
    .from(operatorSession)
    .where(and(eq(operatorSession.operator, operatorId), live(now)))
    .orderBy(desc(operatorSession.last_seen_at), asc(operatorSession.digest))
    .limit(200)
    .all();
}

/** Inserts a session. */
export function insertSession(tx: Tx, operatorId: string, session: Session): void {
  tx.insert(operatorSession)
    .values({
      digest: session.digest,
      operator: operatorId,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      confirmed_at: session.confirmedAt,
      address: session.address,
      agent: session.agent,
      kept: session.kept ? 1 : 0,
    })
    .run();
}

/** Writes down that a session was used. */
export function updateSeen(tx: Tx, digest: string, at: number): void {
  tx.update(operatorSession).set({ last_seen_at: at }).where(eq(operatorSession.digest, digest)).run();
}

/** Writes down that the password was given again. */
export function updateConfirmed(tx: Tx, digest: string, at: number): void {
  tx.update(operatorSession).set({ confirmed_at: at }).where(eq(operatorSession.digest, digest)).run();
}

/** Ends one session; false when it had ended before. */
export function deleteSession(tx: Tx, digest: string): boolean {
  return (
    tx
      .delete(operatorSession)
      .where(eq(operatorSession.digest, digest))
      .returning({ digest: operatorSession.digest })
      .all().length > 0
  );
}

/** Ends an operator's sessions. Returns how many there were. */
export function deleteSessions(tx: Tx, operatorId: string): number {
  return tx
    .delete(operatorSession)
    .where(eq(operatorSession.operator, operatorId))
    .returning({ digest: operatorSession.digest })
    .all().length;
}

/** Ends every session and every set-up link. Returns how many sessions there were. */
export function endEverything(tx: Tx): number {
  tx.delete(setupLink).run();
  return tx.delete(operatorSession).returning({ digest: operatorSession.digest }).all().length;
}

/** Forgets sessions that are over. */
export function deleteOverSessions(tx: Tx, now: number): void {
  tx.delete(operatorSession)
    .where(sql`not (${live(now)})`)
    .run();
}

/** A token as lists show it: never the token itself. */
export interface StoredApiToken {
  /** The key id, which stands in the token's text. */
  readonly id: string;
  readonly digest: string;
  readonly operatorId: string;
  readonly operatorName: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly createdBy: string;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Operator tokens, newest first; revoked ones only when asked. */
export function listApiTokens(db: Db, options: { readonly revoked?: boolean } = {}): StoredApiToken[] {
  return db
    .select({
      id: apiToken.id,
      digest: apiToken.digest,
      operatorId: operator.id,
      operatorName: operator.name,
      scopes: apiToken.scopes,
      createdAt: apiToken.created_at,
      createdBy: apiToken.created_by,
      revokedAt: apiToken.revoked_at,
      lastUsedAt: apiToken.last_used_at,
    })
    .from(apiToken)
    .innerJoin(operator, eq(operator.id, apiToken.operator))
    .where(options.revoked === true ? undefined : isNull(apiToken.revoked_at))
    .orderBy(desc(apiToken.created_at), asc(apiToken.id))
    .all()
    .map((row) => ({ ...row, scopes: row.scopes.split(" ") as Scope[] }));
}

/** Inserts an operator token by its digest. */
export function insertApiToken(
  tx: Tx,
  token: Pick<StoredApiToken, "id" | "digest" | "operatorId" | "scopes" | "createdAt" | "createdBy">,
): void {
  tx.insert(apiToken)
    .values({
      id: token.id,
      operator: token.operatorId,
      digest: token.digest,
      scopes: token.scopes.join(" "),
      created_at: token.createdAt,
      created_by: token.createdBy,
    })
    .run();
}

/** Marks a token as revoked; its digest, or undefined when it is unknown or was revoked before. */
export function markApiTokenRevoked(tx: Tx, id: string, at: number, by: string): string | undefined {
  return tx
    .update(apiToken)
    .set({ revoked_at: at, revoked_by: by })
    .where(and(eq(apiToken.id, id), isNull(apiToken.revoked_at)))
    .returning({ digest: apiToken.digest })
    .all()[0]?.digest;
}

/** Writes down when a token was last used. */
export function updateApiTokenUse(tx: Tx, id: string, at: number): void {
  tx.update(apiToken).set({ last_used_at: at }).where(eq(apiToken.id, id)).run();
}

/** Set-up links that are kept after a newer one was made, so that whoever comes with one is told what it is. */
const MOST_OLD_LINKS = 50;

/** Makes a set-up link the only one that works. */
export function replaceSetupLink(
  tx: Tx,
  link: { digest: string; createdAt: number; expiresAt: number },
): void {
  tx.update(setupLink)
    .set({ expires_at: link.createdAt })
    .where(gt(setupLink.expires_at, link.createdAt))
    .run();
  const oldest = tx
    .select({ digest: setupLink.digest })
    .from(setupLink)
    .orderBy(desc(setupLink.created_at))
    .limit(1_000)
    .offset(MOST_OLD_LINKS)
    .all();
  for (const { digest } of oldest) tx.delete(setupLink).where(eq(setupLink.digest, digest)).run();
  tx.insert(setupLink)
    .values({ digest: link.digest, created_at: link.createdAt, expires_at: link.expiresAt })
    .run();
}

// A link made under a clock that was ahead would work for as long as that clock was.
const usable = (now: number) =>
  and(
    isNull(setupLink.used_at),
    gt(setupLink.expires_at, now),
    lte(setupLink.created_at, now + CLOCK_TOLERANCE_MS),
  );

/** Whether there is a set-up link that can still be used. */
export function hasSetupLink(db: Db, now: number): boolean {
  return db.select({ digest: setupLink.digest }).from(setupLink).where(usable(now)).all().length > 0;
}

/** A set-up link, whether it works or not. */
export function findSetupLink(
  db: Db,
  digest: string,
): { readonly createdAt: number; readonly expiresAt: number; readonly usedAt: number | null } | undefined {
  return db
    .select({
      createdAt: setupLink.created_at,
      expiresAt: setupLink.expires_at,
      usedAt: setupLink.used_at,
    })
    .from(setupLink)
    .where(eq(setupLink.digest, digest))
    .get();
}

/** Uses a set-up link up; false when it is unknown, used or expired. Two at once: the database lets one through. */
export function claimSetupLink(tx: Tx, digest: string, now: number): boolean {
  return (
    tx
      .update(setupLink)
      .set({ used_at: now })
      .where(and(usable(now), eq(setupLink.digest, digest)))
      .returning({ digest: setupLink.digest })
      .all().length > 0
  );
}
