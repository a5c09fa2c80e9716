/**
 * Migrations, applied at start and then checked: drizzle chooses them by time alone, so one that is older than the last
 * applied one would be skipped in silence, and an edited file would not be noticed. Every migration of the journal must
 * be recorded as it stands, and the whole schema must be what they make.
 */
import { migrate } from "drizzle-orm/bun-sqlite/migrator";
import { schemaDifferences } from "./expected_schema.ts";
import { listMigrations, MIGRATIONS_FOLDER } from "./journal.ts";
import type { Store } from "./open.ts";

/** How a fault ends that another release's migrations are. */
export const OF_NEWER = "it is of a newer Tower";

/** Brings the database to the newest schema. Throws, and leaves it as it was, when a migration fails. */
export function migrateStore(store: Store): void {
  migrate(store.main, { migrationsFolder: MIGRATIONS_FOLDER });
  const faults = [...checkSchema(store), ...unapplied(store).map((tag) => `migration ${tag} is not applied`)];
  if (faults.length > 0) throw new Error(`the database schema is not as expected: ${faults.join("; ")}`);
}

/** Whether the next start has migrations to apply. What cannot be read is of no release: `checkSchema` says so. */
export function isOfEarlierRelease(store: Store): boolean {
  try {
    return unapplied(store).length > 0;
  } catch {
    return false;
  }
}

function unapplied(store: Store): string[] {
  return listMigrations()
    .slice(recordedIn(store).length)
    .map(({ tag }) => tag);
}

/**
 * What keeps a database from being one of this release or of an earlier one; empty when nothing does. Its migrations must be the
 * first ones of this release, each as it stands here, and its schema what those make: then `migrateStore` can bring it up to date,
 * and nothing runs on the way that is not of this release.
 */
export function checkSchema(store: Store): string[] {
  const known = store.rawRead
    .query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '__drizzle_migrations'")
    .all();
  if (known.length === 0) return ["it is not a database of Tower: no migrations are recorded in it"];
  const applied = recordedIn(store);
  if (applied.length === 0) return ["it is empty: no migration was applied to it"];
  const here = listMigrations();
  const unknown = applied.flatMap(({ id, hash, created_at }, index) => {
    const migration = here[index];
    if (migration === undefined) return [`migration ${index + 1} in it is unknown here: ${OF_NEWER}`];
    if (id === null && hash === migration.hash && created_at === migration.when) return [];
    return [`migration ${migration.tag} is not applied as it stands here`];
  });
  return unknown.length > 0 ? unknown : schemaDifferences(store.rawRead, applied.length);
}

interface Recorded {
  readonly id: number | null;
  readonly hash: string;
  readonly created_at: number;
}

function recordedIn(store: Store): Recorded[] {
  return store.rawRead
    .query<Recorded, []>("SELECT id, hash, created_at FROM __drizzle_migrations ORDER BY created_at, rowid")
    .all();
}
