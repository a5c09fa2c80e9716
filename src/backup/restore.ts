import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { checkEverything } from "../check/mod.ts";
import { findVersion, listVersions } from "../constants/mod.ts";
import {
  countAppendOnly,
  migrateStore,
  openReadOnly,
  openStore,
  type RowCounts,
  releaseFaults,
  type Store,
  takeDataLock,
} from "../db/mod.ts";
import { replaceFile, systemFiles } from "../platform/files.ts";
import { unseal } from "./unseal.ts";

/** What a restore did. */
export type RestoreResult =
  | {
      readonly ok: true;
      /** When the backup was made, in UTC. */
      readonly madeAt: string;
      readonly rows: RowCounts;
      /** What became of the constants document; `none` when the backup holds no version of it. */
      readonly constants: "restored" | "kept" | "none";
      /** What is wrong with what it says, when it was to be restored all the same. */
      readonly faults: readonly string[];
    }
  | { readonly ok: false; readonly reason: string; readonly faults: readonly string[] };

const COMPANIONS = ["-journal", "-wal", "-shm"] as const;

/**
 * Puts the database of a backup into a data folder that has none and that nobody uses. It is copied under another name, checked
 * there, and brought to this release's schema; only when all of that held does it get its name. Then the last version of
 * `constants.toml` is written, where there is no such file. Blocks: it is for a process of its own.
 *
 * `despiteFaults` restores a sound file whose contents contradict themselves, as they did when the backup was made.
 */
export async function restoreInto(
  dataDir: string,
  backup: string,
  options: { readonly despiteFaults: boolean },
): Promise<RestoreResult> {
  try {
    return await tryRestore(dataDir, backup, options);
  } catch (error) {
    // A folder that may not be written, a full disk, a file that may not be read: the system says which.
    return refused(error instanceof Error ? error.message : String(error));
  }
}

async function tryRestore(
  dataDir: string,
  backup: string,
  options: { readonly despiteFaults: boolean },
): Promise<RestoreResult> {
  process.umask(0o077);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const lock = takeDataLock(dataDir);
  if (lock === undefined) return refused(`another Tower process is using ${dataDir}`);
  const database = join(dataDir, "tower.db");
  const temporary = join(dataDir, ".tmp-tower.db");
  try {
    for (const path of [database, ...COMPANIONS.map((companion) => `${database}${companion}`)]) {
      if (existsSync(path)) return refused(`${path} is there already: nothing is overwritten`);
    }
    removeDatabase(temporary);
    const unsealed = unseal(backup, temporary);
    if (!unsealed.ok) return refused(unsealed.reason);
    const examined = examine(temporary, options.despiteFaults);
    if (!examined.ok) return examined;
    syncFile(temporary);
    renameSync(temporary, database);
    await systemFiles.syncFolder(dataDir);
    const constants = await restoreConstants(join(dataDir, "constants.toml"), examined.document);
    const { rows, faults } = examined;
    return { ok: true, madeAt: unsealed.seal.made_at, rows, constants, faults };
  } finally {
    removeDatabase(temporary);
    lock.release();
  }
}

function refused(reason: string, faults: readonly string[] = []) {
  return { ok: false, reason, faults } as const;
}

function removeDatabase(path: string): void {
  for (const companion of ["", ...COMPANIONS]) rmSync(`${path}${companion}`, { force: true });
}

interface Examined {
  readonly ok: true;
  readonly rows: RowCounts;
  readonly document: string | undefined;
  readonly faults: readonly string[];
}

function examine(path: string, despiteFaults: boolean): Examined | ReturnType<typeof refused> {
  const asMade = openReadOnly(path);
  const foreign = releaseFaults(asMade);
  asMade.close();
  if (foreign.length > 0) return refused("the backup does not fit this release", foreign);
  const store = openStore(path);
  try {
    migrateStore(store);
    const faults = checkEverything(store).flatMap(({ what, faults }) =>
      faults.map((fault) => `${what}: ${fault}`),
    );
    if (faults.length > 0 && !despiteFaults) return refused("what the backup holds is not in order", faults);
    return { ok: true, rows: countAppendOnly(store), document: lastDocument(store), faults };
  } finally {
    store.close();
  }
}

function lastDocument({ db }: Store): string | undefined {
  const [newest] = listVersions(db, 1);
  return newest === undefined ? undefined : findVersion(db, newest.id)?.document;
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

async function restoreConstants(
  path: string,
  document: string | undefined,
): Promise<"restored" | "kept" | "none"> {
  if (existsSync(path)) return "kept";
  if (document === undefined) return "none";
  await replaceFile(systemFiles, path, new TextEncoder().encode(document), 0o600);
  return "restored";
}
