import { and, asc, desc, eq, gt, lte, or, sql } from "drizzle-orm";
import { type Db, prepared, type Tx } from "../db/mod.ts";
import { CLOCK_TOLERANCE_MS } from "../platform/not_ahead.ts";
import type { Operator } from "./contract.ts";
import { KEPT_LIFE_MS, SESSION_IDLE_MS, SESSION_LIFE_MS, type Session } from "./session.ts";
import { operator, operatorSession, setupLink } from "./table.ts";

const p = sql.placeholder;

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
