import type { Tx } from "../db/mod.ts";
import type { BrowserSecret } from "./browser_secret.ts";
import type { Caller } from "./needs.ts";
import { insertSession } from "./session_store.ts";

/** What is kept of the browser's name. */
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
