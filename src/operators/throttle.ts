/**
 * Slowing down guesses. Every attempt is counted as a failure before its hash is worked out and taken back when it succeeds,
 * so that many at once, or a crash in between, gain nothing. An attempt that is made to wait counts for nothing: nobody can
 * hold an account shut by knocking, and no wait is longer than 15 minutes.
 */

import { isAhead } from "../platform/not_ahead.ts";

/** Failures of one account, one address or everybody. Times in milliseconds since the epoch. */
export interface ThrottleCount {
  readonly failures: number;
  readonly windowStartedAt: number;
  readonly blockedUntil: number;
}

export type ThrottleKind = "account" | "address" | "global";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Failures an account is allowed before it waits; then 1, 2, 4 … seconds. */
const ACCOUNT_FREE = 5;
const LONGEST_WAIT_S = 900;
/** Attempts in a minute. */
const PER_MINUTE = { address: 20, global: 60 } as const;

/** An account's failures are forgotten after a day without one; the others' after their minute. */
const WINDOW_MS: Readonly<Record<ThrottleKind, number>> = {
  account: DAY_MS,
  address: MINUTE_MS,
  global: MINUTE_MS,
};

/** Counts that say nothing any more are older than this. */
export const THROTTLE_KEPT_MS = DAY_MS;

/** Seconds until the next attempt is heard, rounded up; 0 when it may come now. */
export function waitSeconds(count: ThrottleCount | undefined, now: number): number {
  const seconds = count === undefined ? 0 : Math.ceil((count.blockedUntil - now) / 1000);
  // A longer wait than was ever given means that the clock was set back; it must lock nobody out.
  return seconds > LONGEST_WAIT_S ? 0 : Math.max(0, seconds);
}

/** The count after one more failure at `now`. */
export function afterFailure(
  kind: ThrottleKind,
  count: ThrottleCount | undefined,
  now: number,
): ThrottleCount {
  // A window from a clock that was ahead would never end, and its failures would never make anybody wait.
  const fresh =
    count === undefined ||
    now - count.windowStartedAt >= WINDOW_MS[kind] ||
    isAhead(count.windowStartedAt, now);
  const failures = fresh ? 1 : count.failures + 1;
  if (kind === "account") {
    return { failures, windowStartedAt: now, blockedUntil: now + accountWait(failures) * 1000 };
  }
  return withinMinute(kind, failures, fresh ? now : count.windowStartedAt);
}

/** The count with one failure taken back: the attempt succeeded after all. An account starts anew. */
export function afterSuccess(kind: ThrottleKind, count: ThrottleCount): ThrottleCount | undefined {
  return kind === "account" || count.failures <= 1
    ? undefined
    : withinMinute(kind, count.failures - 1, count.windowStartedAt);
}

function withinMinute(kind: "address" | "global", failures: number, windowStartedAt: number): ThrottleCount {
  const isFull = failures >= PER_MINUTE[kind];
  return { failures, windowStartedAt, blockedUntil: windowStartedAt + (isFull ? MINUTE_MS : 0) };
}

/** 5 failures, then 1, 2, 4 … 900 seconds. */
function accountWait(failures: number): number {
  return failures < ACCOUNT_FREE ? 0 : Math.min(LONGEST_WAIT_S, 2 ** (failures - ACCOUNT_FREE));
}
