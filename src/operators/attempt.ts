import type { Tx } from "../db/mod.ts";
import { sha256Hex } from "../lib/digest.ts";
import { networkOf } from "../lib/network.ts";
import { isKnownDevice } from "./device_store.ts";
import type { Caller } from "./needs.ts";
import {
  addressWaitSeconds,
  afterFailure,
  afterSuccess,
  sharedKinds,
  THROTTLE_KEPT_MS,
  type ThrottleKind,
  waitSeconds,
} from "./throttle.ts";
import { deleteThrottlesBefore, findThrottle, putThrottle } from "./throttle_store.ts";

/** Where a guess was counted as failed. */
type Counted = readonly (readonly [kind: ThrottleKind, key: string])[];

/** A guess that may be judged, or the seconds to wait before one is. */
export type Attempt =
  | { readonly heard: true; readonly counted: Counted }
  | { readonly heard: false; readonly seconds: number };

/** Who guesses: a name as typed, the operator of that name if there is one, and where the request comes from. */
export interface Guesser {
  readonly name: string;
  readonly operatorId: string | undefined;
  readonly caller: Caller;
}

/** Counts one guess as failed, before it is judged; a guess that must wait is not counted. */
export function beginAttempt(tx: Tx, guesser: Guesser, now: number): Attempt {
  const keys = keysOf(tx, guesser);
  const found = keys.map(([kind, key]) => ({ kind, key, count: findThrottle(tx, key) }));
  const countOf = (kind: ThrottleKind) => found.find((one) => one.kind === kind)?.count;
  const own = { pair: countOf("pair"), address: countOf("address") };
  const seconds = Math.max(
    ...found.map(({ kind, count }) =>
      kind === "address" ? addressWaitSeconds(own, now) : waitSeconds(count, now),
    ),
  );
  if (seconds > 0) return { heard: false, seconds };
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
  return { heard: true, counted: counted.map(({ kind, key }) => [kind, key]) };
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
