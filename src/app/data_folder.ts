/**
 * The data folder as such: made for this user alone, held by one process, and refused where what lies in it must not be opened.
 * Whatever keeps it from being used is one line for a person.
 */

import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemClock, systemIds } from "../base/base.ts";
import { TOWER_COMMAND } from "../base/command_line.ts";
import type { Config } from "../base/config.ts";
import type { Files } from "../base/files.ts";
import { findKeys } from "../base/keys.ts";
import { ConfigError } from "../base/setting.ts";
import { DamagedRow, isDamage, isFull, isStorageFailure, storageFault } from "../base/storage_fault.ts";
import { codeOf } from "../base/text.ts";
import { askWorker } from "../base/worker.ts";
import { LockFault, takeDataLock } from "../store/lock.ts";
import { damageOf, versionFaultIn } from "../store/migrations.ts";
import { canBeWritten, openReadOnly, sizeOf } from "../store/store.ts";

/** The data folder cannot be opened; `message` is the one line to print. */
export class DataFolderFault extends Error {
  override readonly name: string = "DataFolderFault";
}

/** Another process holds the data folder. */
export class DataFolderBusy extends DataFolderFault {
  override readonly name = "DataFolderBusy";
}

/** Files by which a folder is known as Tower's. */
const OWN_FILES: ReadonlySet<string> = new Set(["tower.db", "constants.toml", "credentials.key"]);

/** Makes the data folder, for this user alone, and waits until the disk has its name. Throws `ConfigError`. */
export async function prepareFolder(path: string, files: Files): Promise<void> {
  try {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 });
    if (made !== undefined || isTowers(path)) closeToOthers(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (made === undefined) return;
    for (let above = dirname(path); ; above = dirname(above)) {
      await files.syncFolder(above);
      if (above === dirname(made)) return;
    }
  } catch (error) {
    if (isFull(error)) throw error;
    throw new ConfigError(
      `DATA_DIR is ${path}, which is not a writable folder (${storageFault(error)}), for example DATA_DIR=./data`,
    );
  }
}

/** Whether a folder is Tower's own, or may become it: one that others work in keeps its rights, say a home folder named by mistake. */
function isTowers(path: string): boolean {
  const names = readdirSync(path);
  return names.length === 0 || names.some((name) => OWN_FILES.has(name));
}

/** What lies in it is for this user alone in any case; a folder that another user lends, as a mounted volume, only that one closes. */
function closeToOthers(path: string): void {
  try {
    chmodSync(path, 0o700);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** Holds the data folder until the function it returns is called. Throws `DataFolderBusy` and `LockFault`. */
export function lockFolder(dataDir: string): () => void {
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${dataDir}`);
  return () => lock.release();
}

/**
 * Looks into a data folder without making anything in it, nor the folder itself: whether there is no installation in it, nor anything left
 * of one; and what lies beside a database that is gone, and says that there was one. Throws `DataFolderFault`.
 */
export function inspectDataDir({ dataDir, rawSignals }: Pick<Config, "dataDir" | "rawSignals">) {
  const database = join(dataDir, "tower.db");
  try {
    if (statSync(database, { throwIfNoEntry: false })?.isDirectory() === true) {
      throw new DataFolderFault(`${database} is a folder, not a database: is DATA_DIR the right one?`);
    }
    const left = leftOfDatabase(dataDir, rawSignals);
    return { left, isNew: left.length === 0 && holdsNothing(database) };
  } catch (error) {
    throw faultOf(error, dataDir) ?? error;
  }
}

/** Refuses a folder whose database is gone, emptied, damaged or of another version. `left` is what lies beside it and says that there was one. */
export async function refuseUnusable(dataDir: string, left: readonly string[]): Promise<void> {
  const database = join(dataDir, "tower.db");
  refuseMissingDatabase(dataDir, left);
  if (holdsNothing(database)) return;
  const version = versionFaultIn(database);
  if (version !== undefined) throw new DataFolderFault(`${database} cannot be opened: ${version}`);
  const [first] = await damageIn(database);
  if (first !== undefined) throw new DataFolderFault(damageWords(database, first));
}

/** Refuses a folder of which the database alone is gone: a new one in its place would hide that. */
export function refuseMissingDatabase(dataDir: string, left: readonly string[]): void {
  if (left.length === 0) return;
  const database = join(dataDir, "tower.db");
  throw new DataFolderFault(
    `${database} is ${existsSync(database) ? "empty" : "missing"}, but ${left.join(" and ")} beside it ${left.length === 1 ? "says" : "say"} that there was one: bring it back (tower restore <backup>), or, to start from nothing on purpose, move what is left out of ${dataDir}`,
  );
}

function damageWords(database: string, what: string): string {
  return `${database} must not be opened: ${what}. See all of it with: ${TOWER_COMMAND} check. Then move it away and restore a backup (${TOWER_COMMAND} restore <backup>)`;
}

/** From this size on looking takes longer than a thread does to come up, in bytes. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** What is damaged in a database; a large one is looked through on a thread of its own, so that others are answered meanwhile. */
async function damageIn(database: string): Promise<readonly string[]> {
  if (statSync(database).size < LARGE_BYTES) return damageOf(database);
  const told = askWorker<readonly string[]>(new URL("./damage_worker.ts", import.meta.url), database);
  // Where it could not be read, a second look tells why, as itself.
  return await told.catch(() => damageOf(database));
}

/** A failure of storage, or a row that is damaged, in one line; undefined for any other error. */
export function faultOf(error: unknown, dataDir: string): DataFolderFault | undefined {
  if (error instanceof LockFault) return new DataFolderFault(error.message, { cause: error });
  if (error instanceof DamagedRow) {
    return new DataFolderFault(damageWords(join(dataDir, "tower.db"), error.message), { cause: error });
  }
  const advice = isFull(error) ? ": make room and start again" : "";
  if (isStorageFailure(error) || isSystemError(error)) {
    return new DataFolderFault(`${dataDir} cannot be opened: ${storageFault(error)}${advice}`, {
      cause: error,
    });
  }
  return undefined;
}

function isSystemError(error: unknown): boolean {
  return typeof (error as { syscall?: unknown } | null)?.syscall === "string";
}

/**
 * Holds the data folder without opening what is in it, so that also a database that nothing can start with is looked at. Where the
 * folder cannot be written, no lock can be taken, and none is needed as long as nobody else writes there: `notice` says so, "" else. Throws
 * `DataFolderFault`.
 */
export function openForReading(config: Config) {
  const { dataDir } = config;
  const path = join(dataDir, "tower.db");
  const deps = { config, clock: systemClock, ids: systemIds, keys: findKeys(config), store: { path } };
  if (!canBeWritten(dataDir)) {
    const notice = `${dataDir} cannot be written: it is read without its lock; if a service elsewhere writes to it, ask that one`;
    return { deps, notice, close: () => undefined };
  }
  try {
    return { deps, notice: "", close: lockFolder(dataDir) };
  } catch (error) {
    throw faultOf(error, dataDir) ?? error;
  }
}

// Files of a data folder that a first start makes only after the database: beside none, they say that one was there.

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
