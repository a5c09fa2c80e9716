/**
 * Browsers that an operator signed in with before. Each holds a secret of its own, so that strangers' wrong guesses at the
 * account do not make it wait. The secret opens nothing: it changes only how wrong guesses are counted.
 */

import { and, desc, eq, inArray, ne } from "drizzle-orm";
import { type Ids, randomToken } from "../base/base.ts";
import { sha256Hex } from "../base/keys.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Caller } from "./access.ts";
import { operatorDevice } from "./operators.ts";
import { insertSession } from "./sessions.ts";

const ofDevice = (operatorId: string, digest: string) =>
  and(eq(operatorDevice.operator, operatorId), eq(operatorDevice.digest, digest));

/** Whether an operator signed in with this browser before. */
export function isKnownDevice(db: Db, operatorId: string, digest: string): boolean {
  const known = db.select({ at: operatorDevice.created_at }).from(operatorDevice);
  return known.where(ofDevice(operatorId, digest)).get() !== undefined;
}

/** Forgets an operator's browsers, all but the `most` that were used last. */
function keepNewestDevices(tx: Tx, operatorId: string, most: number): void {
  const older = tx
    .select({ digest: operatorDevice.digest })
    .from(operatorDevice)
    .where(eq(operatorDevice.operator, operatorId))
    .orderBy(desc(operatorDevice.last_seen_at), desc(operatorDevice.created_at))
    .limit(1_000)
    .offset(most)
    .all()
    .map(({ digest }) => digest);
  if (older.length === 0) return;
  const own = eq(operatorDevice.operator, operatorId);
  tx.delete(operatorDevice)
    .where(and(own, inArray(operatorDevice.digest, older)))
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
interface BrowserSecret {
  readonly token: string;
  readonly digest: string;
}

/** Makes a secret of 32 random bytes; before the transaction, since randomness is no part of one. */
export function newBrowserSecret(ids: Ids): BrowserSecret {
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
  insertSession(tx, operatorId, {
    digest: made.digest,
    createdAt: now,
    lastSeenAt: now,
    confirmedAt: now,
    address: caller.address,
    agent: caller.agent.toWellFormed().slice(0, LONGEST_AGENT),
    kept,
  });
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
