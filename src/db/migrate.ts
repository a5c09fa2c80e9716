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

interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

function missingMigrations(store: Store): string[] {
  const journal = JSON.parse(readFileSync(join(FOLDER, "meta", "_journal.json"), "utf8")) as Journal;
  const applied = new Set(
    store.raw
      .query<{ hash: string }, []>("SELECT hash FROM __drizzle_migrations")
      .all()
      .map((row) => row.hash),
  );
  return journal.entries
    .filter(({ tag }) => !applied.has(sha256Hex(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"))))
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
