/**
 * Keep: whether the stored data is sound, and copies of it that are.
 *
 * `check`: `keep.ts` → every check by name, on a thread of its own (`check_worker.ts`). `rebuild`: the read models listed here, compared with
 * their replay, and written where they differ.
 * A backup: `backup.ts` → `snapshot_worker.ts` → a consistent copy, checked and sealed (`seal.ts`), the archive's objects beside it (`backup_objects.ts`).
 * A restore: `restore.ts` → unsealed, checked, settled → objects proven or put back (`restore_objects.ts`). `drill.ts` restores on trial.
 *
 * Begin with `READ_MODELS` and `checkEverything` here.
 */

import { existsSync } from "node:fs";
import { verifyChain } from "../access/audit.ts";
import { ARCHIVE_MODELS } from "../archive/archive_check.ts";
import { faultLines, noteLines, readWords, verifyArchive } from "../archive/verify_events.ts";
import type { MacKey } from "../base/keys.ts";
import { messageOf } from "../base/text.ts";
import { askWorker } from "../base/worker.ts";
import { FLAG_MODEL, SNOOZE_MODEL } from "../flags/store.ts";
import { MONITORING_MODEL } from "../health/monitoring.ts";
import { healthFaults } from "../health/state_store.ts";
import { bodyFaults } from "../reports/codebase.ts";
import { pulseBodyFaults } from "../reports/pulse.ts";
import { PULSE_MODELS } from "../reports/readings.ts";
import { SERIES_MODELS } from "../reports/series.ts";
import { attemptFaults } from "../signals/attempt_packs.ts";
import { observationFaults, SIGNAL_MODEL } from "../signals/observations.ts";
import { documentFaults } from "../sites/constants_document.ts";
import { checkSchema, fileFaults, foreignKeyFaults, versionFault } from "../store/migrations.ts";
import type { ObjectStore } from "../store/objects.ts";
import { type AnyReadModel, type Difference, differencesOf, mendRows } from "../store/read_model.ts";
import { type Db, openReadOnly, type Store } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import type { CheckRequest } from "./check_worker.ts";

/** Every table that is made of append-only ones, with the replay that leads to it, in the order in which they build on each other: a snooze belongs to what its flag is about. */
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

export interface Finding {
  readonly what: string;
  readonly faults: readonly string[];
  /** What is worth knowing and no fault. */
  readonly notes: readonly string[];
}

/** Most faults named of one kind. */
const MOST_FAULTS = 20;

/**
 * Checks everything; every check is named, also those that found nothing, and those that damage broke off. Without the audit's key
 * what it would prove is left unproven, and named.
 */
export function checkEverything(store: Store, auditKey?: MacKey): Finding[] {
  return [...checkFile(store), ...checkContents(store, auditKey)];
}

/** Checks the file itself, without judging what it says. */
export function checkFile(store: Store): Finding[] {
  return [
    finding("database file", () => fileFaults(store)),
    finding("foreign keys", () => foreignKeyFaults(store)),
    finding("the whole schema: tables, indexes, triggers, views", () => checkSchema(store)),
  ];
}

/** Checks what the file says against itself. */
export function checkContents(store: Store, auditKey?: MacKey): Finding[] {
  const { db } = store;
  const notes: string[] = [];
  return [
    finding("audit chain", () => auditFaults(db, auditKey, notes), notes),
    finding("constants documents against their digests", () => documentFaults(db)),
    finding("bodies of codebase reports", () => bodyFaults(db)),
    finding("bodies of nightly reports", () => pulseBodyFaults(db)),
    finding("attempts to pull, loose and packed", () => attemptFaults(db)),
    finding("packed observations", () => observationFaults(db)),
    finding("health of integrations against its events", () => healthFaults(db)),
    ...READ_MODELS.map((model) => finding(model.what, () => textsOf(model, db))),
  ];
}

/** One damaged table must not hide what is wrong with the others: a check that breaks off is a fault of its own, by name. */
function finding(what: string, find: () => Iterable<string>, notes: readonly string[] = []): Finding {
  const faults: string[] = [];
  let more = 0;
  try {
    for (const fault of find()) {
      if (faults.length < MOST_FAULTS) faults.push(fault);
      else more++;
    }
  } catch (error) {
    faults.push(`broke off: ${messageOf(error)}`);
  }
  return { what, faults: more === 0 ? faults : [...faults, `and ${more} more`], notes };
}

function* textsOf(model: AnyReadModel, db: Db): Generator<string> {
  for (const difference of differencesOf(model, db)) if (difference !== undefined) yield difference.text;
}

function auditFaults(db: Db, key: MacKey | undefined, notes: string[]): string[] {
  const chain = verifyChain(db, key);
  if (!chain.ok) return [`audit row ${chain.id}: ${chain.reason}`];
  notes.push(...chain.notes);
  return [];
}

/**
 * Checks everything in the database file at `path`, at one moment, while others may go on writing. Opening is a check like the
 * others: what cannot be opened is a fault. Blocks for as long as reading takes.
 */

export function checkDatabase(path: string, auditKey: MacKey | undefined): Finding[] {
  const unopened = (fault: string) => [{ what: "database file", faults: [fault], notes: [] }];
  if (!existsSync(path)) return unopened(`there is no ${path}`);
  try {
    const store = openReadOnly(path);
    try {
      // One moment for all of it: reports that arrive meanwhile would stand in one table and not yet in another.
      store.raw.run("BEGIN");
      const version = versionFault(store);
      return version !== undefined
        ? unopened(`it cannot be read: ${version}`)
        : checkEverything(store, auditKey);
    } finally {
      store.close();
    }
  } catch (error) {
    return unopened(`it cannot be opened: ${messageOf(error)}`);
  }
}

/**
 * Checks the objects of the archive that the database file at `path` names, wherever they lie. Not of a database that cannot be opened
 * or is of another version: that is told by `checkDatabase`.
 */
export async function checkObjects(path: string, objects: ObjectStore): Promise<Finding[]> {
  const what = `objects of the archive in ${objects.where}`;
  const store = opened(path);
  if (store === undefined) return [];
  try {
    if (versionFault(store) !== undefined) return [];
    const found = await verifyArchive(store.db, objects);
    return [{ what, faults: faultLines(found), notes: [readWords(found), ...noteLines(found)] }];
  } catch (error) {
    return [{ what, faults: [`broke off: ${messageOf(error)}`], notes: [] }];
  } finally {
    store.close();
  }
}

function opened(path: string): Store | undefined {
  try {
    return openReadOnly(path);
  } catch {
    return undefined;
  }
}

/** Checks everything in a database file off the event loop, so that reports are taken and answered meanwhile. */

export function checkOnWorker(
  path: string,
  auditKey: MacKey | undefined,
  { rawSignals, s3 }: CheckRequest["archive"],
): Promise<Finding[]> {
  const request: CheckRequest = { path, auditKey: auditKey?.forWorker(), archive: { rawSignals, s3 } };
  return askWorker<Finding[]>(new URL("./check_worker.ts", import.meta.url), request);
}
