import type { Tx } from "../db/mod.ts";
import { shortText } from "../lib/short_text.ts";
import type { Monitored, MonitoringKind } from "./contract.ts";
import { findMonitoringFailure, listLasting, recordEvent } from "./store.ts";

/** Longest reason that is kept, in characters. */
const LONGEST_REASON = 2_000;

/**
 * Notes that something cannot be watched, and why, which is kept as a sentence. A failure that lasts for the same reason is noted once.
 * Says whether it was noted.
 */
export function noteFailure(
  tx: Tx,
  of: Monitored,
  why: { readonly reason: string; readonly now: number },
): boolean {
  const reason = sentenceOf(shortText(why.reason, LONGEST_REASON - 1));
  if (findMonitoringFailure(tx, of)?.reason === reason) return false;
  recordEvent(tx, { ...of, change: "failed", reason, at: why.now });
  return true;
}

/** A reason as a sentence of its own: it is shown as it stands. */
function sentenceOf(reason: string): string {
  const begun = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** Notes that it is watched again; does nothing where no failure lasts. Says whether one ended. */
export function noteRecovery(tx: Tx, of: Monitored, now: number): boolean {
  if (findMonitoringFailure(tx, of) === undefined) return false;
  recordEvent(tx, { ...of, change: "recovered", reason: "", at: now });
  return true;
}

/** Nothing of a site is watched any more: its failures of a kind end. */
export function endFailures(
  tx: Tx,
  of: { readonly kind: MonitoringKind; readonly asset: string },
  now: number,
): void {
  for (const failure of listLasting(tx, of)) noteRecovery(tx, failure, now);
}
