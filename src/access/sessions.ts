/** Sessions of signed-in browsers: when one ends (pure rules over its times, in milliseconds since the epoch), and how they are stored. */

import { and, asc, desc, eq, gt, lte, ne, notInArray, or, sql } from "drizzle-orm";
import { type Ids, randomToken } from "../base/base.ts";
import { sha256Hex } from "../base/keys.ts";
import { CLOCK_TOLERANCE_MS, isAhead } from "../base/time.ts";
import { type Db, prepared, type Tx } from "../store/store.ts";
import type { By, Caller, OperatorDeps } from "./access.ts";
import { auditAct } from "./audit.ts";
import { type Operator, operator, operatorDevice, operatorSession, setupLink } from "./operators.ts";

/** A signed-in browser. */
export type Session = Readonly<ReturnType<typeof listSessions>[number]>;

/** Without a request for so long a session ends, unless it is kept. */
const SESSION_IDLE_MS = 30 * 60_000;
/** A session ends so long after signing in, used or not … */
const SESSION_LIFE_MS = 12 * 60 * 60_000;
/** … and one that is kept, so long. It alone hands out nothing: that asks for the password again. */
export const KEPT_LIFE_MS = 30 * 86_400_000;
/** How long a given password counts for the acts that ask for it. */
const CONFIRMED_MS = 30 * 60_000;
/** How often the last use is written down. The idle time may so end up to a minute early, never late. */
const SEEN_EVERY_MS = 60_000;

/** Whether a session still holds at `now`. One from a clock that was ahead would hold for as long as that clock was. */
export function isLive(session: Pick<Session, "createdAt" | "lastSeenAt" | "kept">, now: number): boolean {
  const isIdle = !session.kept && now - session.lastSeenAt >= SESSION_IDLE_MS;
  return !isIdle && now < endOf(session) && !isAhead(session.lastSeenAt, now);
}

/** When a session ends at the latest. */
export function endOf({ createdAt, kept }: Pick<Session, "createdAt" | "kept">): number {
  return createdAt + (kept ? KEPT_LIFE_MS : SESSION_LIFE_MS);
}

/** Whether the password was given lately. A time ahead of now is that of a clock that was set back since, and counts for nothing. */
export function isConfirmed(session: Pick<Session, "confirmedAt">, now: number): boolean {
  const age = now - session.confirmedAt;
  return age >= 0 && age < CONFIRMED_MS;
}

/** Whether its last use is to be written down. */
export function isDueForSeen(session: Pick<Session, "lastSeenAt">, now: number): boolean {
  return now - session.lastSeenAt >= SEEN_EVERY_MS;
}

/** What lists and forms call a session: the start of its digest, which opens nothing. */
export function sessionId(digest: string): string {
  return digest.slice(0, 16);
}

const p = sql.placeholder;

