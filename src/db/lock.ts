/**
 * One process per data folder: an open `BEGIN EXCLUSIVE` on `lock.db`. SQLite's file lock goes with the process, so that a
 * killed one leaves nothing behind to clean up.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Holds the data folder until released. */
export interface DataLock {
  release(): void;
}

/** Takes the lock of `dataDir`; `undefined` when another process holds it. */
export function takeDataLock(dataDir: string): DataLock | undefined {
  const lock = new Database(join(dataDir, "lock.db"), { create: true, readwrite: true });
  try {
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
  } catch {
    lock.close();
    return undefined;
  }
  return {
    release: () => {
      lock.run("ROLLBACK");
      lock.close();
    },
  };
}
