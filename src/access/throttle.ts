/**
 * Slowing down guesses. Every attempt is counted as a failure before its hash is worked out and taken back when it succeeds,
 * so that many at once, or a crash in between, gain nothing. An attempt that is made to wait counts for nothing.
 *
 * Nobody can hold the door shut for somebody else: a browser that signed in before is counted by itself alone, an account's
 * failures are counted per address, and what one address adds to the counts that others share is capped, so that it takes
 * many addresses to fill one. No wait is longer than 15 minutes.
 */

import { eq, like, lte, or } from "drizzle-orm";
import { sha256Hex } from "../base/keys.ts";
import { networkOf } from "../base/outbound.ts";
import { DAY_MS, isAhead, MINUTE_MS } from "../base/time.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Caller } from "./access.ts";
import { signInThrottle } from "./operators.ts";
import { isKnownDevice } from "./sessions.ts";

/** Failures under one key. Times in milliseconds since the epoch. */
export type ThrottleCount = Omit<typeof signInThrottle.$inferSelect, "key">;

/**
 * `device`: an account from a browser that it signed in with before; `pair`: an account from one address; `address`: any
 * account from one address; `account`: an account from anywhere; `global`: everybody.
 */
export type ThrottleKind = "device" | "pair" | "address" | "account" | "global";

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
const THROTTLE_KEPT_MS = DAY_MS;

/** Seconds until the next attempt is heard, rounded up; 0 when it may come now. */
export function waitSeconds(count: ThrottleCount | undefined, now: number): number {
  const seconds = count === undefined ? 0 : Math.ceil((count.blocked_until - now) / 1000);
  // A longer wait than was ever given means that the clock was set back; it must lock nobody out.
  return seconds > LONGEST_WAIT_S ? 0 : Math.max(0, seconds);
}

/** Seconds until an address is heard again: for a name with failures from there, or for one without. */
function addressWaitSeconds(
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
    return { failures, window_started_at: now, blocked_until: now + backOffSeconds(failures) * 1000 };
  }
  return inWindow(kind, failures, failures === 1 ? now : (count?.window_started_at ?? now));
}

/** The count with one failure taken back: the attempt succeeded after all. An account on its own browser or address starts anew. */
export function afterSuccess(kind: ThrottleKind, count: ThrottleCount): ThrottleCount | undefined {
  return !isWindowed(kind) || count.failures <= 1
    ? undefined
    : inWindow(kind, count.failures - 1, count.window_started_at);
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
  const isOver = now - count.window_started_at >= windowMs || isAhead(count.window_started_at, now);
  return isOver ? 0 : count.failures;
}

function isWindowed(kind: ThrottleKind): kind is keyof typeof FULL {
  return kind in FULL;
}

function inWindow(kind: keyof typeof FULL, failures: number, window_started_at: number): ThrottleCount {
  const full = FULL[kind];
  const blocked_until = window_started_at + (failures >= full.failures ? full.windowMs : 0);
  return { failures, window_started_at, blocked_until };
}

/** 5 failures, then 1, 2, 4 … 900 seconds. */
function backOffSeconds(failures: number): number {
  return failures < FREE ? 0 : Math.min(LONGEST_WAIT_S, 2 ** (failures - FREE));
}

/** The failures counted under a key. */
function findThrottle(db: Db, key: string): ThrottleCount | undefined {
  return db.select().from(signInThrottle).where(eq(signInThrottle.key, key)).get();
}

/** Stores the failures counted under a key; forgets the key without a count. */
function putThrottle(tx: Tx, key: string, count: ThrottleCount | undefined): void {
  if (count === undefined) {
    tx.delete(signInThrottle).where(eq(signInThrottle.key, key)).run();
    return;
  }
  tx.insert(signInThrottle)
    .values({ ...count, key })
    .onConflictDoUpdate({ target: signInThrottle.key, set: count })
    .run();
}

/** Forgets every count of an account, by the start of its keys' second part. */
export function deleteThrottlesOf(tx: Tx, account: string): void {
  tx.delete(signInThrottle)
    .where(
      or(
        eq(signInThrottle.key, `account:${account}`),
        like(signInThrottle.key, `pair:${account}:%`),
        like(signInThrottle.key, `device:${account}:%`),
      ),
    )
    .run();
}

/** Forgets counts whose window began before `at`. */
function deleteThrottlesBefore(tx: Tx, at: number): void {
  tx.delete(signInThrottle).where(lte(signInThrottle.window_started_at, at)).run();
}

/** Where a guess was counted as failed. */
type Counted = readonly (readonly [kind: ThrottleKind, key: string])[];

/** Who guesses: a name as typed, the operator of that name if there is one, and where the request comes from. */
interface Guesser {
  readonly name: string;
  readonly operatorId: string | undefined;
  readonly caller: Caller;
}

/** Counts one guess as failed, before it is judged; one that must wait is not counted, and is told for how many seconds. */
export function beginAttempt(tx: Tx, guesser: Guesser, now: number) {
  const keys = keysOf(tx, guesser);
  const found = keys.map(([kind, key]) => ({ kind, key, count: findThrottle(tx, key) }));
  const countOf = (kind: ThrottleKind) => found.find((one) => one.kind === kind)?.count;
  const own = { pair: countOf("pair"), address: countOf("address") };
  const seconds = Math.max(
    ...found.map(({ kind, count }) =>
      kind === "address" ? addressWaitSeconds(own, now) : waitSeconds(count, now),
    ),
  );
  if (seconds > 0) return { heard: false, seconds } as const;
  const shared = sharedKinds(own, now);
  const counted = found.filter(
    ({ kind }) => (kind !== "account" && kind !== "global") || shared.includes(kind),
  );
  for (const { kind, key, count } of counted) {
    const next = afterFailure(kind, count, now);
    putThrottle(tx, key, next);
    // Once a minute at most, when everybody's minute begins.
    if (kind === "global" && next.failures === 1) deleteThrottlesBefore(tx, now - THROTTLE_KEPT_MS);
  }
  return { heard: true, counted: counted.map(({ kind, key }) => [kind, key] as const) } as const;
}

/** Takes the failure back: the guess was right. */
export function endAttempt(tx: Tx, counted: Counted): void {
  for (const [kind, key] of counted) {
    const count = findThrottle(tx, key);
    if (count !== undefined) putThrottle(tx, key, afterSuccess(kind, count));
  }
}

/** What an account's counts are kept under. The name is hashed: people type passwords into the name field. */
export function accountKey(name: string): string {
  return sha256Hex(name).slice(0, 32);
}

function keysOf(tx: Tx, { name, operatorId, caller }: Guesser): Counted {
  const account = accountKey(name);
  const { device } = caller;
  if (device !== undefined && operatorId !== undefined && isKnownDevice(tx, operatorId, device)) {
    return [["device", `device:${account}:${device.slice(0, 32)}`]];
  }
  const network = networkOf(caller.address);
  return [
    ["pair", `pair:${account}:${network}`],
    ["address", `address:${network}`],
    ["account", `account:${account}`],
    ["global", "global"],
  ];
}
