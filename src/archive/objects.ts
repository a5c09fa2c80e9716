/** Objects as the manifest names them. How one lies now is said by the newest row of its name: by itself, or in a pack. */

import type { Place } from "../store/objects.ts";
import type { Pack } from "../store/pack.ts";
import { appending, columnsOf } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { archiveObject, archivePack } from "./archive_tables.ts";
import type { ArchiveObject } from "./manifest_row.ts";

/** An object with its row. */
export interface NumberedObject extends ArchiveObject {
  readonly id: number;
  /** Undefined where it lies by itself. */
  readonly place: Place | undefined;
}

/** One that lies in a pack. */
export type PackedObject = NumberedObject & { readonly place: Place };

type StoredRow = Readonly<typeof archiveObject.$inferSelect>;
type WholeRow = Omit<StoredRow, "stored_at"> & {
  readonly pack: string | null;
  readonly start: number | null;
};
/** As it is stored: digests as bytes. */
export type ObjectRow = Omit<StoredRow, "id" | "stored_at">;

/** The columns of `ObjectRow`, of the table that is named so in the query. */
export const OBJECT_COLUMNS = [
  "sha256",
  "bytes",
  "stored_bytes",
  "stored_sha256",
  "content",
  "rows",
] as const;
const COLUMNS = `o.id, ${OBJECT_COLUMNS.map((name) => `o.${name}`).join(", ")}, k.path AS pack, p.start
  FROM archive_object o LEFT JOIN archive_place p ON p.object = o.id LEFT JOIN archive_pack k ON k.id = p.pack`;
const IS_NEWEST =
  "NOT EXISTS (SELECT 1 FROM archive_object later WHERE later.sha256 = o.sha256 AND later.id > o.id)";

const newestOf = statement<WholeRow, [Uint8Array]>(
  `SELECT ${COLUMNS} WHERE o.sha256 = ? ORDER BY o.id DESC LIMIT 1`,
);
const append = appending(archiveObject);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

export function objectOf(row: ObjectRow): ArchiveObject {
  return {
    sha256: hex(row.sha256),
    bytes: row.bytes,
    storedBytes: row.stored_bytes,
    storedSha256: hex(row.stored_sha256),
    content: hex(row.content),
    rows: row.rows,
  };
}

const numbered = (row: WholeRow): NumberedObject => ({
  ...objectOf(row),
  id: row.id,
  place: row.pack === null || row.start === null ? undefined : { pack: row.pack, start: row.start },
});

const rowsOf = statement<{ id: number }, [Uint8Array]>("SELECT id FROM archive_object WHERE sha256 = ?");

/** The numbers of an object's rows: one, and one more for each time that it was stored in other bytes. */
export const objectRows = (db: Db, sha256: string): number[] =>
  rowsOf(db)
    .all(Buffer.from(sha256, "hex"))
    .map(({ id }) => id);

/** How an object lies now, by its name; undefined where the manifest never named it. */
export function findObject(db: Db, sha256: string): NumberedObject | undefined {
  const row = newestOf(db).first(Buffer.from(sha256, "hex"));
  return row === undefined ? undefined : numbered(row);
}

const rowNumbered = statement<WholeRow, [number]>(`SELECT ${COLUMNS} WHERE o.id = ?`);

/** An object as one of its rows says it. */
export function findObjectRow(db: Db, id: number): NumberedObject | undefined {
  const row = rowNumbered(db).first(id);
  return row === undefined ? undefined : numbered(row);
}

const anyObject = statement<{ id: number }, []>("SELECT id FROM archive_object LIMIT 1");

/** Whether the manifest names any object. */
export const namesObjects = (db: Db): boolean => anyObject(db).first() !== undefined;

/**
 * The row of an object that is safe in the store: the newest of its name where that says the same, else one more. Returns its number.
 */
export function recordObject(tx: Tx, object: ArchiveObject, now: number): number {
  const known = findObject(tx, object.sha256);
  if (known !== undefined && isSame(known, object)) return known.id;
  const id = append(tx, {
    sha256: Buffer.from(object.sha256, "hex"),
    bytes: object.bytes,
    stored_bytes: object.storedBytes,
    stored_sha256: Buffer.from(object.storedSha256, "hex"),
    content: Buffer.from(object.content, "hex"),
    rows: object.rows,
    stored_at: now,
  });
  // The same bytes, said otherwise: they lie where they lay.
  if (known?.storedSha256 === object.storedSha256) placeAlike(tx).run(id, known.id);
  return id;
}