const sessionColumns = {
  /** SHA-256 of the cookie's token. */
  digest: operatorSession.digest,
  createdAt: operatorSession.created_at,
  lastSeenAt: operatorSession.last_seen_at,
  /** Last time the password was given. */
  confirmedAt: operatorSession.confirmed_at,
  address: operatorSession.address,
  agent: operatorSession.agent,
  /** Whether the operator asked to stay signed in. */
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
export function listSessions(db: Db, operatorId: string, now: number) {
  return db
    .select(sessionColumns)
    .from(operatorSession)
    .where(and(eq(operatorSession.operator, operatorId), live(now)))
    .orderBy(desc(operatorSession.last_seen_at), asc(operatorSession.digest))
    .limit(200)
    .all();
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

/** Ends one of an operator's own sessions, named by its id. False when there is none: it ended before, or is another's. */
export function endSession(
  deps: Pick<OperatorDeps, "writer">,
  operator: Operator,
  id: string,
  by: By,
): Promise<boolean> {
  return deps.writer.write((tx): boolean => {
    const own = listSessions(tx, operator.id, by.now).find((session) => sessionId(session.digest) === id);
    if (own === undefined || !deleteSession(tx, own.digest)) return false;
    auditAct(tx, by, "session.end", operator.name, { session: id });
    return true;
  });
}

/** Ends all of an operator's sessions, wherever they are. Returns how many there were. */
export function endSessions(
  deps: Pick<OperatorDeps, "writer">,
  operator: Pick<Operator, "id" | "name">,
  by: By,
): Promise<number> {
  return deps.writer.write((tx): number => {
    const ended = deleteSessions(tx, operator.id);
    const detail = { ended_sessions: ended };
    auditAct(tx, by, "session.end-all", operator.name, detail);
    return ended;
  });
}

// Browsers that an operator signed in with before. Each holds a secret of its own, so that strangers' wrong guesses at
// the account do not make it wait. The secret opens nothing: it changes only how wrong guesses are counted.

const ofDevice = (operatorId: string, digest: string) =>
  and(eq(operatorDevice.operator, operatorId), eq(operatorDevice.digest, digest));

/** Whether an operator signed in with this browser before. */
export function isKnownDevice(db: Db, operatorId: string, digest: string): boolean {
  const known = db.select({ at: operatorDevice.created_at }).from(operatorDevice);
  return known.where(ofDevice(operatorId, digest)).get() !== undefined;
}

/** Forgets an operator's browsers, all but the `most` that were used last. */
function keepNewestDevices(tx: Tx, operatorId: string, most: number): void {
  const { operator: of, digest, last_seen_at, created_at } = operatorDevice;
  const newest = tx
    .select({ digest })
    .from(operatorDevice)
    .where(eq(of, operatorId))
    .orderBy(desc(last_seen_at), desc(created_at))
    .limit(most);
  tx.delete(operatorDevice)
    .where(and(eq(of, operatorId), notInArray(digest, newest)))
    .run();
}

/** Forgets an operator's browsers, all but `kept`. */
export function deleteDevices(tx: Tx, operatorId: string, kept?: string): void {
  const own = eq(operatorDevice.operator, operatorId);
  tx.delete(operatorDevice)
    .where(kept === undefined ? own : and(own, ne(operatorDevice.digest, kept)))
    .run();
}

const SECRET_BYTES = 32;

/** A secret that a browser keeps in a cookie, and the digest that is stored of it. */
type BrowserSecret = ReturnType<typeof newBrowserSecret>;

/** Makes a secret of 32 random bytes; before the transaction, since randomness is no part of one. */
export function newBrowserSecret(ids: Ids) {
  const token = randomToken(ids, SECRET_BYTES);
  return { token, digest: sha256Hex(token) };
}

/** What is kept of the browser's own name, in characters. */
const LONGEST_AGENT = 200;

/** Opens a session under a new secret, whatever cookie the browser had: a planted one gains nothing. `kept` where it was asked for. */
export function openSession(
  tx: Tx,
  operatorId: string,
  made: BrowserSecret,
  caller: Caller,
  now: number,
  kept = false,
): void {
  tx.insert(operatorSession)
    .values({
      digest: made.digest,
      operator: operatorId,
      created_at: now,
      last_seen_at: now,
      confirmed_at: now,
      address: caller.address,
      agent: caller.agent.toWellFormed().slice(0, LONGEST_AGENT),
      kept: kept ? 1 : 0,
    })
    .run();
}

const LONGEST_TOKEN = 64;
/** Browsers remembered for one operator: the last used ones. */
const MOST_DEVICES = 20;

/** What a cookie's secret is known by; undefined for what is none. */
export function deviceDigest(token: string | undefined): string | undefined {
  return token === undefined || token === "" || token.length > LONGEST_TOKEN ? undefined : sha256Hex(token);
}

/** Remembers the browser of a sign-in. Returns the secret it is to keep, or undefined when the one it has is known already. */
export function rememberDevice(
  tx: Tx,
  operatorId: string,
  caller: Caller,
  made: BrowserSecret,
  now: number,
): string | undefined {
  const { device } = caller;
  if (device !== undefined && isKnownDevice(tx, operatorId, device)) {
    tx.update(operatorDevice).set({ last_seen_at: now }).where(ofDevice(operatorId, device)).run();
    return undefined;
  }
  tx.insert(operatorDevice)
    .values({ operator: operatorId, digest: made.digest, created_at: now, last_seen_at: now })
    .run();
  keepNewestDevices(tx, operatorId, MOST_DEVICES);
  return made.token;
}
