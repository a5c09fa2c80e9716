import type { Tx } from "../db/mod.ts";
import { endPauses } from "../health/mod.ts";
import { endFailures } from "../monitoring/mod.ts";
import { STALE_INGEST } from "../rules/mod.ts";
import { findNewestOf, listOpenIds } from "./lookup_store.ts";
import { appendRecord } from "./record_store.ts";
import { endSnooze, listSnoozes, type Snooze } from "./snooze_store.ts";
import { resolveFlag } from "./store.ts";

/** How flags end that were open when their site was retired. */
const RETIRED = "retired";

/**
 * Ends everything about a site that is no longer monitored, in the transaction that retires it: its open flags, what the
 * service's own asset holds open about its silence, its snoozes and pauses, and what could not be judged or recorded of it, so that a site that comes
 * back starts clean.
 */
export function retireFlags(
  tx: Tx,
  retired: {
    readonly asset: string;
    readonly serviceAsset: string;
    readonly now: number;
    readonly actor: string;
  },
): void {
  const { asset, serviceAsset, now, actor } = retired;
  const silence = { asset: serviceAsset, rule: STALE_INGEST, subject: asset };
  for (const id of [...listOpenIds(tx, { asset }), ...listOpenIds(tx, silence)]) {
    resolveFlag(tx, id, RETIRED, now, actor);
  }
  const ofSilence = listSnoozes(tx, serviceAsset).filter(
    ({ rule, subject }) => rule === STALE_INGEST && subject === asset,
  );
  for (const snooze of [...listSnoozes(tx, asset), ...ofSilence]) wake(tx, snooze, now, actor);
  endPauses(tx, asset, { actor, now });
  for (const kind of ["rule", "recorder"] as const) endFailures(tx, { kind, asset }, now);
}

/** Ends a snooze as an act on the newest flag it belongs to: snoozes are what the acts in the records lead to. */
function wake(tx: Tx, snooze: Snooze, now: number, actor: string): void {
  const newest = findNewestOf(tx, snooze);
  if (newest !== undefined) {
    appendRecord(tx, { flag: newest, at: now, type: "act", actor, data: { act: "wake", set: {} } });
  }
  endSnooze(tx, snooze);
}
