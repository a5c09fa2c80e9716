import { appendAudit } from "../audit/mod.ts";
import type { Tx } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import {
  deletePause,
  findPause,
  isInForce,
  listPausesOf,
  type Pause,
  type PauseKey,
  putPause,
} from "./pause_store.ts";

/** Who did it, and when in milliseconds since the epoch. */
export interface PausedBy {
  readonly actor: string;
  readonly now: number;
}

/** What became of it: `changed` where it was paused already, with another end. */
export type Paused = "paused" | "changed" | "same";

/**
 * Pauses a capability of one site, of every site (asset ''), or all of one site (capability ''), until a moment or until it is resumed,
 * with an audit row. Whoever calls has made sure that there is such a capability and such a site, and that `until` lies ahead.
 */
export function pause(
  tx: Tx,
  { capability, asset, until }: PauseKey & { readonly until: number | null },
  { actor, now }: PausedBy,
): Paused {
  if (capability === "" && asset === "") throw new RangeError("a pause names a capability, a site, or both");
  const known = findPause(tx, { capability, asset });
  const before = known !== undefined && isInForce(known, now) ? known : undefined;
  if (before !== undefined && before.until === until) return "same";
  // Since when it is paused stays, when only its end is another.
  putPause(tx, { capability, asset, pausedAt: before?.pausedAt ?? now, pausedBy: actor, until });
  appendAudit(tx, {
    at: now,
    actor,
    act: "health.pause",
    target: asset,
    detail: { ...capabilityIn(capability), ...(until === null ? {} : { until: formatInstant(until) }) },
  });
  return before === undefined ? "paused" : "changed";
}

/** Ends a pause, with an audit row; undefined where nothing is paused by it, or its time is over. */
export function resume(tx: Tx, key: PauseKey, { actor, now }: PausedBy): Pause | undefined {
  const known = findPause(tx, key);
  if (known === undefined || !isInForce(known, now)) return undefined;
  deletePause(tx, key);
  appendAudit(tx, {
    at: now,
    actor,
    act: "health.resume",
    target: key.asset,
    detail: capabilityIn(key.capability),
  });
  return known;
}

/** Ends every pause of a site that is retired or taken out of the portfolio. */
export function endPauses(tx: Tx, asset: string, by: PausedBy): void {
  for (const known of listPausesOf(tx, asset)) {
    if (resume(tx, known, by) === undefined) deletePause(tx, known);
  }
}

/** All of a site, where no capability is named. */
const capabilityIn = (capability: string) => (capability === "" ? {} : { capability });
