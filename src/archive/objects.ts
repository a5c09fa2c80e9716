/** Objects as the manifest names them. How one lies now is said by the newest row of its name. */

import { appending } from "../store/rows.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import { archiveObject } from "./archive_tables.ts";
import type { ArchiveObject } from "./manifest_row.ts";

/** An object with its row. */
export interface NumberedObject extends ArchiveObject {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly storedAt: number;
}

type WholeRow = Readonly<typeof archiveObject.$inferSelect>;
/** As it is stored: digests as bytes. */
export type ObjectRow = Omit<WholeRow, "id" | "stored_at">;

/** The columns of `ObjectRow`, of the table that is named so in the query. */
export const OBJECT_COLUMNS = [
  "sha256",
  "bytes",
  "stored_bytes",
  "stored_sha256",
  "content",
  "rows",
  "secrets",
] as const;
const COLUMNS = `o.id, ${OBJECT_COLUMNS.map((name) => `o.${name}`).join(", ")}, o.stored_at FROM archive_object o`;

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
    secrets: row.secrets,
  };
}

const numbered = (row: WholeRow): NumberedObject => ({
  ...objectOf(row),
  id: row.id,
  storedAt: row.stored_at,
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

const anyObject = statement<{ id: number }, []>("SELECT id FROM archive_object LIMIT 1");

/** Whether the manifest names any object. */
export const namesObjects = (db: Db): boolean => anyObject(db).first() !== undefined;

/**
 * The row of an object that is safe in the store: the newest of its name where that says the same, else one more. Returns its number.
 */
export function recordObject(tx: Tx, object: ArchiveObject, now: number): number {
  const known = findObject(tx, object.sha256);
  if (known !== undefined && isSame(known, object)) return known.id;
  return append(tx, {
    sha256: Buffer.from(object.sha256, "hex"),
    bytes: object.bytes,
    stored_bytes: object.storedBytes,
    stored_sha256: Buffer.from(object.storedSha256, "hex"),
    content: Buffer.from(object.content, "hex"),
    rows: object.rows,
    secrets: object.secrets,
    stored_at: now,
  });
}

const isSame = (one: ArchiveObject, other: ArchiveObject) =>
  one.bytes === other.bytes &&
  one.storedBytes === other.storedBytes &&
  one.storedSha256 === other.storedSha256 &&
  one.content === other.content &&
  one.rows === other.rows;

const namedAfter = statement<WholeRow, [number, number]>(
  `SELECT ${COLUMNS} WHERE o.id > ?
     AND NOT EXISTS (SELECT 1 FROM archive_object later WHERE later.sha256 = o.sha256 AND later.id > o.id)
   ORDER BY o.id LIMIT ?`,
);
const SLICE = 256;

/** Every object that the manifest names, each as it lies now: a few at a time, in the order of their rows. */
export function* objectsNamed(db: Db): Generator<NumberedObject> {
  for (let last = 0; ; ) {
    const rows = namedAfter(db).all(last, SLICE);
    for (const row of rows) {
      last = row.id;
      yield numbered(row);
    }
    if (rows.length < SLICE) return;
  }
}

const namedFrom = statement<WholeRow, [Uint8Array, Uint8Array, number]>(
  `SELECT ${COLUMNS} WHERE o.sha256 >= ? AND o.sha256 < ?
     AND NOT EXISTS (SELECT 1 FROM archive_object later WHERE later.sha256 = o.sha256 AND later.id > o.id)
   ORDER BY o.sha256 LIMIT ?`,
);

/** The objects whose names begin from one text of hexadecimal digits up to another, each as it lies now; a few at a time, by name. */
export function* objectsBetween(db: Db, from: string, to: string): Generator<NumberedObject> {
  const end = Buffer.from(to, "hex");
  for (let next = Buffer.from(from, "hex"); ; ) {
    const rows = namedFrom(db).all(next, end, SLICE);
    for (const row of rows) {
      yield numbered(row);
      // What follows a name is the name with one more byte: none has that many.
      next = Buffer.concat([row.sha256, Buffer.alloc(1)]);
    }
    if (rows.length < SLICE) return;
  }
}
