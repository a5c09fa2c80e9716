/**
 * Packing: what was stored in a month that ended more than 30 days ago goes into packs, one for each site, provider and month. At every
 * moment an object lies whole where its row says: a pack is safe in the store, and every object in it was read back and compared, before
 * the places are noted; by itself an object goes a week after that, when its pack was read and compared once more. Killed at any step
 * the next run does the rest: what lies in both places is no fault.
 */

import { rm } from "node:fs/promises";
import type { Config } from "../base/config.ts";
import { isFull } from "../base/storage_fault.ts";
import { DAY_MS, utcDayOf } from "../base/time.ts";
import { verifyObject } from "../store/object_check.ts";
import { faultThrown, type ObjectStore, StoreFault } from "../store/objects.ts";
import {
  MOST_PACK_BYTES,
  MOST_PACKED,
  namedInPack,
  type Pack,
  packAsObject,
  pathOfPack,
  verifyPack,
  writePack,
} from "../store/pack.ts";
import { type Db, statement } from "../store/store.ts";
import {
  findObject,
  findObjectRow,
  findPack,
  listLoosePacks,
  type NumberedPack,
  objectsIn,
  type PackedObject,
} from "./objects.ts";
import { targetsById } from "./plan.ts";
import { inOrder, type VerifyEvent, type VerifyScope, verifyObjects } from "./verify_events.ts";

const LEFT_LOOSE_MS = 30 * DAY_MS;
/** How long objects lie in both places: whoever reads by an older state of the database, a backup that is copied, is done by then. */
const IN_BOTH_MS = 7 * DAY_MS;
const SLICE = 4_096;

/** What is to be packed: the rows of objects after `packedTo`. */
interface PackScope {
  readonly packedTo: number;
  readonly now: number;
  /** What the paths of packs on their way begin with. */
  readonly temporary: string;
}

/** A pack that is safe, with the rows of objects that lie whole in it, and where each begins. */
interface Packed {
  readonly packed: Pack;
  readonly placed: readonly (readonly [object: number, start: number])[];
}

export type PackEvent =
  | Packed
  /** The row of an object up to which all is packed that can be. */
  | { readonly packedTo: number }
  /** The row of a pack whose objects lie by themselves no more, but for those that the pack does not hold whole. */
  | { readonly cleared: number; readonly loose: readonly string[] };

/** What a worker is asked, and where it finds what it needs. */
export interface WorkerQuestion {
  readonly scope: VerifyScope | PackScope;
  readonly path: string;
  readonly archive: Pick<Config, "rawSignals" | "s3">;
}

/** Does what is asked of objects. Throws `StoreFault`. */
export const workOnObjects = (
  db: Db,
  store: ObjectStore,
  scope: WorkerQuestion["scope"],
): AsyncGenerator<VerifyEvent | PackEvent> =>
  typeof scope === "object" && "packedTo" in scope
    ? packObjects(db, store, scope)
    : verifyObjects(db, store, scope);

async function* packObjects(
  db: Db,
  store: ObjectStore,
  { packedTo, now, temporary }: PackScope,
): AsyncGenerator<PackEvent> {
  yield* unknownPacks(db, store);
  yield* inOrder(store, listLoosePacks(db, now - IN_BOTH_MS), (pack) => clear(db, store, pack));
  const last = lastBefore(db, packedTo, startOfMonth(now - LEFT_LOOSE_MS), now);
  if (last <= packedTo) return;
  const groups = [...groupsOf(db, packedTo, last).entries()];
  const made = inOrder(store, groups, ([place, group]) => pack(db, store, group, `${temporary}${place}`));
  for await (const event of made) if (event !== undefined) yield event;
  yield { packedTo: last };
}

/**
 * Packs that no row names, with what they hold of objects that lie by themselves for all that the database knows: a run was killed before
 * it noted them, or the database is an older one that was put back.
 */
export async function* unknownPacks(db: Db, store: ObjectStore): AsyncGenerator<Packed> {
  for await (const path of store.listFiles("packs/")) {
    if (findPack(db, path) !== undefined) continue;
    const placed: PackedObject[] = [];
    let bytes = 0;
    try {
      for await (const { sha256, storedBytes, place } of namedInPack(store, path)) {
        bytes = place.start + storedBytes;
        const object = findObject(db, sha256);
        if (object?.storedBytes === storedBytes && object.place === undefined)
          placed.push({ ...object, place });
      }
    } catch (error) {
      if (faultThrown(error) === undefined) throw error;
    }
    const packed = { path, bytes };
    const whole = await wholeIn(store, packed, placed);
    if (whole.length > 0) yield { packed, placed: whole };
  }
}

