import type { Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { type Ids, randomToken } from "../platform/ids.ts";
import type { Caller } from "./needs.ts";
import { insertSession } from "./store.ts";

const TOKEN_BYTES = 32;
/** What is kept of the browser's name. */
const LONGEST_AGENT = 200;

/** The secret of a new session and its digest. Made before the transaction: randomness is no part of one. */
export interface SessionToken {
  readonly token: string;
  readonly digest: string;
}

/** Makes the secret of a session: 32 random bytes. */
export function newSessionToken(ids: Ids): SessionToken {
  const token = randomToken(ids, TOKEN_BYTES);
  return { token, digest: sha256Hex(token) };
}

/** Opens a session under a new secret, whatever cookie the browser had: a planted one gains nothing. */
export function openSession(
  tx: Tx,
  operatorId: string,
  made: SessionToken,
  caller: Caller,
  now: number,
): void {
  insertSession(tx, operatorId, {
    digest: made.digest,
    createdAt: now,
    lastSeenAt: now,
    confirmedAt: now,
    address: caller.address,
    agent: caller.agent.toWellFormed().slice(0, LONGEST_AGENT),
  });
}
