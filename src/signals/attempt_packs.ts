/** Packs of attempts as they are stored, and packing: reading what is loose, putting a pack in, taking out what it holds. */

import { logOf } from "../base/log.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import type { Core } from "../store/core.ts";
import { checksumOf, isFresh, LOW_PRIORITY, packed, packFaults, unpacked } from "../store/packs.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import { type AttemptRow, targetsById } from "./attempts.ts";
import {
  dropPackedObservations,
  lastPackedObservation,
  listLooseObservations,
  observedAtOf,
  PACK_OBSERVATIONS,
  packObservations,
  putObservations,
  standInBoth,
} from "./observations.ts";
import { pullAttempt, pullAttemptPack } from "./tables.ts";

// The form of a pack of attempts: how many there are, then one column after another, every value as the
// distance from what it most likely is, in one zstd frame. Runs ask the same targets in nearly the same
// order at a steady pace, so that an attempt takes less than three bytes of the hundred that it has as a
// row.

/** Attempts of a pack: few enough to be read within a millisecond or two, enough to say little anew. */
export const PACK_ATTEMPTS = 4_096;

/** Compresses attempts on another thread. Their ids must follow one another. */
export function packAttempts(rows: readonly AttemptRow[]): Promise<Buffer> {
  return packed(contentOf(rows), rows, (data) => unpackAttempts(data, rows[0]?.id ?? 0));
}

function contentOf(rows: readonly AttemptRow[]): Uint8Array {
  const out = new VarintWriter();
  const column = (of: (row: AttemptRow) => number) => {
    for (const row of rows) out.put(of(row));
  };
  const steps = (of: (row: AttemptRow) => number) => {
    let before = 0;
    column((row) => {
      const step = unsigned(of(row) - before);
      before = of(row);
      return step;
    });
  };
  out.put(rows.length);
  steps(({ run }) => run);
  steps(({ target }) => target);
  // They are stored as they end, so that their ends lie closer together than their beginnings.
  steps(({ started_at, took_ms }) => started_at + took_ms);
  column(({ took_ms }) => took_ms);
  column(({ outcome }) => outcome);
  column(({ category }) => (category === null ? 0 : category + 1));
  column(({ next_retry_at: next, started_at }) => (next === null ? 0 : unsigned(next - started_at) + 1));
  column(({ requests }) => requests);
  column(({ changed }) => changed);
  return out.bytes();
}

/** The attempts of a pack whose first one has this id. Throws when it is not what `packAttempts` made. */
export function unpackAttempts(data: Uint8Array, first: number): AttemptRow[] {
  const from = new VarintReader(Bun.zstdDecompressSync(data));
  const length = from.take();
  if (length > PACK_ATTEMPTS) throw new RangeError("a pack holds more attempts than it may");
  const column = () => Array.from({ length }, () => from.take());
  const steps = () => {
    let at = 0;
    return column().map((step) => (at += signed(step)));
  };
  const [run, target, ended] = [steps(), steps(), steps()];
  const [took, outcome, category] = [column(), column(), column()];
  const [retry, requests, changed] = [column(), column(), column()];
  return run.map((ofRun, place) => {
    const at = (values: readonly number[]) => values[place] ?? 0;
    const started_at = at(ended) - at(took);
    return {
      id: first + place,
      run: ofRun,
      target: at(target),
      started_at,
      took_ms: at(took),
      outcome: at(outcome),
      category: at(category) === 0 ? null : at(category) - 1,
      next_retry_at: at(retry) === 0 ? null : started_at + signed(at(retry) - 1),
      requests: at(requests),
      changed: at(changed),
    };
  });
}

/** A pack as it is stored. */
type Pack = typeof pullAttemptPack.$inferSelect;
/** What is known of a pack without unpacking it. */
type PackHead = Omit<Pack, "data" | "checksum">;

/** What a pack is to say of the attempts in it. */
function headOf(rows: readonly AttemptRow[]): Omit<PackHead, "id"> {
  const least = (of: (row: AttemptRow) => number) =>
    rows.reduce((all, row) => Math.min(all, of(row)), Infinity);
  const most = (of: (row: AttemptRow) => number) =>
    rows.reduce((all, row) => Math.max(all, of(row)), -Infinity);
  return {
    first: rows[0]?.id ?? 0,
    last: rows.at(-1)?.id ?? 0,
    first_run: least(({ run }) => run),
    last_run: most(({ run }) => run),
    began_from: least(({ started_at }) => started_at),
    began_to: most(({ started_at }) => started_at),
    outcomes: rows.reduce((bits, { outcome }) => bits | (1 << outcome), 0),
    categories: rows.reduce((bits, { category }) => (category === null ? bits : bits | (1 << category)), 0),
  };
}

