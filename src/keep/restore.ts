/** A restore: the database of a backup, checked as a copy, in a data folder that has none. */

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";
import { listApiTokens } from "../access/api_tokens.ts";
import { auditAct, keyAudit } from "../access/audit.ts";
import { listOperators } from "../access/operators.ts";
import { endEverything } from "../access/sessions.ts";
import { copyAnew } from "../archive/manifest_copy.ts";
import { clearPacksAnew } from "../archive/objects.ts";
import type { Clock, Ids } from "../base/base.ts";
import { type Config, processEnvironment } from "../base/config.ts";
import { replaceFile, systemFiles } from "../base/files.ts";
import { InstallationKeys, keyPath, putKey } from "../base/keys.ts";
import { KEY_BYTES } from "../base/setting.ts";
import { pathFault } from "../base/storage_fault.ts";
import { loseSecrets } from "../providers/credentials.ts";
import { loseTexts } from "../providers/sealing.ts";
import { findVersion, listVersions } from "../sites/constants_document.ts";
import { listTokens } from "../sites/site_tokens.ts";
import type { JobEntry } from "../store/job_runs.ts";
import { takeDataLock } from "../store/lock.ts";
import { checkSchema, migrateStore, versionFault } from "../store/migrations.ts";
import type { ObjectStore } from "../store/objects.ts";
import { countAppendOnly } from "../store/snapshot.ts";
import {
  CREDENTIALS_LOST_AT,
  type Db,
  openReadOnly,
  openStore,
  putServiceState,
  type Tx,
} from "../store/store.ts";
import { Writer } from "../store/writer.ts";
import { ownBackups } from "./backup.ts";
import { checkEverything } from "./keep.ts";
import { lackingWords, type RestoredObjects, restoreObjects } from "./restore_objects.ts";
import { originOf, unseal } from "./seal.ts";

/** What became of restoring: what was found and done, or why it was refused. */
export type RestoreResult = Awaited<ReturnType<typeof restoreInto>>;

/** How to restore. */
export interface RestoreOptions {
  /** Where objects that the archive does not hold whole are put. */
  readonly archive: ObjectStore;
  /** Whether objects are only proven, where they lie for the backup. */
  readonly onlyProves?: boolean;
  /** Ends it between two objects. */
  readonly signal?: AbortSignal | undefined;
  /** Restores a sound file also when its contents contradict themselves, as they did when the backup was made. */
  readonly despiteFaults: boolean;
  /** Restores also what no key proves to be of this installation. */
  readonly unverifiedOrigin: boolean;
  /** The key that the data folder or a setting holds. */
  readonly ownKeys: InstallationKeys | undefined;
  /** The key of the installation that made the backup; it becomes the data folder's where that has none. */
  readonly givenKeys: InstallationKeys | undefined;
}

