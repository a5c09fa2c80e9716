/**
 * Read models: tables that hold what append-only ones lead to. Each is compared with its own replay, row by row and both ways, and
 * written where it differs.
 *
 * Rows are compared in scopes (a site, a flag, a date): no more than one is held, each is read in one go, and in between the caller may
 * let others work.
 */

import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Db, type Parameter, statement, type Tx } from "./store.ts";

/**
 * The next place of a walk in pages, which begins each page after the last row of the one before. In a damaged index rows stand out
 * of order, and such a walk would go round for ever: it throws instead. Texts are compared as SQLite does where they are ASCII.
 */
export function assertAscending<Place extends string | number>(
  what: string,
  last: Place,
  next: Place,
): Place {
  if (next > last) return next;
  throw new Error(`${what} is out of order: after ${last} comes ${next}`);
}

/** A row by its columns. */
type ModelRow = Readonly<Record<string, Parameter>>;

/** A table that is made of others. `Scope` says which of its rows are compared at a time. */
export interface ReadModel<Row, Scope> {
  /** In the output of `rebuild`. */
  readonly name: string;
  /** In the output of `check`. */
  readonly what: string;
  /** What it is made of, as in "is not what its records lead to". */
  readonly source: string;
  /** Every scope with rows, stored or due. */
  scopes(db: Db): Iterable<Scope>;
  stored(db: Db, scope: Scope): readonly Row[];
  /** The rows that there must be; a text where the source cannot be replayed, which leaves the rows as they are. */
  replay(db: Db, scope: Scope): readonly Row[] | string;
  /** A row's key, as an operator knows it. */
  named(row: Row, db: Db): string;
  drop(tx: Tx, row: Row): void;
  put(tx: Tx, row: Row): void;
}

/** Any of them: it takes only the rows and scopes that it gave out itself. */
export type AnyReadModel = ReadModel<unknown, unknown>;

/** A row that is not what the replay leads to. */
export interface Difference {
  readonly text: string;
  readonly scope: unknown;
  readonly stored?: unknown;
  readonly due?: unknown;
}

/** Every row that differs; an undefined after each scope, where the caller may let others work. */
export function* differencesOf(model: AnyReadModel, db: Db): Generator<Difference | undefined> {
  for (const scope of model.scopes(db)) {
    yield* differencesIn(model, db, scope);
    yield undefined;
  }
}

function differencesIn(model: AnyReadModel, db: Db, scope: unknown): Difference[] {
  const replayed = model.replay(db, scope);
  if (typeof replayed === "string") return [{ scope, text: replayed }];
  const due = new Map(replayed.map((row) => [model.named(row, db), row as ModelRow]));
  const found: Difference[] = [];
  for (const stored of model.stored(db, scope)) {
    const name = model.named(stored, db);
    const right = due.get(name);
    due.delete(name);
    if (right === undefined) {
      found.push({ scope, stored, text: `${name} is there, but ${model.source} lead to none` });
      continue;
    }
    const columns = Object.keys(right).filter(
      (column) => !isSame(right[column], (stored as ModelRow)[column]),
    );
    if (columns.length === 0) continue;
    const text = `${name} is not what ${model.source} lead to: ${columns.join(", ")}`;
    found.push({ scope, stored, due: right, text });
  }
  for (const [name, row] of due) found.push({ scope, due: row, text: `${name} is missing` });
  return found;
}

function isSame(one: Parameter | undefined, other: Parameter | undefined): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other;
}

/** Makes the rows found to differ what the replay leads to by now. */
export function mendRows(model: AnyReadModel, tx: Tx, found: readonly Difference[]): void {
  const scopes = new Map(found.map(({ scope }) => [JSON.stringify(scope), scope]));
  const differing = [...scopes.values()].flatMap((scope) => differencesIn(model, tx, scope));
  // All of them go before one comes back: in between, two could hold what only one may.
  for (const { stored } of differing) if (stored !== undefined) model.drop(tx, stored);
  for (const { due } of differing) if (due !== undefined) model.put(tx, due);
}

/** A read model of one table, as its table says; all of its rows are compared at once where it names no scope. */
export function tableModel<Row, Scope extends string | number = number>(
  of: Pick<ReadModel<Row, Scope>, "name" | "what" | "source" | "replay" | "named"> & {
    readonly table: SQLiteTable;
    /** Columns that are compared; without them all. */
    readonly columns?: readonly (keyof Row & string)[];
    /** The column whose value is the scope, and statements that name the next value after `?1` in what the table is made of. */
    readonly by?: { readonly column: keyof Row & string; readonly next: readonly string[] };
  },
): ReadModel<Row, Scope> {
  const { table, by, columns: compared, ...rest } = of;
  const { name, primaryKeys, columns: all } = getTableConfig(table);
  const columns: readonly string[] = compared ?? all.map((column) => column.name);
  const key = (primaryKeys[0]?.columns ?? all.filter(({ primary }) => primary)).map((column) => column.name);
  const marks = columns.map(() => "?").join(", ");
  const selected = `SELECT ${columns.join(", ")} FROM ${name}`;
  const whole = statement<Row, []>(selected);
  const drop = statement<never, Parameter[]>(
    `DELETE FROM ${name} WHERE ${key.map((column) => `${column} = ?`).join(" AND ")}`,
  );
  const put = statement<never, Parameter[]>(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${marks})
     ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
  );
  const valuesOf = (row: Row, names: readonly string[]) =>
    names.map((column) => (row as ModelRow)[column] ?? null);
  const model = {
    ...rest,
    scopes: () => [0 as Scope],
    stored: (db: Db) => whole(db).all(),
    drop: (tx: Tx, row: Row) => drop(tx).run(...valuesOf(row, key)),
    put: (tx: Tx, row: Row) => put(tx).run(...valuesOf(row, columns)),
  };
  if (by === undefined) return model;
  const isNumber = all.some((column) => column.name === by.column && column.dataType === "number");
  const ofScope = statement<Row, [Scope]>(`${selected} WHERE ${by.column} = ?`);
  const own = `SELECT min(${by.column}) FROM ${name} WHERE ${by.column} > ?1`;
  return {
    ...model,
    scopes: scopesBy([own, ...by.next], (isNumber ? Number.MIN_SAFE_INTEGER : "") as Scope),
    stored: (db, scope) => ofScope(db).all(scope),
  };
}

/** Every value that one of the statements names as the next one after `?1`, in order. */
export function scopesBy<Scope extends string | number>(next: readonly string[], first: Scope) {
  const nexts = next.map((text) => statement<{ next: Scope | null }, [Scope]>(`SELECT (${text}) AS next`));
  return function* (db: Db): Generator<Scope> {
    for (let last = first; ; ) {
      const found = nexts.flatMap((one) => one(db).first(last)?.next ?? []);
      const scope = found.reduce<Scope | undefined>(
        (least, one) => (least === undefined || one < least ? one : least),
        undefined,
      );
      if (scope === undefined) return;
      last = assertAscending("an index of a read model, or of what it is made of,", last, scope);
      yield scope;
    }
  };
}
