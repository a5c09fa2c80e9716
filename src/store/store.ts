/**
 * Room `store`: the SQLite file and its one writer, the archive's objects, and work that runs by a timetable.
 *
 * - A write: `writer.ts` gathers jobs into a commit on the connection opened here → `checkpoint.ts` moves the log into the file.
 * - A start: `lock.ts` → `damageOf` (`migrations.ts`: is there a sound database?) → `openStore` below → `migrateStore`.
 * - An object: `objects.ts` (the interface, names, bounds) → `directory_store.ts` or `s3_store.ts`; `object_check.ts` compares its bytes.
 * - A job: `timetable.ts` says when it is due → `jobs.ts` runs it once at a time, with rows of `job_runs.ts`.
 * - A derived table: `read_model.ts` compares it with its replay. Begin here, then `writer.ts`.
 *
 * This file is the one door to SQLite: one writing connection and one reading connection on the same file, with every pragma that the
 * promises rest on set and read back.
 *
 * `synchronous=FULL` because a 2xx means durable: with NORMAL the last commits can vanish at a power cut.
 * `cell_size_check` stays off: it walks every cell of every page it takes up and costs a fifth of a report's time; a damaged file is
 * found by `bun run tower check`. `recursive_triggers=ON` because without it `INSERT OR REPLACE` walks around the append-only triggers.
 */

