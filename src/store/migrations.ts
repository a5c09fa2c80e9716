/**
 * The whole `sqlite_schema` against what this release's migrations make: every table, index, trigger and view. A name alone says
 * nothing: a weakened trigger keeps its name, and one more trigger looks on at every row that is written.
 */

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { isDamage, isStorageFailure } from "../base/storage_fault.ts";
import { messageOf } from "../base/text.ts";
import { openReadOnly, type Store } from "./store.ts";

/** Where this release's migrations lie. */
export const MIGRATIONS_FOLDER = join(import.meta.dir, "..", "..", "drizzle");

/** The migrations of this release, in their order, with the hash and the time (`folderMillis`) that drizzle records of each. */
const listMigrations = () => readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER });

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** What of the schema is not what the first `level` migrations of this release make, each by name. */
function schemaDifferences(raw: Database, level: number): string[] {
  const expected = expectedAt(level);
  const found = new Map(readSchema(raw).map((row) => [nameOf(row), row]));
  const missing = [...expected.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`);
  const odd = [...found].flatMap(([name, row]) => {
    const made = expected.get(name);
    if (made === undefined) return [`${name} is not of this release`];
    return made === meaningOf(row) ? [] : [`${name} is not as this release makes it`];
  });
  return [...missing, ...odd];
}

const known = new Map<number, ReadonlyMap<string, string>>();

function expectedAt(level: number): ReadonlyMap<string, string> {
  let expected = known.get(level);
  if (expected === undefined) {
    expected = new Map(schemaAt(level).map((row) => [nameOf(row), meaningOf(row)]));
    known.set(level, expected);
  }
  return expected;
}

/** Made by running the migrations, as a data folder is: what SQLite writes down of an ALTER is its own. */
function schemaAt(level: number): SchemaRow[] {
  const raw = new Database(":memory:", { strict: true });
  try {
    for (const { sql } of listMigrations().slice(0, level)) for (const statement of sql) raw.run(statement);
    return readSchema(raw);
  } finally {
    raw.close();
  }
}

/** All but drizzle's own table, and those that Litestream keeps for itself in a database that it replicates. */
function readSchema(raw: Database): SchemaRow[] {
  return raw
    .query<SchemaRow, []>(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema
       WHERE name NOT IN ('__drizzle_migrations', 'sqlite_autoindex___drizzle_migrations_1')
         AND NOT (type = 'table' AND name IN ('_litestream_seq', '_litestream_lock'))`,
    )
    .all();
}

function nameOf({ type, name }: SchemaRow): string {
  return `${type} ${name}`;
}

function meaningOf({ tbl_name, sql }: SchemaRow): string {
  return `${tbl_name}\n${sql === null ? "" : normalised(sql)}`;
}

const QUOTED_OR_SPACE = /('(?:''|[^'])*'|"(?:""|[^"])*"|`(?:``|[^`])*`)|[ \t\n]+/g;

/** White space between words says nothing, and another SQLite may write another; within quotes it does. */
function normalised(sql: string): string {
  return sql.replace(QUOTED_OR_SPACE, (_, quoted: string | undefined) => quoted ?? " ").trim();
}

/**
 * Migrations, applied at start and then checked: drizzle chooses them by time alone, so one that is older than the last
 * applied one would be skipped in silence, and an edited file would not be noticed. The migrations of a database must be
 * the first ones of this version, each as it stands here, and its whole schema what they make.
 */

/** Brings the database to the newest schema. Throws, and leaves it as it was, when a migration fails. */
export function migrateStore(store: Store): void {
  migrate(store.main, { migrationsFolder: MIGRATIONS_FOLDER });
  const faults = checkSchema(store);
  if (faults.length > 0) throw new Error(`the database schema is not as expected: ${faults.join("; ")}`);
}

/** What keeps a database from being one that this version can open; empty when nothing does. */
export function checkSchema(store: Store): string[] {
  const fault = versionFault(store);
  return fault === undefined ? schemaDifferences(store.rawRead, recordedIn(store).length) : [fault];
}

