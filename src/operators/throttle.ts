/**
 * Slowing down guesses. Every attempt is counted as a failure before its hash is worked out and taken back when it succeeds,
 * so that many at once, or a crash in between, gain nothing. An attempt that is made to wait counts for nothing.
 *
 * Nobody can hold the door shut for somebody else: a browser that signed in before is counted by itself alone, an account's
 * failures are counted per address, and what one address adds to the counts that others share is capped, so that it takes
 * many addresses to fill one. No wait is longer than 15 minutes.
 */

import { isAhead } from "../platform/not_ahead.ts";

/** Failures under one key. Times in milliseconds since the epoch. */
export interface ThrottleCount {
  readonly failures: number;
  readonly windowStartedAt: number;
  readonly blockedUntil: number;
}

/**
 * `device`: an account from a browser that it signed in with before; `pair`: an account from one address; `address`: any
 * account from one address; `account`: an account from anywhere; `global`: everybody.
 */
export type ThrottleKind = "device" | "pair" | "address" | "account" | "global";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LONGEST_WAIT_S = 900;

/** Failures that are free; then 1, 2, 4 … seconds. Forgotten after a day without one. */
const FREE = 5;
/** Failures that fill a window, and its length. */
const FULL = {
  address: { failures: 20, windowMs: MINUTE_MS },
  account: { failures: 100, windowMs: LONGEST_WAIT_S * 1000 },
  global: { failures: 300, windowMs: MINUTE_MS },
} as const;
/**
 * Failures of an address in its window beyond which it also holds up guesses at names that nobody guessed at from there. Until then
 * these pass: where all share an address, one who guesses must not keep the others out.
 */
const MOST_WITH_NEW_NAMES = 60;
/** What one address adds at most to an account's shared count in a day, and to everybody's in a minute. */
const ADDS = { account: FREE, global: 10 } as const;

/** Counts that say nothing any more are older than this. */
export const THROTTLE_KEPT_MS = DAY_MS;

/** Seconds until the next attempt is heard, rounded up; 0 when it may come now. */
export function waitSeconds(count: ThrottleCount | undefined, now: number): number {
  const seconds = count === undefined ? 0 : Math.ceil((count.blockedUntil - now) / 1000);
  // A longer wait than was ever given means that the clock was set back; it must lock nobody out.
  return seconds > LONGEST_WAIT_S ? 0 : Math.max(0, seconds);
}

/** Seconds until an address is heard again: for a name with failures from there, or for one without. */
export function addressWaitSeconds(
  {
    pair,
    address,
  }: { readonly pair: ThrottleCount | undefined; readonly address: ThrottleCount | undefined },
  now: number,
): number {
  const isNew = failuresAt("pair", pair, now) === 0;
  return isNew && failuresAt("address", address, now) < MOST_WITH_NEW_NAMES ? 0 : waitSeconds(address, now);
}

/** The count after one more failure at `now`. */
export function afterFailure(
  kind: ThrottleKind,
  count: ThrottleCount | undefined,
  now: number,
): ThrottleCount {
  const failures = failuresAt(kind, count, now) + 1;
  if (!isWindowed(kind)) {
    return { failures, windowStartedAt: now, blockedUntil: now + backOffSeconds(failures) * 1000 };
  }
  return inWindow(kind, failures, failures === 1 ? now : (count?.windowStartedAt ?? now));
}

/** The count with one failure taken back: the attempt succeeded after all. An account on its own browser or address starts anew. */
export function afterSuccess(kind: ThrottleKind, count: ThrottleCount): ThrottleCount | undefined {
  return !isWindowed(kind) || count.failures <= 1
    ? undefined
    : inWindow(kind, count.failures - 1, count.windowStartedAt);
}

/** Which of the shared counts one more failure adds to, by what its address has added already. */
export function sharedKinds(
  counts: { readonly pair: ThrottleCount | undefined; readonly address: ThrottleCount | undefined },
  now: number,
): readonly ("account" | "global")[] {
  const shared: ("account" | "global")[] = [];
  if (failuresAt("pair", counts.pair, now) < ADDS.account) shared.push("account");
  if (failuresAt("address", counts.address, now) < ADDS.global) shared.push("global");
  return shared;
}

function failuresAt(kind: ThrottleKind, count: ThrottleCount | undefined, now: number): number {
  if (count === undefined) return 0;
  const windowMs = isWindowed(kind) ? FULL[kind].windowMs : DAY_MS;
  // A window from a clock that was ahead would never end, and its failures would never make anybody wait.
  const isOver = now - count.windowStartedAt >= windowMs || isAhead(count.windowStartedAt, now);
  return isOver ? 0 : count.failures;
}

function isWindowed(kind: ThrottleKind): kind is keyof typeof FULL {
  return kind in FULL;
}

function inWindow(kind: keyof typeof FULL, failures: number, windowStartedAt: number): ThrottleCount {
  const full = FULL[kind];
  const blockedUntil = windowStartedAt + (failures >= full.failures ? full.windowMs : 0);
  return { failures, windowStartedAt, blockedUntil };
}

/** 5 failures, then 1, 2, 4 … 900 seconds. */
function backOffSeconds(failures: number): number {
  return failures < FREE ? 0 : Math.min(LONGEST_WAIT_S, 2 ** (failures - FREE));
}