import { constants, Database } from "bun:sqlite";
import { constants as access, accessSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { eq } from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** A connection that may read. */
export type Db = BunSQLiteDatabase<Record<string, never>>;

declare const writing: unique symbol;
/** The writing connection inside a transaction; only `write()` hands it out. */
export type Tx = Db & { readonly [writing]: true };

/** First SQLite version without the WAL-reset bug that can corrupt a file with two connections. */
const MINIMUM_VERSION = [3, 51, 3] as const;

/** Pages in the log before SQLite itself checkpoints inside a commit: a backstop; the timer works long before. */
const AUTOCHECKPOINT_PAGES = 16_384;

const WRITER_PRAGMAS: readonly (readonly [name: string, set: string, read: string | number])[] = [
  ["busy_timeout", "5000", 5000],
  ["journal_mode", "WAL", "wal"],
  ["synchronous", "FULL", 2],
  ["foreign_keys", "ON", 1],
  ["recursive_triggers", "ON", 1],
  ["trusted_schema", "OFF", 0],
  ["mmap_size", "0", 0],
  ["wal_autocheckpoint", String(AUTOCHECKPOINT_PAGES), AUTOCHECKPOINT_PAGES],
  ["journal_size_limit", String(64 * 1024 * 1024), 64 * 1024 * 1024],
  ["cache_size", "-16000", -16000],
];

const READER_PRAGMAS: typeof WRITER_PRAGMAS = [
  ["busy_timeout", "5000", 5000],
  ["query_only", "ON", 1],
  ["trusted_schema", "OFF", 0],
  ["mmap_size", "0", 0],
  ["cache_size", "-16000", -16000],
];

/** The open database. */
export interface Store {
  readonly path: string;
  /** The writing connection, for the writer, migrations and checks. */
  readonly raw: Database;
  /** The writing connection for queries; writes go through `Writer` only. */
  readonly main: Db;
  /** The reading connection. In memory it is the writing one. */
  readonly db: Db;
  /** The reading connection, raw. */
  readonly rawRead: Database;
  close(): void;
}

/** Opens `path` (or `:memory:`). Throws when a pragma does not hold or SQLite is too old. */
export function openStore(path: string): Store {
  const raw = new Database(path, { create: true, readwrite: true, strict: true });
  assertVersion(raw);
  applyPragmas(raw, WRITER_PRAGMAS, path);
  // The log and its index stay where they are when the file is closed: on a full disk they could not be made again, and a
  // service that was stopped there would not come up.
  if (path !== ":memory:") raw.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  return storeOf(path, raw);
}

/**
 * Cache for reading a whole file once: checking its indexes jumps between pages, which lie within an eighth of it. A larger one costs a backup
 * a sixth of its time: memory that a thread has not had yet is dearer than reading a page anew. In KiB, negative as SQLite has it.
 */
const wholeFileCache = (path: string): number =>
  -Math.min(64_000, Math.max(2_000, Math.ceil(sizeOf(path) / 8 / 1024)));

/**
 * Opens a database file for reading all of it. In a folder that may not be written SQLite cannot make the index of its log; where
 * there is no log, the file is all there is, and it is opened as one that nobody changes.
 */
export function openReadOnly(path: string, cache = wholeFileCache(path)): Store {
  const raw = openToRead(path);
  applyPragmas(raw, READER_PRAGMAS, path);
  raw.run(`PRAGMA cache_size = ${cache}`);
  const main: Db = drizzle(raw);
  return { path, raw, main, db: main, rawRead: raw, close: () => raw.close() };
}

/**
 * A connection that only reads, wherever the file lies. What a power cut left half done outside the log has to be taken back before
 * anything can be read, which a connection that may not write cannot do: that one time it may, and still takes no write.
 */
export function openToRead(path: string): Database {
  const isWritable = canBeWritten(dirname(path));
  if (!isWritable && sizeOf(`${path}-wal`) === 0) {
    const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
    return new Database(`${pathToFileURL(path).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }
  if (!isWritable || sizeOf(`${path}-journal`) === 0) {
    return new Database(path, { readonly: true, strict: true });
  }
  const raw = new Database(path, { readwrite: true, create: false, strict: true });
  raw.run("PRAGMA query_only = ON");
  return raw;
}

/** Bytes of a file; 0 when it is not there. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Whether files can be made in a folder. */
export function canBeWritten(folder: string): boolean {
  try {
    accessSync(folder, access.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Wraps an already migrated in-memory image; for tests, which each get a database of their own. */
export function openImage(image: Uint8Array): Store {
  const raw = Database.deserialize(image, { strict: true, readwrite: true } as never);
  applyPragmas(raw, WRITER_PRAGMAS, ":memory:");
  return storeOf(":memory:", raw);
}

function storeOf(path: string, raw: Database): Store {
  const main: Db = drizzle(raw);
  if (path === ":memory:") {
    return { path, raw, main, db: main, rawRead: raw, close: () => raw.close() };
  }
  const rawRead = new Database(path, { readwrite: true, create: false, strict: true });
  applyPragmas(rawRead, READER_PRAGMAS, path);
  return {
    path,
    raw,
    main,
    db: drizzle(rawRead),
    rawRead,
    close: () => {
      rawRead.close();
      emptyLog(raw);
      raw.close();
    },
  };
}

/** Moves the log into the file before closing. Where that cannot be done (a full disk, a foreign reader), the log keeps it all. */
function emptyLog(raw: Database): void {
  try {
    raw.run("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // What is in the log is as durable as what is in the file, and the next opening reads it from there.
  }
}

function assertVersion(raw: Database): void {
  const row = raw.query<{ version: string }, []>("SELECT sqlite_version() AS version").get();
  const parts = (row?.version ?? "0").split(".").map(Number);
  for (const [i, least] of MINIMUM_VERSION.entries()) {
    const part = parts[i] ?? 0;
    if (part > least) return;
    if (part < least)
      throw new Error(`SQLite ${row?.version} is too old: ${MINIMUM_VERSION.join(".")} is needed`);
  }
}

function applyPragmas(raw: Database, pragmas: typeof WRITER_PRAGMAS, path: string): void {
  for (const [name, set] of pragmas) raw.run(`PRAGMA ${name} = ${set}`);
  for (const [name, , expected] of pragmas) {
    if (path === ":memory:" && (name === "journal_mode" || name === "mmap_size")) continue;
    const row = raw.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get();
    const value = row === null ? undefined : Object.values(row)[0];
    if (value !== expected && !(name === "mmap_size" && value === undefined)) {
      throw new Error(`pragma ${name} is ${String(value)}, not ${expected}`);
    }
  }
}

/** Keeps one prepared query per connection: building a query anew costs up to 25 times its run. */
export function prepared<Q>(build: (db: Db) => Q): (db: Db) => Q {
  const cache = new WeakMap<Db, Q>();
  return (db) => {
    let query = cache.get(db);
    if (query === undefined) {
      query = build(db);
      cache.set(db, query);
    }
    return query;
  };
}

/** A value that SQLite takes as a parameter. */
export type Parameter = string | number | Uint8Array | null;

/**
 * A statement in plain SQL for the few queries that run for every report, compiled once per connection. Everything else goes
 * through drizzle, which costs several microseconds a query even when prepared.
 */
export function statement<Row, P extends readonly Parameter[]>(
  text: string,
): (db: Db) => {
  /** The first row. For reading statements only: on a writing one it would stop SQLite's checkpoints. */
  first(...parameters: P): Row | undefined;
  all(...parameters: P): Row[];
  run(...parameters: P): void;
} {
  return prepared((db) => {
    const compiled = clientOf(db).prepare<Row, Parameter[]>(plannedOnce(text));
    return {
      first: (...parameters) => compiled.get(...parameters) ?? undefined,
      all: (...parameters) => compiled.all(...parameters),
      run: (...parameters) => void compiled.run(...parameters),
    };
  });
}

const QUOTED_OR_PARAMETER = /'(?:''|[^'])*'|\?/g;

/**
 * The same statement with a plus before each parameter, which says nothing and keeps SQLite from planning by its value: else it plans,
 * and so compiles, the statement anew at every run with other values, which costs five times the run of a look-up.
 */
export function plannedOnce(text: string): string {
  return text.replace(QUOTED_OR_PARAMETER, (found) => (found === "?" ? "+?" : found));
}

function clientOf(db: Db): Database {
  return (db as Db & { readonly $client: Database }).$client;
}

// Small facts the service keeps about itself, by name: last ticks, last start.

export const serviceState = sqliteTable("service_state", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
  changed_at: integer("changed_at").notNull(),
});

/** Since when, in milliseconds, stored credentials count as lost: a backup of unproven origin was restored then. */
export const CREDENTIALS_LOST_AT = "credentials.lost_at";

/** A fact the service keeps about itself, or undefined. */
export function findServiceState(db: Db, name: string): string | undefined {
  return db.select({ value: serviceState.value }).from(serviceState).where(eq(serviceState.name, name)).get()
    ?.value;
}

/** Keeps a fact. */
export function putServiceState(tx: Tx, name: string, value: string, now: number): void {
  tx.insert(serviceState)
    .values({ name, value, changed_at: now })
    .onConflictDoUpdate({ target: serviceState.name, set: { value, changed_at: now } })
    .run();
}
