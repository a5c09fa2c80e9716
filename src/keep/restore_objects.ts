/** The objects of a restored database: proven where they lie, or put back into the archive from beside the backup. */

import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { objectsNamed } from "../archive/objects.ts";
import { mapConcurrent } from "../base/concurrency.ts";
import { countText, countWords, messageOf } from "../base/text.ts";
import { verifyObject } from "../store/object_check.ts";
import type { ObjectFault, ObjectStore, StoredObject } from "../store/objects.ts";
import { StoreFault } from "../store/objects.ts";
import type { Db } from "../store/store.ts";
import {
  fetchObject,
  type ObjectsFound,
  ObjectTally,
  objectFaultWords,
  reportHeld,
  storeBeside,
} from "./backup_objects.ts";
import type { Seal } from "./seal.ts";

export interface RestoreTally extends ObjectsFound {
  /** Those that the archive did not hold whole, and that were put into it from beside the backup. */
  readonly restored: number;
}

/** Which objects, and where they may be. */
export interface ObjectsToProve {
  readonly named: Iterable<StoredObject>;
  /** What an object holds, for people. */
  readonly meant: (sha256: string) => string;
}

const AT_ONCE = 8;

/** Proves of every object that it lies whole in a store. Of a store that cannot be read it says so, and that all the rest lacks. */
export async function proveObjects(
  { named, meant }: ObjectsToProve,
  store: ObjectStore,
): Promise<ObjectsFound> {
  const tally = new ObjectTally(meant);
  let ended: string | undefined;
  await mapConcurrent(named, AT_ONCE, async (object) => {
    tally.name(object);
    if (ended !== undefined) return tally.lack(object, undefined);
    try {
      const fault = await verifyObject(store, object);
      if (fault !== undefined) tally.lack(object, objectFaultWords(fault, store));
    } catch (error) {
      ended ??= messageOf(error);
      tally.lack(object, undefined);
    }
  });
  return tally.summary(ended);
}

/**
 * Sees to it that every object lies whole in the archive: what does stays untouched, what does not is put there from beside the
 * backup, if it is whole there. Killed at any moment it can be done again. Throws what keeps the archive from being used.
 */
export async function restoreObjects(
  { named, meant }: ObjectsToProve,
  places: {
    readonly archive: ObjectStore;
    /** Undefined where the backup was made without objects. */
    readonly beside: ObjectStore | undefined;
    /** A file that is not there yet. */
    readonly temporary: () => string;
  },
): Promise<RestoreTally> {
  const { archive, beside, temporary } = places;
  const tally = new ObjectTally(meant);
  let restored = 0;
  let ended: string | undefined;
  const bring = async (object: StoredObject, store: ObjectStore) => {
    const path = temporary();
    try {
      const fault = await fetchBeside(store, object, path);
      if (fault instanceof StoreFault) {
        ended ??= fault.message;
        tally.lack(object, undefined);
      } else if (fault !== undefined) {
        tally.lack(object, objectFaultWords(fault, store));
      } else {
        await archive.put(object, path, { anew: true });
        restored++;
      }
    } finally {
      await rm(path, { force: true });
    }
  };
  await mapConcurrent(named, AT_ONCE, async (object) => {
    tally.name(object);
    const fault = await faultIn(archive, object);
    if (fault === undefined) return;
    if (beside === undefined) tally.lack(object, objectFaultWords(fault, archive));
    else if (ended === undefined) await bring(object, beside);
    else tally.lack(object, undefined);
  });
  return { ...tally.summary(ended), restored };
}

async function fetchBeside(store: ObjectStore, object: StoredObject, path: string) {
  try {
    return await fetchObject(store, object, path);
  } catch (error) {
    if (error instanceof StoreFault) return error;
    throw error;
  }
}

/** What is wrong with an object in an archive of which there may be nothing yet. */
async function faultIn(archive: ObjectStore, object: StoredObject): Promise<ObjectFault | undefined> {
  const there = await archive.find(object.sha256);
  return there === undefined ? "missing" : verifyObject(archive, object);
}

/** What became of the objects of a restored database. */
export interface RestoredObjects extends RestoreTally {
  /** Whether the backup was made without them: then the archive alone has them. */
  readonly leftOut: boolean;
}

/** Proves the objects that a restored database names, and brings those that the archive has not. */
export async function restoreObjectsOf(
  db: Db,
  wanted: {
    readonly backup: string;
    readonly seal: Seal;
    readonly archive: ObjectStore;
    /** What the paths of copies on their way begin with. */
    readonly temporary: string;
    /** Whether they are only proven, where they lie for the backup. */
    readonly onlyProves?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<RestoredObjects> {
  const { backup, seal, archive, temporary, onlyProves = false, signal } = wanted;
  const leftOut = seal.objects.left_out;
  const beside = leftOut ? undefined : storeBeside(dirname(backup));
  const objects = { named: until(signal, objectsNamed(db)), meant: reportHeld(db) };
  if (onlyProves) {
    const proven = await proveObjects(objects, beside ?? archive);
    return { ...proven, restored: 0, leftOut };
  }
  let copies = 0;
  const found = await restoreObjects(objects, {
    archive,
    beside,
    temporary: () => `${temporary}${++copies}`,
  });
  return { ...found, leftOut };
}

/** That some are not there, in words. */
export function lackingWords({ named, lacking, leftOut }: RestoredObjects): string {
  const why = leftOut ? "; the backup was made without them, so that only the archive itself has them" : "";
  return `of ${countWords(named, "object")} that its manifest names, ${countText(lacking)} ${lacking === 1 ? "is" : "are"} not there whole${why}`;
}

/** Throws instead of the next item once a signal is given. */
function* until<T>(signal: AbortSignal | undefined, items: Iterable<T>): Generator<T> {
  for (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}
