/**
 * Migrations, applied at start and then checked: drizzle chooses them by time alone, so one that is older than the last
 * applied one would be skipped in silence, and an edited file would not be noticed. The migrations of a database must be
 * the first ones of this version, each as it stands here, and its whole schema what they make.
 */
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { schemaDifferences } from "./expected_schema.ts";
import { isDamage, isStorageFailure } from "./fault.ts";
import { listMigrations, MIGRATIONS_FOLDER } from "./journal.ts";
import { openReadOnly, type Store } from "./open.ts";

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
    ({ hash, created_at }, place) => hash === here[place]?.hash && created_at === here[place]?.when,
  );
  if (isKnown) return undefined;
  return (applied.at(-1)?.created_at ?? 0) > (here.at(-1)?.when ?? 0)
    ? "it is of a newer Tower, which alone can read it: start that one; a backup made before the upgrade goes back with this one"
    : "it is of an earlier Tower, which alone can read it: start that one, or begin anew with an empty DATA_DIR (from 1.0.0 on each version reads what those before it stored)";
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

interface Recorded {
  readonly hash: string;
  readonly created_at: number;
}

function recordedIn(store: Store): Recorded[] {
  return store.rawRead
    .query<Recorded, []>("SELECT hash, created_at FROM __drizzle_migrations ORDER BY created_at, rowid")
    .all();
}
