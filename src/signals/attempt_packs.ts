/** Packs of attempts as they are stored, and packing: reading what is loose, putting a pack in, taking out what it holds. */

import { DamagedRow } from "../base/storage_fault.ts";
import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import { checksumOf, packed, packFaults, unpacked } from "../store/packs.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, prepared, statement, type Tx } from "../store/store.ts";
import type { AttemptRow } from "./attempts.ts";
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
  if (!from.isAtEnd) throw new RangeError("a pack is longer than its attempts");
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
