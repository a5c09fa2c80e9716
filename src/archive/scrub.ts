/** The rolling scrub: every object is read anew once a week, a few each hour by their names, so that no damage stays unseen for longer. */
import { findServiceState, putServiceState, type Tx, type Writer } from "../db/mod.ts";
import type { Clock } from "../platform/clock.ts";
import { askObjects, type ObjectDeps } from "./ask_objects.ts";
import { isNothing, noteLooked } from "./damage_store.ts";
import { namesObjects } from "./object_row_store.ts";
import { dueHours } from "./scrub_slots.ts";

/** The last hour whose objects were read, as `hourOf` counts. */
const SCRUBBED_TO = "archive.scrubbed_to";

/**
 * Reads the objects that are due, and those that were damaged when they were last looked at; `ran` is called in the transaction that
 * ends it. Throws `StoreFault` where the store cannot be used: what was read until then counts.
 */
export async function scrub(
  deps: ObjectDeps & { readonly writer: Writer; readonly clock: Clock },
  ran: (tx: Tx) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { store, writer, clock } = deps;
  const now = clock.now();
  const last = findServiceState(store.db, SCRUBBED_TO);
  const hours = dueHours(last === undefined ? undefined : Number(last), now);
  const noteRead = (tx: Tx, hour: number) => putServiceState(tx, SCRUBBED_TO, String(hour), now);
  if (namesObjects(store.db)) {
    for (const [place, hour] of (hours.length === 0 ? [undefined] : hours).entries()) {
      const question = { what: "hour", hour, damaged: place === 0 } as const;
      for await (const told of askObjects(deps, question)) {
        if (signal?.aborted === true) return;
        if (!("looked" in told)) continue;
        if (isNothing(told.looked)) continue;
        await writer.write((tx) => noteLooked(tx, told.looked, clock.now()), { behind: true });
      }
      if (hour !== undefined) await writer.write((tx) => noteRead(tx, hour));
    }
  }
  await writer.write((tx) => {
    const newest = hours.at(-1);
    if (newest !== undefined) noteRead(tx, newest);
    ran(tx);
  });
}
