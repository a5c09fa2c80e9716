/**
 * Migrations, applied at start and then checked: drizzle chooses them by time alone, so one that is older than the last
 * applied one would be skipped in silence, and an edited file would not be noticed. Every migration of the journal must
 * be recorded with its hash, every table must be STRICT, and every append-only table must carry its two triggers.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { sha256Hex } from "../lib/digest.ts";
import type { Store } from "./open.ts";
import { APPEND_ONLY_TABLES } from "./schema.ts";

const FOLDER = join(import.meta.dir, "..", "..", "drizzle");

/** Brings the database to the newest schema. Throws, and leaves it as it was, when a migration fails. */
export function migrateStore(store: Store): void {
  migrate(store.main, { migrationsFolder: FOLDER });
  const faults = checkSchema(store);
  if (faults.length > 0) throw new Error(`the database schema is not as expected: ${faults.join("; ")}`);
}

/** What is wrong with the schema; empty when nothing is. */
export function checkSchema(store: Store): string[] {
  return [...missingMigrations(store), ...looseTables(store), ...missingTriggers(store)];
}

/**
 * What keeps a database from being one of this release or of an earlier one; empty when nothing does. Its migrations must be the
 * first ones of this release, each as it stands here: then `migrateStore` can bring it up to date.
 */
export function releaseFaults(store: Store): string[] {
  const known = store.raw
    .query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '__drizzle_migrations'")
    .all();
  if (known.length === 0) return ["it is no database of Tower: no migrations are recorded in it"];
  const here = listMigrations();
  const applied = appliedHashes(store);
  if (applied.length === 0) return ["it is empty: no migration was applied to it"];
  return applied.flatMap((hash, index) => {
    if (here[index]?.hash === hash) return [];
    return [`migration ${index + 1} in it is unknown here: it is of a newer Tower, or of another one`];
  });
}

interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

function listMigrations(): { readonly tag: string; readonly hash: string }[] {
  const journal = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as Journal;
  return journal.entries.map(({ tag }) => ({
    tag,
    hash: sha256Hex(readFileSync(join(FOLDER, `${tag}.sql`), "utf8")),
  }));
}

function appliedHashes(store: Store): string[] {
  return store.raw
    .query<{ hash: string }, []>("SELECT hash FROM __drizzle_migrations ORDER BY created_at, id")
    .all()
    .map((row) => row.hash);
}

function missingMigrations(store: Store): string[] {
  const applied = new Set(appliedHashes(store));
  return listMigrations()
    .filter(({ hash }) => !applied.has(hash))
    .map(({ tag }) => `migration ${tag} is not applied as it stands`);
}

function looseTables(store: Store): string[] {
  return store.raw
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%' AND name <> '__drizzle_migrations'",
    )
    .all()
    .map(({ name }) => `table ${name} is not STRICT`);
}

function missingTriggers(store: Store): string[] {
  // By what they do, not only by name: an empty trigger of the right name would let everything through.
  const refusing = new Set(
    store.raw
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%BEFORE %BEGIN SELECT RAISE(ABORT, %'",
      )
      .all()
      .map((row) => row.name),
  );
  return APPEND_ONLY_TABLES.flatMap((table) =>
    [`${table}_no_update`, `${table}_no_delete`]
      .filter((name) => !refusing.has(name))
      .map((name) => `trigger ${name} is missing`),
  );
}
