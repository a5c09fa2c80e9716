/** Packs of attempts as they are stored, and packing: reading what is loose, putting a pack in, taking out what it holds. */

import { checksumOf } from "../base/checksum.ts";
import { DamagedRow } from "../base/storage_fault.ts";
import { messageOf } from "../base/text.ts";
import { assertAscending } from "../store/read_model.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import type { AttemptRow } from "./attempt.ts";
import { type PackedAttempts, unpackAttempts } from "./attempt_pack.ts";
import { pullAttempt, pullAttemptPack } from "./tables.ts";

/** A pack as it is stored. */
type Pack = typeof pullAttemptPack.$inferSelect;
/** What is known of a pack without unpacking it. */
type PackHead = Omit<Pack, "data" | "checksum">;

/** What a pack is to say of the attempts in it. */
export function headOf(rows: readonly AttemptRow[]): Omit<PackHead, "id"> {
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
export function listLoose(db: Db, after: number, limit: number): AttemptRow[] {
  return looseAfter(db).all(after, limit);
}

const append = appending(pullAttemptPack);

/** Puts a pack in. A trigger refuses one that does not go on where the last one ends. */
export function putPack(tx: Tx, pack: Omit<Pack, "id" | "checksum">): void {
  append(tx, { ...pack, checksum: checksumOf(pack.data) });
}

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
export function dropPacked(tx: Tx, after: number, limit: number): number | undefined {
  const found = packedAfter(tx).all(after, lastPackedAttempt(tx), limit);
  const ids = found.filter(({ is_settled }) => is_settled === 1).map(({ id }) => id);
  if (ids.length > 0) deleteLoose(tx).run(JSON.stringify(ids));
  return found.length < limit ? undefined : found.at(-1)?.id;
}

const packAfter = statement<Pack, [number]>(
  `SELECT ${columnsOf(pullAttemptPack)} FROM pull_attempt_pack WHERE id > ? ORDER BY id LIMIT 1`,
);

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
const kept = prepared(() => new Map<number, PackedAttempts>());

/** The attempts of a pack. Throws `DamagedRow` where it is not as it was written. */
export function attemptsOfPack(db: Db, id: number): PackedAttempts {
  const known = kept(db);
  const found = known.get(id);
  if (found !== undefined) {
    known.delete(id);
    known.set(id, found);
    return found;
  }
  const pack = wholePack(db).first(id);
  if (pack === undefined || checksumOf(pack.data) !== pack.checksum) {
    throw new DamagedRow(`pull_attempt_pack, row ${id}: it is not as it was written`);
  }
  const attempts = unpackAttempts(pack.data, pack.first);
  if (known.size >= KEPT) known.delete(known.keys().next().value ?? 0);
  known.set(id, attempts);
  return attempts;
}

const counted = statement<{ packs: number }, []>("SELECT count(*) AS packs FROM pull_attempt_pack");

/** How many packs hold settled attempts. */
export function countAttemptPacks(db: Db): number {
  return counted(db).first()?.packs ?? 0;
}

/** Packs that are not as they were written, or do not hold what their columns say. Reads only. */
export function* attemptFaults(db: Db): Generator<string> {
  for (let after = 0; ; ) {
    const pack = packAfter(db).first(after);
    if (pack === undefined) return;
    after = assertAscending("pull_attempt_pack", after, pack.id);
    const fault = faultOfPack(pack);
    if (fault !== undefined) yield `pull_attempt_pack, row ${pack.id}: ${fault}`;
  }
}

function faultOfPack(pack: Pack): string | undefined {
  if (checksumOf(pack.data) !== pack.checksum) return "it is not as it was written";
  try {
    const attempts = unpackAttempts(pack.data, pack.first);
    const said = headOf(Array.from({ length: attempts.length }, (_, place) => attempts.at(place)));
    const isSaid = Object.entries(said).every(([name, value]) => pack[name as keyof typeof said] === value);
    return isSaid ? undefined : "it does not hold what it says";
  } catch (error) {
    return `it cannot be unpacked: ${messageOf(error)}`;
  }
}
