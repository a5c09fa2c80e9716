/** The rolling scrub: every object is read anew once a week, a few each hour by their names, so that no damage stays unseen for longer. */

import type { Clock } from "../base/base.ts";
import { answersOf } from "../base/worker.ts";
import type { Core } from "../store/core.ts";
import type { ObjectStore } from "../store/objects.ts";
import { StoreFault } from "../store/objects.ts";
import { findServiceState, putServiceState, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { namesObjects } from "./objects.ts";
import { type PackEvent, type WorkerQuestion, workOnObjects } from "./packing.ts";
import { dueHours, isNothing, recordLooked, type VerifyEvent } from "./verify_events.ts";

/**
 * Where objects are read anew, and packed: on a worker of its own, since hashing and asking the database stand in the way of whoever sends a
 * report. A database in memory has no second connection: there it is done here.
 */

/** What reading objects needs. */
export interface ObjectDeps extends Core {
  readonly objects: ObjectStore;
}

/** Asks a worker. Throws `StoreFault`, and when `signal` tells it to end. */
export async function* askObjects(
  deps: ObjectDeps,
  scope: WorkerQuestion["scope"],
  signal?: AbortSignal,
): AsyncGenerator<VerifyEvent | PackEvent> {
  const { store, objects, config } = deps;
  if (store.path === ":memory:") {
    yield* workOnObjects(store.db, objects, scope);
    return;
  }
  const asked: WorkerQuestion = {
    scope,
    path: store.path,
    archive: { rawSignals: config.rawSignals, s3: config.s3 },
  };
  const script = new URL("./verify_worker.ts", import.meta.url);
  for await (const told of answersOf<VerifyEvent | PackEvent | "done">(script, asked, signal)) {
    if (told === "done") return;
    if ("brokeOff" in told) throw new Error(told.brokeOff);
    if ("storeFault" in told) throw new StoreFault(told.storeFault, told.where, told.why);
    yield told;
  }
}

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
      for await (const told of askObjects(deps, { hour, damaged: place === 0 })) {
        if (signal?.aborted === true) return;
        if (!("looked" in told) || isNothing(told.looked)) continue;
        await writer.write((tx) => recordLooked(tx, told.looked, clock.now()), { lowPriority: true });
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
