/**
 * Where objects are read anew: on a worker of its own, since hashing and asking the database stand in the way of whoever sends a
 * report. A database in memory has no second connection: there it is done here.
 */
import type { Db } from "../db/mod.ts";
import type { ObjectStore } from "../objects/contract.ts";
import { StoreFault } from "../objects/mod.ts";
import type { Config } from "../platform/config.ts";
import { answersOf } from "../platform/worker.ts";
import { type ObjectQuestion, type ObjectTold, tellObjects, type WorkerQuestion } from "./told_objects.ts";

/** What reading objects needs. */
export interface ObjectDeps {
  readonly store: { readonly path: string; readonly db: Db };
  readonly objects: ObjectStore;
  readonly config: Pick<Config, "rawSignals" | "s3">;
}

/** Asks a worker. Throws `StoreFault`. */
export async function* askObjects(deps: ObjectDeps, question: ObjectQuestion): AsyncGenerator<ObjectTold> {
  const { store, objects, config } = deps;
  if (store.path === ":memory:") {
    yield* tellObjects(store.db, objects, question);
    return;
  }
  const asked: WorkerQuestion = {
    question,
    path: store.path,
    archive: { rawSignals: config.rawSignals, s3: config.s3 },
  };
  const script = new URL("./object_worker.ts", import.meta.url);
  for await (const told of answersOf<ObjectTold | "done">(script, asked)) {
    if (told === "done") return;
    if ("brokeOff" in told) throw new Error(told.brokeOff);
    if ("storeFault" in told) throw new StoreFault(told.storeFault, told.where, told.why);
    yield told;
  }
}
