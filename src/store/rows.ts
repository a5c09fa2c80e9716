/** Whole rows of a table as plain statements, made of the table's declaration: its columns are named nowhere else. */

import { getTableColumns } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Db, type Parameter, prepared, statement, type Tx } from "./store.ts";

type Row<T extends SQLiteTable> = Readonly<T["$inferSelect"]>;
/** A row before it has its number. */
type NewRow<T extends SQLiteTable> = Omit<Row<T>, "id">;

/** Columns by the names of the declaration, those of the table, and both as they are read. */
type Columns = ReturnType<typeof columnsIn>;

function columnsIn(table: SQLiteTable, leftOut: readonly string[] = []) {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => !leftOut.includes(key));
  return {
    table: getTableConfig(table).name,
    keys: columns.map(([key]) => key),
    names: columns.map(([, { name }]) => name),
    read: columns.map(([key, { name }]) => (key === name ? name : `${name} AS ${key}`)).join(", "),
  };
}

/** The columns of a table for a SELECT, by the names of its declaration. */
export const columnsOf = (table: SQLiteTable): string => columnsIn(table).read;

const valuesOf = (row: object, keys: readonly string[]): Parameter[] =>
  keys.map((key) => (row as Readonly<Record<string, Parameter>>)[key] ?? null);

const insertInto = ({ table, names }: Columns): string =>
  `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;

/** Appends a row to a table whose key is a number that it gives itself. Returns that number. */
export function appending<T extends SQLiteTable>(table: T): (tx: Tx, row: NewRow<T>) => number {
  const columns = columnsIn(table, ["id"]);
  const insert = statement<{ id: number }, Parameter[]>(`${insertInto(columns)} RETURNING id`);
  return (tx, row) => {
    const id = insert(tx).all(...valuesOf(row, columns.keys))[0]?.id;
    if (id === undefined) throw new Error(`a row of ${columns.table} has no number`);
    return id;
  };
}

/** Puts a row in the place of the one with its primary key, of which the columns in `stays` stay as they are. */
export function replacing<T extends SQLiteTable>(
  table: T,
  stays: readonly (keyof Row<T> & string)[] = [],
): (tx: Tx, row: Row<T>) => void {
  const columns = columnsIn(table);
  const { primaryKeys, columns: all } = getTableConfig(table);
  const key = (primaryKeys[0]?.columns ?? all.filter(({ primary }) => primary)).map(({ name }) => name);
  const kept: readonly string[] = [...key, ...stays];
  const changed = columns.names.filter((name) => !kept.includes(name));
  const put = statement<never, Parameter[]>(
    `${insertInto(columns)} ON CONFLICT (${key.join(", ")})
     DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  );
  return (tx, row) => put(tx).run(...valuesOf(row, columns.keys));
}

/** The rows, in which text that several of them repeat is held once: SQLite hands it out anew for each of them. */
export function sharing<Rows extends readonly object[]>(
  rows: Rows,
  texts = new Map<unknown, unknown>(),
): Rows {
  for (const row of rows as readonly Record<string, unknown>[]) {
    for (const key in row) if (typeof row[key] === "string") row[key] = texts.getOrInsert(row[key], row[key]);
  }
  return rows;
}

/** The rows of a numbered table, as they are kept. */
interface Kept<T extends SQLiteTable> {
  last: number;
  readonly byId: Map<number, Row<T>>;
  readonly byAsset: Map<string, Row<T>[]>;
}

type Numbered = SQLiteTable & {
  readonly $inferSelect: { readonly id: number; readonly asset: string };
};

/**
 * What other tables name by a number: rows that never change, each with the number that it got when it first came up. `listed` says which
 * of them are kept in memory, of a table in which there may be any number of others.
 */
export function numberedRows<T extends Numbered>(table: T, listed = "true") {
  const { table: name, keys, names } = columnsIn(table, ["id"]);
  const find = statement<{ id: number }, Parameter[]>(
    `SELECT id FROM ${name} WHERE ${names.map((column) => `${column} = ?`).join(" AND ")}`,
  );
  const after = statement<Row<T>, [number]>(
    `SELECT ${columnsOf(table)} FROM ${name} WHERE id > ? AND ${listed} ORDER BY id`,
  );
  const append = appending(table);
  const known = prepared((): Kept<T> => ({ last: 0, byId: new Map(), byAsset: new Map() }));
  const findId = (db: Db, row: NewRow<T>): number | undefined => find(db).first(...valuesOf(row, keys))?.id;
  return {
    /** Its number; undefined where it never came up. */
    find: findId,
    /** Its number, given to it now where it never came up. */
    idOf: (tx: Tx, row: NewRow<T>): number => findId(tx, row) ?? append(tx, row),
    /** All of them, by number and by site. Not inside a transaction that may be taken back. */
    all: (db: Db): Pick<Kept<T>, "byId" | "byAsset"> => {
      const kept = known(db);
      for (const row of sharing(after(db).all(kept.last))) {
        kept.last = row.id;
        kept.byId.set(row.id, row);
        const siblings = kept.byAsset.get(row.asset);
        if (siblings === undefined) kept.byAsset.set(row.asset, [row]);
        else siblings.push(row);
      }
      return kept;
    },
  };
}

// Looking for few rows among very many, the newest first: a piece at a time, so that it never holds the event loop, and only so far in one
// go.

/** Rows, and the id before which the list goes on after them; undefined at its end. There may be fewer rows than asked for, and more to come. */
export interface Stretch<Row> {
  readonly rows: readonly Row[];
  readonly next: number | undefined;
}

/** How much is looked for, and how far. */
export interface Page {
  readonly limit: number;
  /** Only rows with lesser ids. */
  readonly before?: number | undefined;
  readonly turns?: number;
  readonly turnMs?: number;
}

/** How long one turn of the event loop may be taken up, in milliseconds, and how many turns one stretch may take. */
const TURN_MS = 4;
const MOST_TURNS = 100;

/** The first rows of the pieces, each as it is told: at once where one turn of the event loop is enough, so that a page is of one moment. */
export function searchRows<Row extends { readonly id: number }, Told>(
  piecesBefore: (before: number) => Iterator<Stretch<Row>>,
  { limit, before = Number.MAX_SAFE_INTEGER, turns = MOST_TURNS, turnMs = TURN_MS }: Page,
  told: (row: Row) => Told,
): Stretch<Told> | Promise<Stretch<Told>> {
  const pieces = piecesBefore(before);
  const rows: Told[] = [];
  let [next, left]: [number | undefined, number] = [before, turns];
  /** Looks through pieces for as long as a turn may take; one in any case. Says whether that was the last turn. */
  const isOver = (): boolean => {
    const [startedAt, from] = [performance.now(), next];
    do {
      const piece = pieces.next();
      next = piece.done === true ? undefined : piece.value.next;
      for (const row of piece.done === true ? [] : piece.value.rows) {
        rows.push(told(row));
        if (rows.length < limit) continue;
        next = row.id;
        return true;
      }
    } while (next !== undefined && performance.now() - startedAt < turnMs);
    // Before anything was seen there is nowhere to go on from.
    if (next !== from) left--;
    return next === undefined || left <= 0;
  };
  if (isOver()) return { rows, next };
  return (async () => {
    do await new Promise(setImmediate);
    while (!isOver());
    return { rows, next };
  })();
}
