import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files of a data folder that a first start makes only after the database: beside none, they say that one was there. */
const MADE_AFTER = ["constants.toml", "credentials.key"] as const;

/** Files that only a database has beside it. */
const OF_DATABASE = ["tower.db-wal", "tower.db-journal"] as const;

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * What lies beside a database that is gone or empty, and says that there was one. Empty where there is a database, and where a first
 * start may make one: a first start that was cut off leaves only the lock, and a constants document or a key may be put into a
 * folder that was never used. Look before the lock is taken: taking it makes its file.
 */
export function leftOfDatabase(dataDir: string, archive: string): string[] {
  const database = join(dataDir, "tower.db");
  if (sizeOf(database) > 0) return [];
  const wasUsed = existsSync(database) || existsSync(join(dataDir, "lock.db"));
  return [
    ...OF_DATABASE.filter((name) => sizeOf(join(dataDir, name)) > 0),
    ...(holdsAnything(archive) ? [archive] : []),
    ...(wasUsed ? MADE_AFTER.filter((name) => existsSync(join(dataDir, name))) : []),
  ];
}

function holdsAnything(archive: string): boolean {
  if (archive.includes("://") || !existsSync(archive)) return false;
  return statSync(archive).isDirectory() && readdirSync(archive).length > 0;
}