const isSame = (one: ArchiveObject, other: ArchiveObject) =>
  one.bytes === other.bytes &&
  one.storedBytes === other.storedBytes &&
  one.storedSha256 === other.storedSha256 &&
  one.content === other.content &&
  one.rows === other.rows;

const lastRow = statement<{ id: number | null }, []>("SELECT max(id) AS id FROM archive_object");
const namedBetween = statement<WholeRow, [number, number]>(
  `SELECT ${COLUMNS} WHERE o.id BETWEEN ? AND ? AND ${IS_NEWEST} ORDER BY o.id`,
);
/** Rows that are read at once. */
const SLICE = 256;

/** The objects that the manifest names, each as it lies now, in the order of their rows: every `each`th slice of them. */
export function* objectsNamed(db: Db, { each, from } = { each: 1, from: 0 }): Generator<NumberedObject> {
  const last = lastRow(db).first()?.id ?? 0;
  for (let first = from * SLICE; first <= last; first += each * SLICE) {
    yield* namedBetween(db)
      .all(first, first + SLICE - 1)
      .map(numbered);
  }
}

// Packs, and the places of objects in them.

/** A pack with its row. */
export type NumberedPack = Pack &
  Readonly<Pick<typeof archivePack.$inferSelect, "id" | "packed_at" | "loose">>;

const PACK_COLUMNS = `${columnsOf(archivePack)} FROM archive_pack`;
const packsIn = statement<NumberedPack, [number, number]>(
  `SELECT ${PACK_COLUMNS} k WHERE k.id % ? = ? AND EXISTS (SELECT 1 FROM archive_place p WHERE p.pack = k.id) ORDER BY k.id`,
);
const packAt = statement<NumberedPack, [string]>(`SELECT ${PACK_COLUMNS} WHERE path = ?`);
const loosePacks = statement<NumberedPack, [number]>(
  `SELECT ${PACK_COLUMNS} WHERE loose = 1 AND packed_at <= ? ORDER BY id`,
);
const packedIn = statement<WholeRow, [number]>(
  `SELECT ${COLUMNS} WHERE p.pack = ? AND ${IS_NEWEST} ORDER BY p.start`,
);
const appendPack = appending(archivePack);
const put = statement<never, [number, number, number]>(
  "INSERT INTO archive_place (object, pack, start) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
);
const placeAlike = statement<never, [number, number]>(
  "INSERT INTO archive_place (object, pack, start) SELECT ?, pack, start FROM archive_place WHERE object = ?",
);
const drop = statement<never, [Uint8Array]>(
  "DELETE FROM archive_place WHERE object IN (SELECT id FROM archive_object WHERE sha256 = ?)",
);
const clear = statement<never, [number]>("UPDATE archive_pack SET loose = 0 WHERE id = ?");
const clearAnew = statement<never, [number]>("UPDATE archive_pack SET loose = 1, packed_at = ?");

/** The packs that hold an object, every `each`th of them. */
export const listPacks = (db: Db, { each, from } = { each: 1, from: 0 }): NumberedPack[] =>
  packsIn(db).all(each, from);

export const findPack = (db: Db, path: string): NumberedPack | undefined => packAt(db).first(path);

/** The packs since before a moment whose objects may lie by themselves as well. */
export const listLoosePacks = (db: Db, before: number): NumberedPack[] => loosePacks(db).all(before);

/** The objects that lie in a pack, in the order of their places. */
export const objectsIn = (db: Db, pack: number): PackedObject[] =>
  packedIn(db)
    .all(pack)
    .map(numbered)
    .filter((one): one is PackedObject => one.place !== undefined);

/** Notes where objects lie from now on: their rows, and where each begins. The pack is safe in the store. */
export function recordPack(
  tx: Tx,
  { path, bytes }: Pack,
  placed: readonly (readonly [object: number, start: number])[],
  now: number,
): void {
  const pack = findPack(tx, path)?.id ?? appendPack(tx, { path, bytes, packed_at: now, loose: 1 });
  for (const [object, start] of placed) put(tx).run(object, pack, start);
}

/** Notes that an object lies by itself. */
export const dropPlace = (tx: Tx, sha256: string): void => drop(tx).run(Buffer.from(sha256, "hex"));

/** Notes that no object of a pack lies by itself as well. */
export const clearPack = (tx: Tx, pack: number): void => clear(tx).run(pack);

/** Has all packs looked through again: in a restored archive objects of any may lie by themselves as well. */
export const clearPacksAnew = (tx: Tx, now: number): void => clearAnew(tx).run(now);
