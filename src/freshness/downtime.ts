/** When Tower itself was not running: a heartbeat every minute and at each start, and the gaps between two of them. */
import { findServiceState, putServiceState, type Store, type Writer } from "../db/mod.ts";
import type { Downtime } from "./rule.ts";

const HEARTBEAT = "service.alive_at";
const DOWNTIMES = "service.downtimes";
/** A gap shorter than this is an ordinary restart, or a beat that came late, in milliseconds. */
const SHORTEST_MS = 2 * 60_000;
/** Gaps remembered: the newest ones. */
const MOST = 50;

/**
 * Writes down that the service runs, and remembers the gap since it last did: it was off, or the computer was suspended under it.
 * A gap that ends ahead of now was none: a clock had run ahead and was set back. While storage refuses it is written ahead of whatever
 * it takes first.
 */
export async function beat(store: Store, writer: Writer, now: number): Promise<void> {
  const last = findServiceState(store.db, HEARTBEAT);
  const known = listDowntimes(store);
  const from = last === undefined ? now : Number(last);
  const gaps = [...known, { from, to: now }].filter(
    (gap) => gap.to <= now && gap.to - gap.from >= SHORTEST_MS,
  );
  await writer.writeOrOwe((tx) => {
    if (!Bun.deepEquals(gaps, known)) putServiceState(tx, DOWNTIMES, JSON.stringify(gaps.slice(-MOST)), now);
    putServiceState(tx, HEARTBEAT, String(now), now);
  });
}

/** The remembered gaps, oldest first. */
export function listDowntimes(store: Store): Downtime[] {
  const text = findServiceState(store.db, DOWNTIMES);
  return text === undefined ? [] : (JSON.parse(text) as Downtime[]);
}
