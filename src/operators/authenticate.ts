import { sha256Hex } from "../lib/digest.ts";
import { logOf } from "../platform/log.ts";
import type { Operator } from "./contract.ts";
import type { OperatorDeps } from "./needs.ts";
import { isDueForSeen, isLive, type Session } from "./session.ts";
import { findSession, updateSeen } from "./session_store.ts";

/** A live session with its operator. */
export interface LiveSession {
  readonly session: Session;
  readonly operator: Operator;
}

/** The longest cookie value that is looked at: a session's token has 43 characters. */
const LONGEST_TOKEN = 64;

/**
 * The live session of a cookie's token, or undefined. The use is written down at most once a minute, off the path of the
 * answer. A visible page that refreshes itself keeps its session alive, to the end of its 12 hours: a Wall is such a page.
 */
export function authenticate(
  deps: Pick<OperatorDeps, "store" | "writer" | "clock">,
  token: string,
): LiveSession | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  const now = deps.clock.now();
  const found = findSession(deps.store.db, sha256Hex(token));
  if (found === undefined || !isLive(found.session, now)) return undefined;
  if (isDueForSeen(found.session, now)) {
    const { writer } = deps;
    writer.aside(
      writer.write((tx) => updateSeen(tx, found.session.digest, now)),
      (cause) => logOf("sessions").warn("a use was not written down", { reason: String(cause) }),
    );
  }
  return found;
}