/** What restoring takes from outside. */
export interface RestoreDeps {
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The database's name until all of it is checked. */
const TEMPORARY = ".tmp-tower.db";

const COMPANIONS = ["-journal", "-wal", "-shm"] as const;

/** Follows that name in those of objects on their way. */
const OBJECT = "-object-";

/**
 * Puts the database of a backup into a data folder that has none and that nobody uses. It is copied under another name, its origin
 * and then all of it is checked there, and it is brought to this release's schema; then every object that it names is proven, and
 * brought into the archive where that does not hold it whole. Only when all of that held does the database get its name.
 * Then the last version of `constants.toml` is written, where there is no such file. Blocks: it is for a process of its own.
 */
export async function restoreInto(
  deps: RestoreDeps,
  dataDir: string,
  backup: string,
  options: RestoreOptions,
) {
  try {
    return await tryRestore(deps, dataDir, backup, options);
  } catch (error) {
    // A folder that may not be written, a full disk, a file that may not be read: the system says which.
    return refused(pathFault(error));
  }
}

async function tryRestore(deps: RestoreDeps, dataDir: string, backup: string, options: RestoreOptions) {
  const { ownKeys, givenKeys } = options;
  if (ownKeys !== undefined && givenKeys !== undefined && ownKeys.id !== givenKeys.id) {
    return refused(
      `this installation has another key (${ownKeys.id}) than the one given (${givenKeys.id}): put one of them away first`,
    );
  }
  process.umask(0o077);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  chmodSync(dataDir, 0o700);
  const lockPath = join(dataDir, "lock.db");
  const wasUsed = existsSync(lockPath);
  const lock = takeDataLock(dataDir);
  if (lock === undefined) return refused(`another Tower process is using ${dataDir}`);
  const database = join(dataDir, "tower.db");
  const temporary = join(dataDir, TEMPORARY);
  try {
    for (const path of [database, ...COMPANIONS.map((companion) => `${database}${companion}`)]) {
      if (existsSync(path)) return refused(`${path} is there already: nothing is overwritten`);
    }
    sweepRestore(dataDir);
    const unsealed = unseal(backup, temporary);
    if (!unsealed.ok) return refused(unsealed.reason);
    const { seal } = unsealed;
    const keys = ownKeys ?? givenKeys;
    const origin = originOf(seal, keys);
    if (origin.kind === "forged")
      return refused(`${backup} was not made by this installation: ${origin.reason}`);
    if (origin.kind === "unproven" && !options.unverifiedOrigin) {
      return refused(`nothing proves that ${backup} is of this installation: ${origin.reason}`, [
        "Give the key of the installation that made it with --key-file; without that key only --unverified-origin restores it.",
      ]);
    }
    const signing = keys ?? new InstallationKeys(deps.ids.bytes(KEY_BYTES));
    const now = deps.clock.now();
    const examined = await examine(temporary, {
      now,
      madeAt: seal.made_at,
      isProven: origin.kind === "proven",
      keys: signing,
      despiteFaults: options.despiteFaults,
      restoreObjects: (db, write) =>
        restoreObjects(db, { backup, seal, temporary: `${temporary}${OBJECT}`, write, now, ...options }),
    });
    if (!examined.ok) return examined;
    const { document, ...found } = examined;
    const file = openSync(temporary, "r");
    fsyncSync(file);
    closeSync(file);
    // The key first: a database beside a key that it was not settled with would not be taken for this installation's.
    if (ownKeys === undefined) {
      await putKey(systemFiles, dataDir, signing);
    }
    renameSync(temporary, database);
    await systemFiles.syncFolder(dataDir);
    return {
      ...found,
      origin,
      /** When the backup was made, in UTC. */
      madeAt: seal.made_at,
      /** Rows as the seal counts them: the restore itself adds some. */
      sealedRows: seal.rows,
      /** Whether the data folder had no key, and got one. */
      keyWritten: ownKeys === undefined,
      /** What became of the constants document; `none` when the backup holds no version of it. */
      constants: await restoreConstants(join(dataDir, "constants.toml"), document),
    };
  } finally {
    sweepRestore(dataDir);
    // A lock beside no database says that one was lost; here none ever was.
    if (!wasUsed && !existsSync(database)) rmSync(lockPath, { force: true });
    lock.release();
  }
}

/** Removes what a killed restore left. Whoever holds the data folder's lock may: no restore is under way then. */
export function sweepRestore(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(TEMPORARY)) rmSync(join(dataDir, name), { force: true });
  }
}

function refused(reason: string, faults: readonly string[] = []) {
  return { ok: false, reason, faults } as const;
}

