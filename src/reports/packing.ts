/**
 * Packing bodies off the path of an answer: a report is stored with its body as it came, and within minutes the bodies of a site are
 * moved into packs, where they take about a tenth. A step takes one site: its bodies are read, compressed on another thread, unpacked and compared, and only then written, in one transaction that puts in the pack and
 * takes out what it holds. A crash before it leaves everything as it was.
 */

import { logOf } from "../base/log.ts";
import { isStorageFailure } from "../base/storage_fault.ts";
import type { Core } from "../store/core.ts";
import { checksumOf, isFresh, unpacked } from "../store/packs.ts";
import type { Db, Tx } from "../store/store.ts";
import {
  FULL,
  type Loose,
  type Pack,
  type PackedBody,
  type PackStore,
  packOf,
  packStore,
  type ReportKind,
  unpack,
} from "./reports.ts";

/** A kind of report whose bodies are packed. */
type Packable = ReturnType<typeof packable>;

/** Makes a kind of report packable: `upTo` is the last report of a site whose body may be packed; later ones are still read one by one. */
export function packable(kind: ReportKind, upTo: (db: Db, asset: string) => number) {
  return { kind, store: packStore(kind), upTo };
}

/** Loose bodies that are listed in one stretch, and in one step of it. */
const WINDOW = 32_768;
const SLICE = 256;
/** Between two steps, in milliseconds: whoever waits for an answer comes first. */
const PAUSE_MS = 4;
/** A report is left alone for so long, in milliseconds: a night's reports come together, and are judged and looked at before. */
const QUIET_MS = 5 * 60_000;

/** Bodies of one site that become a pack, with the pack that grows into it. */
type Step = NonNullable<ReturnType<typeof gather>>;

/** Packs what is loose and no longer fresh, site by site. */
export async function packBodies(deps: Core, packables: readonly Packable[]): Promise<void> {
  for (const of of packables) {
    const ends: Ends = new Map();
    for (let after = 0; !deps.writer.closed; ) {
      const window = await windowAfter(deps, of, after, ends);
      for (const [asset, loose] of window.sites) {
        if (!(await packSite(deps, of, asset, loose))) ends.set(asset, 0);
      }
      if (window.last === undefined) break;
      after = window.last;
    }
  }
}

/**
 * Up to where each site's bodies may be packed: a pack leaves none out between its first and its last, and what was left out could
 * not be packed any more.
 */
type Ends = Map<string, number>;

/**
 * Loose bodies by site, each in the order of its reports, from one stretch of ids, and where the next begins; undefined after the last.
 * Reads on until it has enough to pack: without an index by site, which every report would pay for.
 */
async function windowAfter(deps: Core, { store, upTo }: Packable, after: number, ends: Ends) {
  const { db } = deps.store;
  const now = deps.clock.now();
  const sites = new Map<string, Loose[]>();
  let last = after;
  for (let read = 0; read < WINDOW && !deps.writer.closed; read += SLICE) {
    const slice = store.looseAfter(db).all(last, SLICE);
    for (const one of slice) {
      const end = ends.get(one.asset) ?? upTo(db, one.asset);
      ends.set(one.asset, isFresh(one.received_at, now, QUIET_MS) ? Math.min(end, one.id - 1) : end);
      if (one.id > (ends.get(one.asset) ?? 0)) continue;
      const loose = sites.get(one.asset);
      if (loose === undefined) sites.set(one.asset, [one]);
      else loose.push(one);
    }
    const end = slice.at(-1);
    if (end === undefined || slice.length < SLICE) return { sites, last: undefined };
    last = end.id;
    await Bun.sleep(0);
  }
  return { sites, last };
}

/** Packs bodies of one site. Says whether it packed them all. */
async function packSite(deps: Core, of: Packable, asset: string, loose: readonly Loose[]): Promise<boolean> {
  try {
    for (let done = 0; done < loose.length && !deps.writer.closed; ) {
      const packed = await packOnce(deps, of, asset, loose.slice(done, done + FULL.bodies));
      if (packed === 0) return false;
      done += packed;
      await Bun.sleep(PAUSE_MS);
    }
    return true;
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    logOf("reports").error("bodies of a site are not packed", { asset, reason: String(error) });
    return false;
  }
}

/** Makes one pack. Says how many bodies went into it. */
async function packOnce(deps: Core, of: Packable, asset: string, loose: readonly Loose[]): Promise<number> {
  const step = gather(deps.store.db, of, asset, loose);
  if (step === undefined) return 0;
  const bytes = sizeOf(step.all);
  const data = await packOf(step.all, step.all.length >= FULL.bodies || bytes >= FULL.bytes);
  const [first, last] = [step.all[0]?.id ?? 0, step.all.at(-1)?.id ?? 0];
  const pack = { asset, first, last, bodies: step.all.length, bytes, data };
  if (deps.writer.closed) return 0;
  const isPacked = await deps.writer.write((tx) => replace(tx, of.store, step, pack));
  return isPacked ? step.loose.length : 0;
}

function gather(db: Db, of: Packable, asset: string, next: readonly Loose[]) {
  const { store } = of;
  const newest = store.newest(db).first(asset);
  const grows = newest !== undefined && hasRoom(newest) ? newest : undefined;
  const held = grows === undefined ? [] : unpacked(of.kind.packs, grows, unpack);
  let [bodies, bytes] = [held.length, grows?.bytes ?? 0];
  const loose: PackedBody[] = [];
  for (const one of next) {
    // A pack takes one that brings it beyond the bound, and is full.
    if (bodies >= FULL.bodies || bytes >= FULL.bytes) break;
    const body = store.bodyOf(db).first(one.id)?.body;
    // Somebody else has packed it meanwhile.
    if (body === undefined || one.id <= (newest?.last ?? 0)) break;
    loose.push({ id: one.id, body: Buffer.from(body) });
    bodies++;
    bytes += one.bytes;
  }
  if (loose.length === 0) return undefined;
  return { asset, grows, loose, all: [...held, ...loose] };
}

const hasRoom = ({ bodies, bytes }: Pack) => bodies < FULL.bodies && bytes < FULL.bytes;

const sizeOf = (bodies: readonly PackedBody[]) => bodies.reduce((sum, { body }) => sum + body.byteLength, 0);

/**
 * Puts in the pack and takes out what it holds. Where somebody else packed meanwhile, it leaves everything as it is and says so: what
 * comes after it is then no longer what comes next.
 */
function replace(tx: Tx, store: PackStore, step: Step, pack: Omit<Pack, "id" | "checksum">): boolean {
  const ids = JSON.stringify(step.loose.map(({ id }) => id));
  const { asset, grows } = step;
  const there = store.isThere(tx).first(ids, asset, grows?.id ?? 0);
  if (there?.loose !== step.loose.length || there.grown !== (grows === undefined ? 0 : 1)) return false;
  const { first, last, bodies, bytes, data } = pack;
  store.insertPack(tx).run(asset, first, last, bodies, bytes, data, checksumOf(data));
  store.deleteLoose(tx).run(ids);
  if (grows !== undefined) store.deletePack(tx).run(grows.id);
  return true;
}
