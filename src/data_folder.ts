/**
 * The data folder as such: made for this user alone, held by one process, and refused where what lies in it must not be opened.
 * Whatever keeps it from being used is one line for a person.
 */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ReadOnlyDeps } from "./command/contract.ts";
import type { DamageAnswer } from "./damage_worker.ts";
import {
  canBeWritten,
  DamagedRow,
  damageOf,
  holdsNothing,
  isFull,
  isStorageFailure,
  LockFault,
  leftOfDatabase,
  storageFault,
  takeDataLock,
} from "./db/mod.ts";
import { systemClock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import type { Files } from "./platform/files.ts";
import { systemIds } from "./platform/ids.ts";
import { findKeys } from "./platform/keys.ts";
import { ConfigError } from "./platform/setting.ts";
import { askWorker } from "./platform/worker.ts";

/** The data folder cannot be opened; `message` is the one line to print. */
export class DataFolderFault extends Error {
  override readonly name: string = "DataFolderFault";
}

/** Another process holds the data folder. */
export class DataFolderBusy extends DataFolderFault {
  override readonly name = "DataFolderBusy";
}

/** Makes the data folder, for this user alone, and waits until the disk has its name. Throws `ConfigError`. */
export async function prepareFolder(path: string, files: Files): Promise<void> {
  try {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
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

/** Holds the data folder until the function it returns is called. Throws `DataFolderBusy` and `LockFault`. */
export function lockFolder(dataDir: string): () => void {
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${dataDir}`);
  return () => lock.release();
}

/** Refuses a folder whose database is gone, emptied or damaged. `left` is what lies beside it and says that there was one. */
export async function refuseUnusable(dataDir: string, left: readonly string[]): Promise<void> {
  const database = join(dataDir, "tower.db");
  if (left.length > 0) throw new DataFolderFault(bereftWords(dataDir, left));
  if (holdsNothing(database)) return;
  const [first, ...more] = await damageIn(database);
  if (first === undefined) return;
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  throw new DataFolderFault(damageWords(database, `${first}${others}`));
}

/**
 * Whether there is an installation in the data folder; one of which only something is left is refused. Looking makes nothing: a folder
 * that was named by mistake stays as it is. Throws `DataFolderFault`.
 */
export function isInstalled({ dataDir, rawSignals }: Pick<Config, "dataDir" | "rawSignals">): boolean {
  try {
    const left = leftOfDatabase(dataDir, rawSignals);
    if (left.length > 0) throw new DataFolderFault(bereftWords(dataDir, left));
    return !holdsNothing(join(dataDir, "tower.db"));
  } catch (error) {
    throw faultOf(error, dataDir) ?? error;
  }
}

function bereftWords(dataDir: string, left: readonly string[]): string {
  const database = join(dataDir, "tower.db");
  return `${database} is ${existsSync(database) ? "empty" : "missing"}, but ${left.join(" and ")} beside it ${left.length === 1 ? "says" : "say"} that there was one: bring it back (tower restore <backup>), or, to start anew on purpose, move what is left out of ${dataDir}`;
}

function damageWords(database: string, what: string): string {
  return `${database} must not be opened: ${what}. See all of it with: bun run tower check. Then move it away and restore a backup (bun run tower restore <backup>)`;
}

/** From this size on looking takes longer than a thread does to come up, in bytes. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** What is damaged in a database; a large one is looked through on a thread of its own, so that others are answered meanwhile. */
async function damageIn(database: string): Promise<readonly string[]> {
  if (statSync(database).size < LARGE_BYTES) return damageOf(database);
  const answer = await askWorker<DamageAnswer>(new URL("./damage_worker.ts", import.meta.url), database);
  // Where it could not be read, a second look tells why, as itself.
  return "damage" in answer ? answer.damage : damageOf(database);
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

/** A data folder for commands that only read. */
export interface OpenedForReading {
  readonly deps: ReadOnlyDeps;
  /** What a person should know about it; "" for nothing. */
  readonly notice: string;
  close(): void;
}

/**
 * Holds the data folder without opening what is in it, so that also a database that nothing can start with is looked at. Where the
 * folder cannot be written, no lock can be taken, and none is needed as long as nobody else writes there. Throws `DataFolderFault`.
 */
export function openForReading(config: Config): OpenedForReading {
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
