/**
 * Packing bodies off the path of an answer: a report is stored with its body as it came, and within minutes the bodies of a site are
 * moved into packs, where they take about a tenth. A step takes one site: its bodies are read and proven by the digests of their
 * rows, compressed on another thread, unpacked and compared, and only then written, in one transaction that puts in the pack and
 * takes out what it holds. A crash before it leaves everything as it was.
 */
import { type Db, isStorageFailure, type Tx, type Writer } from "../db/mod.ts";
import { logOf } from "../platform/log.ts";
import { type Pack, type PackStore, packStore } from "./body_store.ts";
import { type Digested, type ReportKind, reportDigester } from "./kind.ts";
import { FULL, type PackedBody, packOf, unpack } from "./pack.ts";
import { packDigest } from "./pack_digest.ts";

/** What packing needs. */
export interface PackDeps {
  readonly store: { readonly db: Db };
  readonly writer: Pick<Writer, "write" | "closed">;
}

/** The last report of a site whose body may be packed; later ones are still read one by one. */
type UpTo = (db: Db, asset: string) => number;

/** A kind of report whose bodies are packed. */
export interface Packable {
  readonly kind: ReportKind;
  readonly store: PackStore;
  readonly digestOf: (report: Digested) => number;
  readonly upTo: UpTo;
}

/** Makes a kind of report packable. */
export function packable(kind: ReportKind, upTo: UpTo): Packable {
  return { kind, store: packStore(kind), digestOf: reportDigester(kind), upTo };
}

/** Between two steps, in milliseconds: whoever waits for an answer comes first. */
const PAUSE_MS = 4;

/** Bodies of one site that become a pack, with the pack that grows into it. */
interface Step {
  readonly asset: string;
  readonly grows: Pack | undefined;
  readonly loose: readonly PackedBody[];
  readonly all: readonly PackedBody[];
}

/** Packs what is loose, site by site. */
export async function packBodies(deps: PackDeps, packables: readonly Packable[]): Promise<void> {
  for (const of of packables) {
    for (let asset = ""; !deps.writer.closed; ) {
      const next = of.store.nextAsset(deps.store.db).first(asset)?.asset;
      if (next === undefined) break;
      asset = next;
      await packSite(deps, of, asset);
    }
  }
}

async function packSite(deps: PackDeps, of: Packable, asset: string): Promise<void> {
  try {
    while (!deps.writer.closed && (await packOnce(deps, of, asset))) await Bun.sleep(PAUSE_MS);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    logOf("reports").error("bodies of a site are not packed", { asset, reason: String(error) });
  }
}

/** Makes one pack. Says whether there was anything to pack. */
async function packOnce(deps: PackDeps, of: Packable, asset: string): Promise<boolean> {
  const step = gather(deps.store.db, of, asset);
  if (step === undefined) return false;
  const bytes = sizeOf(step.all);
  const data = await packOf(step.all, step.all.length >= FULL.bodies || bytes >= FULL.bytes);
  assertSame(unpack(data), step.all);
  const [first, last] = [step.all[0]?.id ?? 0, step.all.at(-1)?.id ?? 0];
  const pack = { asset, first, last, bodies: step.all.length, bytes, data };
  if (deps.writer.closed) return false;
  await deps.writer.write((tx) => replace(tx, of.store, step, pack));
  return true;
}

function gather(db: Db, of: Packable, asset: string): Step | undefined {
  const { store } = of;
  const newest = store.newest(db).first(asset);
  const grows = newest !== undefined && hasRoom(newest) ? newest : undefined;
  const held = grows === undefined ? [] : unpack(grows.data);
  let [bodies, bytes] = [held.length, grows?.bytes ?? 0];
  const loose: PackedBody[] = [];
  for (const one of store.looseOf(db).all(asset, newest?.last ?? 0, of.upTo(db, asset), FULL.bodies)) {
    // A pack that is not empty takes one that brings it beyond the bound, and is full.
    if (bodies >= FULL.bodies || bytes >= FULL.bytes) break;
    const body = store.bodyOf(db).first(one.id)?.body;
    if (body === undefined) break;
    loose.push({ id: one.id, body: Buffer.from(body) });
    bodies++;
    bytes += one.bytes;
  }
  if (loose.length === 0) return undefined;
  const all = [...held, ...loose];
  assertProven(db, of, all);
  return { asset, grows, loose, all };
}

const hasRoom = ({ bodies, bytes }: Pack) => bodies < FULL.bodies && bytes < FULL.bytes;

const sizeOf = (bodies: readonly PackedBody[]) => bodies.reduce((sum, { body }) => sum + body.byteLength, 0);

/** Every body must be what the digest of its row says, before it is put anywhere else; else it stays, for `check` to tell of. */
function assertProven(db: Db, { kind, store, digestOf }: Packable, all: readonly PackedBody[]): void {
  const rows = new Map(
    store
      .rowsOf(db)
      .all(kind.rows, JSON.stringify(all.map(({ id }) => id)))
      .map((row) => [row.id, row]),
  );
  for (const { id, body } of all) {
    const row = rows.get(id);
    if (row === undefined || row.digest !== digestOf({ ...row, body: body.toString("utf8") })) {
      throw new Error(`${kind.called} ${id} is not as it was written`);
    }
  }
}

function assertSame(unpacked: readonly PackedBody[], all: readonly PackedBody[]): void {
  const isSame =
    unpacked.length === all.length &&
    all.every(({ id, body }, place) => unpacked[place]?.id === id && body.equals(unpacked[place].body));
  if (!isSame) throw new Error("what was packed does not come out as it went in");
}

/** Puts in the pack and takes out what it holds. Where somebody else packed meanwhile, it leaves everything as it is. */
function replace(tx: Tx, store: PackStore, step: Step, pack: Omit<Pack, "id">): void {
  const ids = JSON.stringify(step.loose.map(({ id }) => id));
  const { asset, grows } = step;
  const there = store.isThere(tx).first(ids, asset, grows?.id ?? 0);
  if (there?.loose !== step.loose.length || there.grown !== (grows === undefined ? 0 : 1)) return;
  const { first, last, bodies, bytes, data } = pack;
  store.insertPack(tx).run(asset, first, last, bodies, bytes, data, packDigest(pack));
  store.deleteLoose(tx).run(ids);
  if (grows !== undefined) store.deletePack(tx).run(grows.id);
}