const lastPacked = statement<{ last: number | null }, []>("SELECT max(last) AS last FROM pull_attempt_pack");

/** The last attempt that lies in a pack; 0 where none does. Every one up to it lies in one. */
export function lastPackedAttempt(db: Db): number {
  return lastPacked(db).first()?.last ?? 0;
}

const looseAfter = statement<AttemptRow, [number, number]>(
  `SELECT ${columnsOf(pullAttempt)} FROM pull_attempt WHERE id > ? ORDER BY id LIMIT ?`,
);

/** Loose attempts after an id, in the order of their ids. */
function listLoose(db: Db, after: number, limit: number): AttemptRow[] {
  return looseAfter(db).all(after, limit);
}

/** Puts a pack in. A trigger refuses one that does not go on where the last one ends. */
const append = appending(pullAttemptPack);

const packedAfter = statement<{ id: number; is_settled: number }, [number, number, number]>(
  `SELECT id, EXISTS (SELECT 1 FROM pull_attempt later WHERE later.target = a.target AND later.id > a.id) AS is_settled
   FROM pull_attempt a WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
);
const deleteLoose = statement<never, [string]>(
  "DELETE FROM pull_attempt WHERE id IN (SELECT value FROM json_each(?))",
);

/**
 * Takes out loose attempts that lie in a pack, but for the latest of each target, among so many after an id. Returns where the next
 * ones begin; undefined after the last. Triggers refuse to take out any other.
 */
function dropPacked(tx: Tx, after: number, limit: number): number | undefined {
  const found = packedAfter(tx).all(after, lastPackedAttempt(tx), limit);
  const ids = found.filter(({ is_settled }) => is_settled === 1).map(({ id }) => id);
  if (ids.length > 0) deleteLoose(tx).run(JSON.stringify(ids));
  return found.at(-1)?.id;
}

const wholePack = statement<Pack, [number]>(
  `SELECT ${columnsOf(pullAttemptPack)} FROM pull_attempt_pack WHERE id = ?`,
);

/** What attempts are looked for by; a mask has a bit for each value that is wanted. */
export interface PackSearch {
  /** Only attempts with lesser ids. */
  readonly before: number;
  readonly firstRun: number;
  readonly lastRun: number;
  readonly from: number;
  readonly to: number;
  readonly outcomes: number;
  /** 0 where attempts without a category are wanted, too. */
  readonly categories: number;
}

const packWith = statement<PackHead, [number, number, number, number, number, number, number, number]>(
  `SELECT id, first, last, first_run, last_run, began_from, began_to, outcomes, categories
   FROM pull_attempt_pack INDEXED BY pull_attempt_pack_holds
   WHERE first < ? AND last_run >= ? AND first_run <= ? AND began_to >= ? AND began_from < ? AND outcomes & ? <> 0
     AND (? = 0 OR categories & ? <> 0) ORDER BY last DESC LIMIT 1`,
);

/** The newest pack that may hold what is looked for. */
export function packThatMayHold(db: Db, search: PackSearch): PackHead | undefined {
  const { before, firstRun, lastRun, from, to, outcomes, categories } = search;
  return packWith(db).first(before, firstRun, lastRun, from, to, outcomes, categories, categories);
}

/** Unpacked packs that are kept: the pages of a list follow one another. */
const KEPT = 4;
const kept = prepared(() => new Map<number, readonly AttemptRow[]>());

/** The attempts of a pack. Throws `DamagedRow` where it is not as it was written. */
export function attemptsOfPack(db: Db, id: number): readonly AttemptRow[] {
  const known = kept(db);
  const found = known.get(id);
  if (found !== undefined) {
    known.delete(id);
    known.set(id, found);
    return found;
  }
  const pack = wholePack(db).first(id);
  if (pack === undefined) throw new DamagedRow(`pull_attempt_pack, row ${id}: it is gone`);
  const attempts = unpacked("pull_attempt_pack", pack, (data) => unpackAttempts(data, pack.first));
  if (known.size >= KEPT) known.delete(known.keys().next().value ?? 0);
  known.set(id, attempts);
  return attempts;
}

/** Packs that are not as they were written, or do not hold what their columns say. */
export const attemptFaults = packFaults<Pack>(pullAttemptPack, (data, { first }) =>
  headOf(unpackAttempts(data, first)),
);

// Packing what pulls leave behind, off the path of every answer: an attempt that is a day old is never read to be judged by, but for
// the latest of its target, and its observation hardly ever; so they go where they take a thirtieth, and a third, of their room.

/** Rows read in one turn of the event loop, and rows taken out in one transaction. */
const SLICE = 512;
const DROPPED = 512;
/** Targets looked at in one turn of the event loop. */
const TARGETS = 64;

/** Packs every full pack's worth of what is settled. Throws `DamagedRow` where an attempt is missing: a pack names its attempts by their places. */
export async function packSettled(deps: Core, attempts = PACK_ATTEMPTS, observations = PACK_OBSERVATIONS) {
  while (!deps.writer.closed && (await packNextAttempts(deps, attempts))) await takeOut(deps);
  await takeOut(deps);
  let looked = 0;
  for (const target of targetsById(deps.store.db).keys()) {
    await packTarget(deps, target, observations);
    if (++looked % TARGETS === 0) await Bun.sleep(0);
  }
}

/** Packs what is settled of a target. One that cannot be read keeps no other from being packed. */
async function packTarget(deps: Core, target: number, observations: number): Promise<void> {
  try {
    while (!deps.writer.closed && (await packNextObservations(deps, target, observations))) {
      // Until there is no full pack of it.
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    logOf("signals").error("observations are not packed", { target, reason: String(error) });
  }
}

/** Makes one pack of the attempts that come after the last one. Says whether it did. */
async function packNextAttempts({ store, writer, clock }: Core, attempts: number): Promise<boolean> {
  const after = lastPackedAttempt(store.db);
  const isLeft = ({ started_at }: AttemptRow) => isFresh(started_at, clock.now());
  const [last] = listLoose(store.db, after + attempts - 1, 1);
  if (last === undefined || isLeft(last)) return false;
  const rows: AttemptRow[] = [];
  while (rows.length < attempts) {
    const slice = listLoose(store.db, after + rows.length, Math.min(SLICE, attempts - rows.length));
    if (slice.length === 0) break;
    for (const row of slice) {
      const id = after + rows.length + 1;
      if (row.id !== id) throw new DamagedRow(`pull_attempt, row ${id}: it is missing`);
      if (isLeft(row)) return false;
      rows.push(row);
    }
    await Bun.sleep(0);
  }
  const pack = { ...headOf(rows), data: await packAttempts(rows) };
  return await writer.write((tx) => {
    // Somebody else packed meanwhile.
    if (lastPackedAttempt(tx) !== after) return false;
    append(tx, { ...pack, checksum: checksumOf(pack.data) });
    return true;
  }, LOW_PRIORITY);
}

/** Takes out attempts that lie in packs, a few at a time. */
async function takeOut({ writer }: Core): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined && !writer.closed; ) {
    const from: number = after;
    after = await writer.write((tx) => dropPacked(tx, from, DROPPED), LOW_PRIORITY);
  }
}

/** Makes one pack of the observations of a target that come after its last one, and takes out what packs hold. Says whether it made one. */
async function packNextObservations({ store: { db }, writer, clock }: Core, target: number, many: number) {
  const after = lastPackedObservation(db, target);
  const last = observedAtOf(db, target, after, many);
  const rows =
    last === undefined || isFresh(last, clock.now()) ? [] : listLooseObservations(db, target, after, many);
  const isPacked = rows.length === many && !rows.some(({ observed_at }) => isFresh(observed_at, clock.now()));
  if (isPacked) {
    const data = await packObservations(rows);
    await writer.write((tx) => {
      if (lastPackedObservation(tx, target) === after) putObservations(tx, target, rows, data);
    }, LOW_PRIORITY);
  }
  if (standInBoth(db, target) && !writer.closed) {
    await writer.write((tx) => dropPackedObservations(tx, target), LOW_PRIORITY);
  }
  return isPacked;
}
