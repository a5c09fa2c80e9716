/**
 * Packing: rows that are only read any more go together where they take a fraction of their room. They are read, compressed on another
 * thread, unpacked and compared, and the pack is put in; only then is taken out what it holds. A crash in between leaves rows that
 * stand in both, and the next run takes them out. Whose rows go together, and by which bytes, is said where they are kept.
 */

import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { DamagedRow } from "../base/storage_fault.ts";
import { messageOf } from "../base/text.ts";
import { assertAscending } from "./read_model.ts";
import { columnsOf } from "./rows.ts";
import { type Db, type Parameter, statement } from "./store.ts";

// A checksum against damage, not against forgery: xxHash64, cut to what a number holds.

export function checksumOf(data: Uint8Array): number {
  return Number(Bun.hash.xxHash64(data) >> 11n);
}

const SETTLED_MS = 24 * 60 * 60_000;

/** Whether what came then is left alone for now. What was noted by a clock that was ahead is not fresh for months. */
export const isFresh = (cameAt: number, now: number, settledMs = SETTLED_MS): boolean =>
  cameAt <= now && now - cameAt < settledMs;

/** The level at which what is kept for good is compressed. */
const FOR_GOOD = 15;

/** Compresses what rows come to on another thread. Throws where they do not come out as they went in. */
export async function packed<Row>(
  content: Uint8Array,
  rows: readonly Row[],
  unpack: (data: Uint8Array) => readonly Row[],
  level = FOR_GOOD,
): Promise<Buffer> {
  const data = await Bun.zstdCompress(content, { level });
  const out = unpack(data);
  await Bun.sleep(0);
  if (!Bun.deepEquals(out, rows)) throw new Error("what was packed does not come out as it went in");
  return data;
}

/** A pack as every table of packs has it. */
interface StoredPack {
  readonly id: number;
  readonly data: Uint8Array;
  /** Of `data`, by which a changed byte is found before it is unpacked. */
  readonly checksum: number;
}

/** What a stored pack holds. Throws `DamagedRow` where its bytes are not those that were written. */
export function unpacked<Held>(table: string, pack: StoredPack, unpack: (data: Uint8Array) => Held): Held {
  const row = `${table}, row ${pack.id}`;
  if (checksumOf(pack.data) !== pack.checksum) throw new DamagedRow(`${row}: it is not as it was written`);
  try {
    return unpack(pack.data);
  } catch (error) {
    throw new DamagedRow(`${row}: it cannot be unpacked: ${messageOf(error)}`);
  }
}

/** The columns of a pack by what it holds: those that say something of it. */
type Said = Readonly<Record<string, Parameter>>;

/** Finds packs of a table that are not as they were written, or do not hold what their columns say. It reads only. */
export function packFaults<Pack extends StoredPack>(
  table: SQLiteTable,
  said: (data: Uint8Array, pack: Pack) => Said,
): (db: Db) => Generator<string> {
  const { name } = getTableConfig(table);
  const next = statement<Pack, [number]>(
    `SELECT ${columnsOf(table)} FROM ${name} WHERE id > ? ORDER BY id LIMIT 1`,
  );
  return function* (db) {
    for (let after = 0; ; ) {
      const pack = next(db).first(after);
      if (pack === undefined) return;
      after = assertAscending(name, after, pack.id);
      try {
        const columns = Object.entries(unpacked(name, pack, (data) => said(data, pack)));
        const isSaid = columns.every(([column, value]) => pack[column as keyof Pack] === value);
        if (!isSaid) yield `${name}, row ${pack.id}: it does not hold what it says`;
      } catch (error) {
        yield messageOf(error);
      }
    }
  };
}

/** Writing packs, and taking out what they hold: no answer waits for it. */
export const LOW_PRIORITY = { lowPriority: true } as const;
