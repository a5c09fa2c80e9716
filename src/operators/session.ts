/** When a session ends: pure rules over its times, in milliseconds since the epoch. */
import { isAhead } from "../platform/not_ahead.ts";

/** A signed-in browser. */
export interface Session {
  /** SHA-256 of the cookie's token. */
  readonly digest: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** Last time the password was given. */
  readonly confirmedAt: number;
  readonly address: string;
  readonly agent: string;
  /** Whether the operator asked to stay signed in. */
  readonly kept: boolean;
}

/** Without a request for so long a session ends, unless it is kept. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** A session ends so long after signing in, used or not … */
export const SESSION_LIFE_MS = 12 * 60 * 60_000;
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