async function examine(
  path: string,
  restored: {
    readonly now: number;
    readonly madeAt: string;
    readonly isProven: boolean;
    readonly keys: InstallationKeys;
    readonly despiteFaults: boolean;
    readonly restoreObjects: (
      db: Db,
      write: (change: (tx: Tx) => void) => Promise<void>,
    ) => Promise<RestoredObjects>;
  },
) {
  const asMade = openReadOnly(path);
  const version = versionFault(asMade);
  const foreign = version === undefined ? checkSchema(asMade) : [];
  asMade.close();
  if (version !== undefined) return refused(`the database of the backup cannot be read: ${version}`);
  if (foreign.length > 0) return refused("the backup does not fit this release", foreign);
  const store = openStore(path);
  try {
    migrateStore(store);
    const auditKey = restored.keys.forPurpose("audit");
    keyAudit(store.main, auditKey);
    const writer = new Writer(store);
    await writer.write((tx) => settle(tx, restored));
    const findings = checkEverything(store, auditKey);
    const faults = findings.flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
    if (faults.length > 0 && !restored.despiteFaults)
      return refused("what the backup holds is not in order", faults);
    const objects = await restored.restoreObjects(store.db, (change) => writer.write(change));
    writer.close();
    if (objects.lacking > 0) {
      if (!restored.despiteFaults) return refused(lackingWords(objects), objects.faults);
      faults.push(lackingWords(objects), ...objects.faults);
    }
    const [newest] = listVersions(store.db, 1);
    return {
      ok: true as const,
      rows: countAppendOnly(store),
      /** What was checked of the database, by name. */
      checked: findings.map(({ what }) => what),
      admits: whomItAdmits(store.db),
      document: newest === undefined ? undefined : findVersion(store.db, newest.id)?.document,
      /** What became of the objects that its manifest names. */
      objects,
      /** What is wrong with what it says, when it was to be restored all the same. */
      faults,
    };
  } finally {
    store.close();
  }
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

/** Everybody whom what a database says would let in. Who crafts one can add to each of these. */
function whomItAdmits(db: Db) {
  return {
    operators: listOperators(db).map(({ name, kind, hasPassword }) =>
      kind === "service" ? `${name} (a service)` : `${name} (${hasPassword ? "password" : "no password"})`,
    ),
    apiTokens: listApiTokens(db).map(
      ({ id, operatorName, scopes }) => `${id} of ${operatorName}: ${scopes.join(", ")}`,
    ),
    siteTokens: listTokens(db).map(({ id, asset }) => `${id} of ${asset}`),
  };
}

/**
 * What a restored database must not carry on as if nothing had happened. Everybody signs in again, and no set-up link works: they are
 * of another time, and perhaps of another machine. Without a proven origin stored credentials are lost, too: their secrets are taken
 * out, since nobody has shown that they are this installation's. Operators and tokens stay, since an installation without them is no use to its operators; the
 * command names them all, because whoever crafts a file can add some.
 */
export function settle(
  tx: Tx,
  restored: { readonly now: number; readonly madeAt: string; readonly isProven: boolean },
): void {
  const { now, madeAt, isProven } = restored;
  const sessionsEnded = endEverything(tx);
  copyAnew(tx);
  clearPacksAnew(tx, now);
  if (!isProven) {
    putServiceState(tx, CREDENTIALS_LOST_AT, String(now), now);
    loseSecrets(tx);
    loseTexts(tx);
  }
  auditAct(tx, { actor: "command-line", now }, "backup.restore", "", {
    made_at: madeAt,
    origin: isProven ? "proven" : "unverified",
    sessions_ended: sessionsEnded,
  });
}

// Restoring by a button: `tower restore` into a folder of its own, while the service and its data go on as they are.

/** What is run under this name restores a backup that somebody chose by a button. */
export const RESTORE_JOB = "restore";

const ENDING = ".backup";
/** Older ones are there for the command. */
const MOST_LISTED = 5;

/** A backup in the data folder. */
export interface OwnBackup {
  readonly name: string;
  readonly bytes: number;
  /** The data folder that it was restored into, absolute; undefined where it was not. */
  readonly restoredInto: string | undefined;
}

/** The newest backups in the data folder, the newest first: their names begin with their moments. */
export function listOwnBackups(dataDir: string): OwnBackup[] {
  const folder = ownBackups(dataDir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(ENDING) && !name.startsWith("."));
  return names
    .sort()
    .reverse()
    .slice(0, MOST_LISTED)
    .flatMap((name) => {
      const facts = statSync(join(folder, name), { throwIfNoEntry: false });
      const into = restoredFolder(dataDir, name);
      const restoredInto = existsSync(join(into, "tower.db")) ? into : undefined;
      return facts === undefined ? [] : [{ name, bytes: facts.size, restoredInto }];
    });
}

const restoredFolder = (dataDir: string, name: string) => join(dataDir, "restored", basename(name, ENDING));

/** The command itself does it, in a process of its own: restoring blocks. */
const COMMAND = join(import.meta.dir, "..", "..", "src", "cli.ts");

/** Restores `name`, one of those that are listed. */
export function restoreRun(
  deps: { readonly config: Config; readonly clock: Clock; readonly writer: Writer },
  name: string,
  actor: string,
): JobEntry {
  const { config, clock, writer } = deps;
  return {
    name: RESTORE_JOB,
    at: "",
    recorded: false,
    work: async ({ signal }) => {
      const into = restoredFolder(config.dataDir, name);
      mkdirSync(into, { recursive: true, mode: 0o700 });
      const keyFile = config.credentialsKey === undefined ? ["--key-file", keyPath(config.dataDir)] : [];
      const child = Bun.spawn(
        [process.execPath, COMMAND, "restore", join(ownBackups(config.dataDir), name), ...keyFile],
        {
          env: { ...processEnvironment(), DATA_DIR: into },
          signal,
          stdout: "ignore",
          stderr: "pipe",
        },
      );
      const said = await new Response(child.stderr).text();
      if ((await child.exited) !== 0) throw new Error(said.trim());
      await writer.writeOrDefer((tx) =>
        auditAct(tx, { actor, now: clock.now() }, "backup.restore", into, { backup: name }),
      );
    },
  };
}
