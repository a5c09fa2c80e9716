import type { Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { deleteThrottlesBefore, findThrottle, putThrottle } from "./store.ts";
import { afterFailure, afterSuccess, THROTTLE_KEPT_MS, type ThrottleKind, waitSeconds } from "./throttle.ts";

/** Where failures of an account are counted. The name is hashed: people type passwords into the name field. */
export function accountKey(name: string): string {
  return `account:${sha256Hex(name).slice(0, 32)}`;
}

function keysOf(name: string, address: string): readonly (readonly [kind: ThrottleKind, key: string])[] {
  return [
    ["account", accountKey(name)],
    ["address", `address:${address}`],
    ["global", "global"],
  ];
}

/** Counts one guess as failed, before it is judged. Returns 0, or the seconds to wait when it must not be judged at all. */
export function beginAttempt(tx: Tx, name: string, address: string, now: number): number {
  const counts = keysOf(name, address).map(([kind, key]) => ({ kind, key, count: findThrottle(tx, key) }));
  const wait = Math.max(...counts.map(({ count }) => waitSeconds(count, now)));
  if (wait > 0) return wait;
  for (const { kind, key, count } of counts) {
    const next = afterFailure(kind, count, now);
    putThrottle(tx, key, next);
    // Once a minute at most, when everybody's minute begins.
    if (kind === "global" && next.failures === 1) deleteThrottlesBefore(tx, now - THROTTLE_KEPT_MS);
  }
  return 0;
}

/** Takes the failure back: the guess was right. */
export function endAttempt(tx: Tx, name: string, address: string): void {
  for (const [kind, key] of keysOf(name, address)) {
    const count = findThrottle(tx, key);
    if (count !== undefined) putThrottle(tx, key, afterSuccess(kind, count));
  }
}
