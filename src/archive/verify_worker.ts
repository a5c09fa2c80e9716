/** The worker of `scrub.ts`: reads objects again, or packs them, through a connection of its own that only reads. */

import "../base/low_priority.ts";
import { messageOf } from "../base/text.ts";
import { openObjectStore } from "../store/directory_store.ts";
import { StoreFault } from "../store/objects.ts";
import { openReadOnly, type Store } from "../store/store.ts";
import { type PackEvent, type WorkerQuestion, workOnObjects } from "./packing.ts";
import type { VerifyEvent } from "./verify_events.ts";

declare const self: Worker;

/** Its share of memory for pages, in KiB, negative as SQLite has it. */
const CACHE = -8_000;

self.onmessage = ({ data }: MessageEvent<WorkerQuestion>) => {
  void answer(data);
};

async function answer({ scope, path, archive }: WorkerQuestion): Promise<void> {
  const tell = (told: VerifyEvent | PackEvent | "done") => self.postMessage(told);
  let store: Store | undefined;
  try {
    store = openReadOnly(path, CACHE);
    for await (const told of workOnObjects(store.db, openObjectStore(archive), scope)) tell(told);
    tell("done");
  } catch (error) {
    if (error instanceof StoreFault) tell({ storeFault: error.kind, where: error.where, why: error.why });
    else tell({ brokeOff: messageOf(error) });
  } finally {
    store?.close();
  }
}
