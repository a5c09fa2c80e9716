/** Packs of observations as they are stored, and packing: reading what is loose, putting a pack in, taking out what it holds. */

import { DamagedRow } from "../base/storage_fault.ts";
import { signed, unsigned, VarintReader, VarintWriter } from "../base/varint.ts";
import { checksumOf, packed, packFaults, unpacked } from "../store/packs.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { decodeObserved } from "./observed.ts";
import { type observation, observationPack } from "./tables.ts";

/** Observations of a pack: ten days of a target that is asked every quarter of an hour, read within a millisecond or two. */
export const PACK_OBSERVATIONS = 960;

/** An observation of a target as it is stored. */
export interface ObservationRow extends Readonly<Pick<Row, "id" | "attempt" | "observed_at">> {
  readonly days: Uint8Array;
}

type Row = typeof observation.$inferSelect;

type Pack = typeof observationPack.$inferSelect;

// The form of a pack: how many there are, then their ids, attempts and moments, each as its distance from the one before, and how
// many bytes their days are; then those bytes, one after another. All of it is one zstd frame.

/** Compresses observations of one target on another thread. */
export const packObservations = (rows: readonly ObservationRow[]): Promise<Buffer> =>
  packed(contentOf(rows), rows, unpackObservations);

const STEPS = ["id", "attempt", "observed_at"] as const;

function contentOf(rows: readonly ObservationRow[]): Buffer {
  const out = new VarintWriter();
  out.put(rows.length);
  for (const column of STEPS) {
    for (const [place, row] of rows.entries())
      out.put(unsigned(row[column] - (rows[place - 1]?.[column] ?? 0)));
  }
  for (const { days } of rows) out.put(days.length);
  return Buffer.concat([out.bytes(), ...rows.map(({ days }) => days)]);
}

/** The observations of a pack, in their order. Throws where it is not what `packObservations` made. */
export function unpackObservations(data: Uint8Array): ObservationRow[] {
  const from = new VarintReader(Bun.zstdDecompressSync(data));
  const length = from.take();
  if (length > PACK_OBSERVATIONS) throw new RangeError("a pack holds more observations than it may");
  const places = Array.from({ length });
  const [ids, attempts, moments] = STEPS.map(() => {
    let at = 0;
    return places.map(() => (at += signed(from.take())));
  });
  const lengths = places.map(() => from.take());
  const rows = lengths.map((bytes, place) => ({
    id: ids?.[place] ?? 0,
    attempt: attempts?.[place] ?? 0,
    observed_at: moments?.[place] ?? 0,
    days: from.takeBytes(bytes),
  }));
  if (!from.isAtEnd) throw new RangeError("a pack is longer than its observations");
  return rows;
}

/** What a pack says of the observations in it. */
function headOf(rows: readonly ObservationRow[]): Pick<Pack, "first" | "last" | "first_day" | "last_day"> {
  let [first_day, last_day] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (const { days } of rows) {
    const { figures } = decodeObserved(days);
    first_day = Math.min(first_day, figures[0]?.day ?? first_day);
    last_day = Math.max(last_day, figures.at(-1)?.day ?? last_day);
  }
  return { first: rows[0]?.id ?? 0, last: rows.at(-1)?.id ?? 0, first_day, last_day };
}

/** Packs that are not as they were written, or do not hold what their columns say. */
export const observationFaults = packFaults<Pack>(observationPack, (data) =>
  headOf(unpackObservations(data)),
);

const lastPacked = statement<{ last: number | null }, [number]>(
  "SELECT max(last) AS last FROM observation_pack WHERE target = ?",
);

/** The last observation of a target that lies in a pack; 0 where none does. Every one of it up to that lies in one. */
export const lastPackedObservation = (db: Db, target: number): number =>
  lastPacked(db).first(target)?.last ?? 0;

const looseAfter = statement<ObservationRow, [number, number, number]>(
  "SELECT id, attempt, observed_at, days FROM observation WHERE target = ? AND id > ? ORDER BY id LIMIT ?",
);

/** Loose observations of a target after an id, in their order. */
export const listLooseObservations = (
  db: Db,
  target: number,
  after: number,
  limit: number,
): ObservationRow[] => looseAfter(db).all(target, after, limit);

const nthAfter = statement<Pick<ObservationRow, "observed_at">, [number, number, number]>(
  "SELECT observed_at FROM observation WHERE target = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?",
);

/** When the so manieth loose observation of a target after an id was made, 1 being the next; undefined where there are fewer. */
export const observedAtOf = (db: Db, target: number, after: number, place: number): number | undefined =>
  nthAfter(db).first(target, after, place - 1)?.observed_at;

const append = appending(observationPack);

/** Puts a pack of a target in. A trigger refuses one that leaves an observation out. */
export function putObservations(tx: Tx, target: number, rows: readonly ObservationRow[], data: Buffer): void {
  append(tx, { target, ...headOf(rows), data, checksum: checksumOf(data) });
}

const PACKED = `FROM observation WHERE target = ?1 AND id <= (SELECT max(last) FROM observation_pack WHERE target = ?1)
   AND id < (SELECT max(id) FROM observation WHERE target = ?1)`;
const anyPacked = statement<{ id: number }, [number]>(`SELECT id ${PACKED} LIMIT 1`);
const deletePacked = statement<never, [number]>(`DELETE ${PACKED}`);

/** Whether loose observations of a target lie in a pack, but for the newest one, which stays. */
export const standInBoth = (db: Db, target: number): boolean => anyPacked(db).first(target) !== undefined;

/** Takes those out. Triggers refuse to take out any other. */
export const dropPackedObservations = (tx: Tx, target: number): void => deletePacked(tx).run(target);

type PackHead = Pick<Pack, "id" | "last" | "first_day" | "last_day">;

const headsAfter = statement<PackHead, [number, number]>(
  "SELECT id, last, first_day, last_day FROM observation_pack WHERE target = ? AND last > ? ORDER BY last",
);

/** The packs of a target that hold observations after an id, in their order. */
export const packsAfter = (db: Db, target: number, after: number): PackHead[] =>
  headsAfter(db).all(target, after);

const byId = statement<Pack, [number]>(
  `SELECT ${columnsOf(observationPack)} FROM observation_pack WHERE id = ?`,
);

/** The observations of a pack. Throws `DamagedRow` where it is not as it was written. */
export function rowsOfPack(db: Db, id: number): ObservationRow[] {
  const pack = byId(db).first(id);
  if (pack === undefined) throw new DamagedRow(`observation_pack, row ${id}: it is gone`);
  return unpacked("observation_pack", pack, unpackObservations);
}
