/** When Tower itself was not running: a heartbeat, and the gaps between a last heartbeat and the next start. */
import { findServiceState, putServiceState, type Store, type Writer } from "../db/mod.ts";
import type { Downtime } from "./rule.ts";

const HEARTBEAT = "service.alive_at";
const DOWNTIMES = "service.downtimes";
/** A gap shorter than this is an ordinary restart, in milliseconds. */
const SHORTEST_MS = 2 * 60_000;
/** Gaps remembered: the newest ones. */
const MOST = 50;

/** Writes down that the service is running. */
export function beat(writer: Writer, now: number): Promise<void> {
  return writer.write((tx) => putServiceState(tx, HEARTBEAT, String(now), now));
}

/** At a start: remembers the gap since the last heartbeat; while storage refuses, ahead of whatever it takes first. */
export async function noteStart(store: Store, writer: Writer, now: number): Promise<void> {
  const last = findServiceState(store.db, HEARTBEAT);
  const known = listDowntimes(store);
  const gap = last === undefined ? undefined : { from: Number(last), to: now };
  await writer.writeOrOwe((tx) => {
    if (gap !== undefined && gap.to - gap.from >= SHORTEST_MS) {
      putServiceState(tx, DOWNTIMES, JSON.stringify([...known, gap].slice(-MOST)), now);
    }
    putServiceState(tx, HEARTBEAT, String(now), now);
  });
}

/** The remembered gaps, oldest first. */
export function listDowntimes(store: Store): Downtime[] {
  const text = findServiceState(store.db, DOWNTIMES);
  return text === undefined ? [] : (JSON.parse(text) as Downtime[]);
}
