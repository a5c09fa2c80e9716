/**
 * Every table that is made of append-only ones, with the replay that leads to it: `check` compares, and `rebuild` writes what differs.
 */

import { ARCHIVE_MODELS } from "../archive/archive_check.ts";
import { FLAG_MODEL, SNOOZE_MODEL } from "../flags/replay.ts";
import { MONITORING_MODEL } from "../health/rebuild_store.ts";
import { PULSE_MODELS } from "../reports/readings.ts";
import { SERIES_MODELS } from "../reports/series_check.ts";
import { SIGNAL_MODEL } from "../signals/signal_model.ts";
import { type AnyReadModel, type Difference, differencesOf, mendRows } from "../store/read_model.ts";
import type { Db, Store } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

/** In the order in which they build on each other: a snooze belongs to what its flag is about. */
export const READ_MODELS: readonly AnyReadModel[] = [
  FLAG_MODEL,
  SNOOZE_MODEL,
  ...PULSE_MODELS,
  SIGNAL_MODEL,
  ...SERIES_MODELS,
  ...ARCHIVE_MODELS,
  MONITORING_MODEL,
];

/** Longest stretch of comparing before the event loop gets its turn, in milliseconds. */
const SLICE_MS = 4;

/** Every row that differs, found in slices, so that reports are taken and answered meanwhile. */
export async function compareModel(model: AnyReadModel, db: Db): Promise<Difference[]> {
  const found: Difference[] = [];
  let sliceStarted = performance.now();
  for (const difference of differencesOf(model, db)) {
    if (difference !== undefined) found.push(difference);
    else if (performance.now() - sliceStarted > SLICE_MS) {
      await Bun.sleep(0);
      sliceStarted = performance.now();
    }
  }
  return found;
}

/** Writes what differs, in one transaction. Answers what did, and what still does. */
export async function mendModel(
  model: AnyReadModel,
  { store, writer }: { readonly store: Store; readonly writer: Writer },
): Promise<{ readonly found: readonly Difference[]; readonly left: readonly Difference[] }> {
  const found = await compareModel(model, store.db);
  if (found.length === 0) return { found, left: [] };
  await writer.write((tx) => mendRows(model, tx, found));
  return { found, left: await compareModel(model, store.db) };
}