/** The objects that a pack was found to hold whole. */
const wholeIn = async (
  store: ObjectStore,
  packed: Pack,
  placed: readonly PackedObject[],
): Promise<Packed["placed"]> =>
  placed.length === 0
    ? []
    : (await verifyPack(store, packed, placed)).flatMap(({ object: { id, place }, fault }) =>
        fault === undefined ? [[id, place.start] as const] : [],
      );

/** Removes what lies by itself of the objects that a pack holds whole. */
async function clear(db: Db, store: ObjectStore, pack: NumberedPack): Promise<PackEvent> {
  const loose: string[] = [];
  for (const { object, fault } of await verifyPack(store, pack, objectsIn(db, pack.id))) {
    const { sha256 } = object;
    if (fault === undefined) await store.remove(sha256);
    else if ((await verifyObject(store, { ...object, place: undefined })) === undefined) loose.push(sha256);
  }
  return { cleared: pack.id, loose };
}

/** Rows of objects that go into one pack. */
interface Group {
  /** Provider, site and month. */
  readonly of: string;
  readonly objects: number[];
  bytes: number;
}

async function pack(
  db: Db,
  store: ObjectStore,
  { of, objects }: Group,
  into: string,
): Promise<PackEvent | undefined> {
  try {
    const made = await writePack(
      store,
      objects.flatMap((id) => findObjectRow(db, id) ?? []),
      into,
    );
    if (made === undefined) return undefined;
    const packed = { path: pathOfPack(of, made.sha256), bytes: made.bytes };
    await store.put(packAsObject(packed), into);
    const placed = made.placed.map(({ object, start }) => ({
      ...object,
      place: { pack: packed.path, start },
    }));
    const whole = await wholeIn(store, packed, placed);
    return whole.length === 0 ? undefined : { packed, placed: whole };
  } catch (error) {
    throw isFull(error) ? new StoreFault("full", into) : error;
  } finally {
    await rm(into, { force: true });
  }
}

const monthOf = (ms: number): string => utcDayOf(ms).slice(0, 7);
const startOfMonth = (ms: number): number => Date.parse(monthOf(ms));

// A clock that ran ahead left rows of days to come: they are as old as those beside them.
const firstSince = statement<{ id: number }, [number, number, number]>(
  "SELECT id FROM archive_object WHERE id > ? AND stored_at BETWEEN ? AND ? ORDER BY id LIMIT 1",
);
const newest = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM archive_object");

/** The last row of an object before the first that was stored since a moment. */
function lastBefore(db: Db, after: number, since: number, now: number): number {
  const first = firstSince(db).first(after, since, now);
  return first === undefined ? (newest(db).first()?.id ?? 0) : first.id - 1;
}

// With the target of the first report that each was of.
const due = statement<
  { id: number; stored_at: number; stored_bytes: number; target: number | null },
  [number, number, number, number]
>(
  `SELECT o.id, o.stored_at, o.stored_bytes, (SELECT r.target FROM archive_report r WHERE r.object = o.id ORDER BY r.id LIMIT 1) AS target
   FROM archive_object o WHERE o.id > ? AND o.id <= ? AND o.stored_bytes <= ?
     AND NOT EXISTS (SELECT 1 FROM archive_place p WHERE p.object = o.id)
     AND NOT EXISTS (SELECT 1 FROM archive_object later WHERE later.sha256 = o.sha256 AND later.id > o.id)
   ORDER BY o.id LIMIT ?`,
);

/** Objects that lie by themselves, by the packs that they go into. */
function groupsOf(db: Db, after: number, to: number): Group[] {
  const targets = targetsById(db);
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (let [last, count] = [after, SLICE]; count === SLICE; ) {
    const rows = due(db).all(last, to, MOST_PACK_BYTES, SLICE);
    count = rows.length;
    last = rows.at(-1)?.id ?? last;
    for (const { id, target, stored_at, stored_bytes } of rows) {
      const named = target === null ? undefined : targets.get(target);
      if (named === undefined) continue;
      const of = `${named.provider}/${named.asset}/${monthOf(stored_at)}`;
      let group = open.get(of);
      if (
        group === undefined ||
        group.objects.length === MOST_PACKED ||
        group.bytes + stored_bytes > MOST_PACK_BYTES
      ) {
        group = { of, objects: [], bytes: 0 };
        open.set(of, group);
        groups.push(group);
      }
      group.objects.push(id);
      group.bytes += stored_bytes;
    }
  }
  return groups;
}
