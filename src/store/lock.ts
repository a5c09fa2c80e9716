/**
 * One process per data folder: an open `BEGIN EXCLUSIVE` on `lock.db`. SQLite's file lock goes with the process, so that a
 * killed one leaves nothing behind to clean up.
 */

import { Database } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { isBusy, isDamage, storageFault } from "../base/storage_fault.ts";
import { codeOf } from "../base/text.ts";

/** The connections that hold locks: one that nothing referred to would be closed by the garbage collector, and its lock be gone. */
const held = new Set<Database>();

/** The lock can be neither taken nor said to be held; `message` is one line that names the file and the reason. */
export class LockFault extends Error {
  override readonly name = "LockFault";
}

/** Takes the lock of `dataDir`; `undefined` when another process holds it. Throws `LockFault`. */
export function takeDataLock(dataDir: string): { readonly release: () => void } | undefined {
  const path = join(dataDir, "lock.db");
  let lock: Database | undefined;
  try {
    const opened = new Database(path, { create: true, readwrite: true });
    lock = opened;
    opened.run("PRAGMA busy_timeout = 0");
    opened.run("PRAGMA locking_mode = EXCLUSIVE");
    // The lock writes nothing, so it needs no journal: on a full disk one could not be made.
    opened.run("PRAGMA journal_mode = MEMORY");
    opened.run("BEGIN EXCLUSIVE");
    held.add(opened);
    return {
      release: () => {
        opened.run("ROLLBACK");
        opened.close();
        held.delete(opened);
      },
    };
  } catch (error) {
    lock?.close();
    if (isBusy(error)) return undefined;
    throw new LockFault(`the lock ${path} cannot be taken: ${faultOf(path, error)}`, { cause: error });
  }
}

/** Why a lock that nobody holds cannot be taken, and what to do where that is known. */
function faultOf(path: string, error: unknown): string {
  const ofSystem = systemFault(path);
  if (/^(?:ENOENT|ELOOP)$/.test(codeOf(ofSystem))) return "it is not there and cannot be made";
  if (ofSystem !== undefined) return storageFault(ofSystem);
  // The system would write the file. What SQLite then calls read-only, or has no word for, is of a format it does not know.
  const isStrange = isDamage(error) || /^SQLITE_(?:READONLY|ERROR)$/.test(codeOf(error));
  return isStrange
    ? "it is damaged; it holds nothing, so remove it while no Tower runs"
    : storageFault(error);
}

/** Why the system does not open a file for writing: SQLite has one word for all of it. */
function systemFault(path: string): unknown {
  try {
    closeSync(openSync(path, "a", 0o600));
    return undefined;
  } catch (error) {
    return error;
  }
}
