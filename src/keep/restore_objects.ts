/** The objects of a restored database: proven where they lie, or put back into the archive from beside the backup. */

import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { objectsNamed } from "../archive/objects.ts";
import { mapConcurrent } from "../base/concurrency.ts";
import { countText, countWords, messageOf } from "../base/text.ts";
import { verifyObject } from "../store/object_check.ts";
import { type ObjectFault, type ObjectStore, type StoredObject, StoreFault } from "../store/objects.ts";
import type { Db } from "../store/store.ts";
import {
  fetchObject,
  type ObjectsFound,
  ObjectTally,
  objectFaultWords,
  storeBeside,
} from "./backup_objects.ts";
import type { Seal } from "./seal.ts";

/** What became of the objects of a restored database. */
export interface RestoredObjects extends ObjectsFound {
  /** Those that the archive did not hold whole, and that were put into it from beside the backup. */
  readonly restored: number;
  /** Whether the backup was made without them: then the archive alone has them. */
  readonly leftOut: boolean;
}

const AT_ONCE = 8;

/**
 * Sees to it that every object that a restored database names lies whole in the archive: what does stays untouched, what does not is put
 * there from beside the backup, if it is whole there. Killed at any moment it can be done again. Throws what keeps the archive from being
 * used. With `onlyProves` they are only proven, where they lie for the backup; of a place that cannot be read all the rest then lacks.
 */
export async function restoreObjects(
  db: Db,
  wanted: {
    readonly backup: string;
    readonly seal: Seal;
    readonly archive: ObjectStore;
    /** What the paths of copies on their way begin with. */
    readonly temporary: string;
    readonly onlyProves?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<RestoredObjects> {
  const { backup, seal, archive, temporary, onlyProves = false, signal } = wanted;
  const leftOut = seal.objects.left_out;
  const beside = leftOut ? undefined : storeBeside(dirname(backup));
  const tally = new ObjectTally(db);
  let [restored, copies] = [0, 0];
  let ended: string | undefined;

  /** What a look comes to; "ended" once the place cannot be read. */
  async function looked<T>(look: () => Promise<T>): Promise<T | "ended"> {
    if (ended !== undefined) return "ended";
    try {
      return await look();
    } catch (error) {
      if (!onlyProves && !(error instanceof StoreFault)) throw error;
      ended ??= messageOf(error);
      return "ended";
    }
  }

  async function bring(object: StoredObject, from: ObjectStore): Promise<ObjectFault | "ended" | undefined> {
    const path = `${temporary}${++copies}`;
    try {
      const fault = await looked(() => fetchObject(from, object, path));
      if (fault !== undefined) return fault;
      await archive.put(object, path, { anew: true });
      restored++;
      return undefined;
    } finally {
      await rm(path, { force: true });
    }
  }

  async function faultOf(object: StoredObject): Promise<ObjectFault | "ended" | undefined> {
    if (onlyProves) return looked(() => verifyObject(beside ?? archive, object));
    const there = await archive.find(object.sha256);
    const fault = there === undefined ? "missing" : await verifyObject(archive, object);
    return fault === undefined || beside === undefined ? fault : bring(object, beside);
  }

  await mapConcurrent(objectsNamed(db), AT_ONCE, async (object) => {
    signal?.throwIfAborted();
    tally.name(object);
    const fault = await faultOf(object);
    if (fault === undefined) return;
    tally.lack(object, fault === "ended" ? undefined : objectFaultWords(fault, beside ?? archive));
  });
  return { ...tally.summary(ended), restored, leftOut };
}

/** That some are not there, in words. */
export function lackingWords({ named, lacking, leftOut }: RestoredObjects): string {
  const why = leftOut ? "; the backup was made without them, so that only the archive itself has them" : "";
  return `of ${countWords(named, "object")} that its manifest names, ${countText(lacking)} ${lacking === 1 ? "is" : "are"} not there whole${why}`;
}
