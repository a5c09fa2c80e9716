/** Files of a data folder that a first start makes only after the database: beside none, they say that one was there. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDamage, isStorageFailure } from "../base/storage_fault.ts";
import { openReadOnly, sizeOf } from "./store.ts";

const MADE_AFTER = ["constants.toml", "credentials.key"] as const;

/**
 * Whether there is no database at `path`, or one in which nothing was ever made: no file, an empty one, or one without tables, as a
 * first start leaves it that is cut off before its migrations are committed. drizzle makes its own table before them. Throws where the
 * file cannot be read at present.
 */
export function holdsNothing(path: string): boolean {
  if (sizeOf(path) === 0) return true;
  try {
    const { raw, close } = openReadOnly(path);
    try {
      return (
        raw.query("SELECT 1 FROM sqlite_schema WHERE tbl_name <> '__drizzle_migrations'").all().length === 0
      );
    } finally {
      close();
    }
  } catch (error) {
    if (isStorageFailure(error) && !isDamage(error)) throw error;
    // Damaged, which is another thing.
    return false;
  }
}

/**
 * What lies beside a database that is gone or emptied, and says that there was one. Empty where there is a database, and where a
 * first start may make one: a first start that was cut off leaves only the lock and an empty file, and a constants document or a key
 * may be put into a folder that was never used. Look before the lock is taken: taking it makes its file.
 */
export function leftOfDatabase(dataDir: string, archive: string): string[] {
  const database = join(dataDir, "tower.db");
  if (!holdsNothing(database)) return [];
  const wasUsed = existsSync(database) || existsSync(join(dataDir, "lock.db"));
  return [
    // A file that has pages has been read with its log.
    ...(sizeOf(database) === 0 && sizeOf(`${database}-wal`) > 0 ? ["tower.db-wal"] : []),
    ...(holdsAnything(archive) ? [archive] : []),
    ...(wasUsed ? MADE_AFTER.filter((name) => existsSync(join(dataDir, name))) : []),
  ];
}

function holdsAnything(archive: string): boolean {
  if (archive.includes("://") || !existsSync(archive)) return false;
  return statSync(archive).isDirectory() && readdirSync(archive).length > 0;
}
