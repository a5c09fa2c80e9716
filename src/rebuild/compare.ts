import type { Db } from "../db/mod.ts";
import type { Difference, ReadModel } from "./models.ts";

/** Longest stretch of comparing before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 4;

/**
 * Everything in a read model that is not what it is made of. Holds only what differs; lets others work in between, so that
 * reports are taken and answered meanwhile.
 */
export async function compareModel(model: ReadModel, db: Db): Promise<Difference[]> {
  const found: Difference[] = [];
  let sliceStarted = performance.now();
  for (const difference of model.differences(db)) {
    if (difference !== undefined) found.push(difference);
    else if (performance.now() - sliceStarted > SLICE_MS) {
      await Bun.sleep(0);
      sliceStarted = performance.now();
    }
  }
  return found;
}