/** Why this version cannot read a database, as a sentence about it; undefined where it can, and where there is nothing yet. */
export function versionFault(store: Store): string | undefined {
  const known = store.rawRead
    .query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '__drizzle_migrations'")
    .all();
  if (known.length === 0) return "it is not a database of Tower: no migrations are recorded in it";
  const here = listMigrations();
  const applied = recordedIn(store);
  if (applied.length === 0) return "it is empty: no migration was applied to it";
  const isKnown = applied.every(
    ({ hash, created_at }, place) => hash === here[place]?.hash && created_at === here[place]?.folderMillis,
  );
  if (isKnown) return undefined;
  return (applied.at(-1)?.created_at ?? 0) > (here.at(-1)?.folderMillis ?? 0)
    ? "it is of a newer Tower, which alone can read it: start that one; a backup made before the upgrade goes back with this one"
    : "it is of an earlier Tower, which alone can read it: start that one, or begin with an empty DATA_DIR (from 1.0.0 on each version reads what those before it stored)";
}

/** The same of the file at `path`. Of one that is damaged nothing is said. Throws where it cannot be read at present. */
export function versionFaultIn(path: string): string | undefined {
  try {
    const store = openReadOnly(path);
    try {
      return versionFault(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return undefined;
  }
}

function recordedIn(store: Store) {
  return store.rawRead
    .query<{ hash: string; created_at: number }, []>(
      "SELECT hash, created_at FROM __drizzle_migrations ORDER BY created_at, rowid",
    )
    .all();
}

// What speaks against a database file: broken pages, rows that point to none, a schema that no migration of this release makes. Reads only.

/** The primary code of every failure to read or write. */
const SQLITE_IOERR = 10;

/** Most faults that SQLite is asked for at once. */
const MOST_FAULTS = 20;

/** Everything SQLite can tell of the file: pages, records, indexes against tables, constraints. */
export function fileFaults({ rawRead }: Store): string[] {
  return linesOf(rawRead, `PRAGMA integrity_check(${MOST_FAULTS})`);
}

/** What SQLite can tell of the file in one pass over it: everything but indexes against tables. */
function quickFaults({ rawRead }: Store): string[] {
  return linesOf(rawRead, `PRAGMA quick_check(${MOST_FAULTS})`);
}

/** Rows that point to a row that is not there. */
export function foreignKeyFaults({ rawRead }: Store): string[] {
  return rawRead
    .query<{ table: string; rowid: number | null; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => `${table}, row ${rowid}: it points to a missing row of ${parent}`);
}

function linesOf(raw: Database, pragma: string): string[] {
  return raw
    .query<Record<string, string>, []>(pragma)
    .all()
    .flatMap((row) => Object.values(row))
    .filter((line) => line !== "ok")
    .map(assertRead);
}

/** SQLite lists a page that the disk does not read among those that are damaged, by its code: nothing is known of what it holds. */
function assertRead(line: string): string {
  const code = Number(/unable to get the page\. error code=(\d+)/.exec(line)?.[1] ?? 0);
  if ((code & 0xff) !== SQLITE_IOERR) return line;
  throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
}

/**
 * Cache for a pass that takes up no page twice, in KiB, negative as SQLite has it: what a larger one would hold at the start, the
 * service would hold for as long as it lives.
 */
const ONE_PASS_CACHE = -2_000;

/**
 * Why the database at `path` must not be opened for writing: pages that SQLite finds broken, or a schema that is not what this
 * release or an earlier one makes. Empty when nothing is wrong. Reads the file once; migrates and changes nothing. Throws where the
 * file cannot be read at present, which says nothing against it: nobody must put a sound database away that another program locks.
 */
export function damageOf(path: string): string[] {
  try {
    const store = openReadOnly(path, ONE_PASS_CACHE);
    try {
      const broken = quickFaults(store);
      return broken.length > 0 ? broken : checkSchema(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    return [messageOf(error)];
  }
}
