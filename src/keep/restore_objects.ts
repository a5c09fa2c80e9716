/** The objects of a restored database: proven where they lie, or put back into the archive from beside the backup. */

import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  dropPlace,
  listPacks,
  type NumberedObject,
  type NumberedPack,
  objectsIn,
  objectsNamed,
  recordPack,
} from "../archive/objects.ts";
import { unknownPacks } from "../archive/packing.ts";
import { mapConcurrent } from "../base/concurrency.ts";
import { countText, countWords, messageOf } from "../base/text.ts";
import { verifyObject } from "../store/object_check.ts";
import {
  type ObjectFault,
  type ObjectStore,
  type Place,
  type StoredObject,
  StoreFault,
} from "../store/objects.ts";
import { packAsObject, verifyPack } from "../store/pack.ts";
import type { Db, Tx } from "../store/store.ts";
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

interface WantedObjects {
  readonly backup: string;
  readonly seal: Seal;
  readonly archive: ObjectStore;
  /** What the paths of copies on their way begin with. */
  readonly temporary: string;
  /** Writes into the restored database. */
  readonly write: (change: (tx: Tx) => void) => Promise<void>;
  readonly now: number;
  readonly onlyProves?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const AT_ONCE = 8;

/**
 * Sees to it that every object that a restored database names lies whole in the archive: what does stays untouched, what does not is put
 * there from beside the backup, if it is whole there; of packs each is read once. Killed at any moment it can be done again. Throws what
 * keeps the archive from being used. With `onlyProves` they are only proven, where they lie for the backup; of a place that cannot be
 * read all the rest then lacks.
 */
export async function restoreObjects(db: Db, wanted: WantedObjects): Promise<RestoredObjects> {
  const { backup, seal, archive, temporary, write, now, onlyProves = false, signal } = wanted;
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
      ended = messageOf(error);
      return "ended";
    }
  }

  /** Puts an object or a pack into the archive, where `as` says. */
  async function bring(
    object: StoredObject,
    from: ObjectStore,
    as: Place | undefined,
  ): Promise<ObjectFault | "ended" | undefined> {
    const path = `${temporary}${++copies}`;
    try {
      const fault = await looked(() => fetchObject(from, object, path));
      if (fault !== undefined) return fault;
      await archive.put({ ...object, place: as }, path, { anew: true });
      return undefined;
    } finally {
      await rm(path, { force: true });
    }
  }

  async function look(at: ObjectStore, object: StoredObject): Promise<ObjectFault | undefined> {
    // Where nothing was stored yet there is nothing to read: the archive is no less there for it.
    return (await at.find(object)) === undefined ? "missing" : verifyObject(at, object);
  }

  /** Packs that hold whole all that the database looks for in them. */
  const whole = new Set<string>();
  async function provePack(pack: NumberedPack): Promise<void> {
    signal?.throwIfAborted();
    const objects = objectsIn(db, pack.id);
    const holds = async (store: ObjectStore) =>
      (await store.find(packAsObject(pack)))?.storedBytes === pack.bytes &&
      (await verifyPack(store, pack, objects)).every(({ fault }) => fault === undefined);
    if (onlyProves) {
      if ((await looked(() => holds(beside ?? archive))) !== true) return;
    } else if (!(await holds(archive))) {
      const packed = packAsObject(pack);
      if (beside === undefined || (await bring(packed, beside, packed.place)) !== undefined) return;
      restored += objects.length;
    }
    whole.add(pack.path);
  }

  async function faultOf(object: NumberedObject): Promise<ObjectFault | "ended" | undefined> {
    if (object.place !== undefined && whole.has(object.place.pack)) return undefined;
    const alone = { ...object, place: undefined };
    // What was whole of a damaged pack may lie by itself.
    const ways = object.place === undefined ? [alone] : [object, alone];
    let fault: ObjectFault | "ended" | undefined;
    for (const way of ways) {
      const found = onlyProves
        ? await looked(() => verifyObject(beside ?? archive, way))
        : await look(archive, way);
      if (found === undefined) return settleAlone(object, way.place);
      fault ??= found;
    }
    if (onlyProves || beside === undefined) return fault;
    fault = undefined;
    for (const way of ways) {
      const found = await bring(way, beside, undefined);
      if (found === undefined) {
        restored++;
        return settleAlone(object, undefined);
      }
      fault ??= found;
    }
    return fault;
  }

  async function settleAlone({ sha256, place }: NumberedObject, as: Place | undefined): Promise<undefined> {
    if (place !== undefined && as === undefined) await write((tx) => dropPlace(tx, sha256));
  }

  /** Packs that were made after the backup hold what the database looks for elsewhere. */
  async function takeInPacks(): Promise<void> {
    if (await archive.isAbsent()) return;
    for await (const { packed, placed } of unknownPacks(db, archive)) {
      await write((tx) => recordPack(tx, packed, placed, now));
    }
  }

  if (!onlyProves) await takeInPacks();
  else if (beside === undefined) await looked(takeInPacks);
  await mapConcurrent(listPacks(db), AT_ONCE, provePack);
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
