/** From settings to everything the service works with: data folder, lock, database, constants, tokens. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ensureAssets, loadTokenBook, SendRates } from "./assets/mod.ts";
import { anchorAudit, appendAudit, keyAudit } from "./audit/mod.ts";
import { sweepBackups, sweepRestore } from "./backup/mod.ts";
import type { ReadOnlyDeps } from "./command/contract.ts";
import { ConstantsKeeper, flowThresholds } from "./constants/mod.ts";
import {
  canBeWritten,
  damageOf,
  holdsNothing,
  isFull,
  isStorageFailure,
  LockFault,
  leftOfDatabase,
  listKeyUses,
  migrateStore,
  openStore,
  type Store,
  storageFault,
  takeDataLock,
  Writer,
  walBytes,
} from "./db/mod.ts";
import type { Deps } from "./deps.ts";
import { FlowFollower } from "./flow/mod.ts";
import { isFreshnessMetric } from "./freshness/mod.ts";
import { MachineWatch } from "./machine/mod.ts";
import { countMonitoringFailures, MONITORING_KINDS } from "./monitoring/mod.ts";
import { loadApiTokenBook, PasswordHasher } from "./operators/mod.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { type Config, ConfigError } from "./platform/config.ts";
import { type Files, systemFiles } from "./platform/files.ts";
import { type Ids, systemIds } from "./platform/ids.ts";
import { findKeys } from "./platform/keys.ts";
import { logOf } from "./platform/log.ts";
import { systemMachine } from "./platform/machine.ts";
import { createMetrics } from "./platform/metrics.ts";
import { type KeptKey, keepCredentialsKey } from "./platform/secrets.ts";
import { findBacklog, secondsWaited } from "./pulse/mod.ts";
import { loadRefusals } from "./refusals/mod.ts";

/** The data folder cannot be opened; `message` is the one line to print. */
export class DataFolderFault extends Error {
  override readonly name: string = "DataFolderFault";
}

/** Another process holds the data folder. */
export class DataFolderBusy extends DataFolderFault {
  override readonly name = "DataFolderBusy";
}

/** An opened data folder. */
export interface Opened {
  readonly deps: Deps;
  /** Commits what waits, checkpoints, closes, and frees the data folder. */
  close(): void;
}

/** What comes in from the machine: time, randomness, files. */
export interface Doors {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
}

const SYSTEM: Doors = { clock: systemClock, ids: systemIds, files: systemFiles };

/**
 * Opens the data folder. Throws `DataFolderBusy` when another process has it, and `DataFolderFault` when what lies in it is damaged
 * or storage does not let it be opened.
 */
export async function openData(config: Config, doors: Doors = SYSTEM): Promise<Opened> {
  process.umask(0o077);
  const { dataDir } = config;
  try {
    await prepareFolder(dataDir, doors.files);
    const left = leftOfDatabase(dataDir, config.rawSignals);
    const release = lockFolder(dataDir);
    try {
      refuseUnusable(dataDir, left);
      return await openLocked(config, doors, release);
    } catch (error) {
      release();
      throw error;
    }
  } catch (error) {
    throw faultOf(error, dataDir) ?? error;
  }
}

function lockFolder(dataDir: string): () => void {
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${dataDir}`);
  return () => lock.release();
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
  if (!existsSync(dataDir)) return { deps, notice: "", close: () => undefined };
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

/** A failure of storage in one line; undefined for any other error. */
function faultOf(error: unknown, dataDir: string): DataFolderFault | undefined {
  if (error instanceof LockFault) return new DataFolderFault(error.message, { cause: error });
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

/** Makes the data folder, for this user alone, and waits until the disk has its name. Throws `ConfigError`. */
async function prepareFolder(path: string, files: Files): Promise<void> {
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

function refuseUnusable(dataDir: string, left: readonly string[]): void {
  const database = join(dataDir, "tower.db");
  if (left.length > 0) {
    throw new DataFolderFault(
      `${database} is ${existsSync(database) ? "empty" : "missing"}, but ${left.join(" and ")} beside it ${left.length === 1 ? "says" : "say"} that there was one: bring it back (tower restore <backup>), or, to start anew on purpose, move what is left out of ${dataDir}`,
    );
  }
  if (holdsNothing(database)) return;
  const [first, ...more] = damageOf(database);
  if (first === undefined) return;
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  throw new DataFolderFault(
    `${database} must not be opened: ${first}${others}. See all of it with: bun run tower check. Then move it away and restore a backup (bun run tower restore <backup>)`,
  );
}

async function openLocked(config: Config, doors: Doors, release: () => void): Promise<Opened> {
  const store = openStore(join(config.dataDir, "tower.db"));
  try {
    const deps = await assemble(config, doors, store);
    return {
      deps,
      close: () => {
        void deps.follower.stop();
        deps.writer.close();
        store.close();
        release();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function assemble(config: Config, { clock, ids, files }: Doors, store: Store): Promise<Deps> {
  migrateStore(store);
  // After the database: a key beside none says that one was lost (`leftOfDatabase`).
  const kept = await keepCredentialsKey({ config, ids, files, uses: () => listKeyUses(store) });
  const { keys } = kept;
  keyAudit(store.main, keys.forPurpose("audit"));
  const writer = new Writer(store);
  await fixAudit(kept, writer, clock.now());
  await sweepLeftBehind(config.dataDir, clock.now());
  const pairs = [...config.assetTokens, ...config.assetTokensOfFile];
  const named = [...pairs.map((pair) => pair.asset), config.serviceAsset];
  await writer.writeOrOwe((tx) => void ensureAssets(tx, named, { actor: "service", now: clock.now() }));
  const keeper = await ConstantsKeeper.start({
    path: join(config.dataDir, "constants.toml"),
    files,
    clock,
    db: store.db,
    writer,
  });
  const machine = new MachineWatch({ store, writer, clock, ids, machine: systemMachine, config });
  const metrics = createMetrics({
    queuedWrites: () => writer.queued,
    walBytes: () => walBytes(store.path),
    backlog: () => {
      const backlog = findBacklog(store.db);
      return { reports: backlog.reports, seconds: secondsWaited(backlog, clock.now()) ?? 0 };
    },
    monitoringFailures: () => {
      const lasting = countMonitoringFailures(store.db);
      return MONITORING_KINDS.map((kind) => [kind, lasting.get(kind) ?? 0] as const);
    },
    machine: () => machine.figures(),
  });
  return {
    config,
    clock,
    ids,
    keys,
    store,
    writer,
    constants: keeper,
    siteTokens: loadTokenBook(store.db, pairs),
    sendRates: new SendRates(config.sendRate),
    apiTokens: loadApiTokenBook(store.db),
    passwords: new PasswordHasher(),
    refusals: loadRefusals(store.db, metrics.countRefused),
    follower: new FlowFollower({
      store,
      writer,
      clock,
      ids,
      thresholdsOf: (asset, metric) => flowThresholds(keeper.current().constants, asset, metric),
      isJudgedElsewhere: (asset, metric) => asset === config.serviceAsset && isFreshnessMetric(metric),
    }),
    machine,
    metrics,
  };
}

/**
 * Fixes what the audit holds with the key that is here. A new key in the place of one that is lost is nothing to be silent about: it
 * stands in the log and in the audit.
 */
async function fixAudit({ replaced }: KeptKey, writer: Writer, now: number): Promise<void> {
  let fixedBy: number | undefined;
  await writer.writeOrOwe((tx) => {
    fixedBy = anchorAudit(tx, now);
    if (replaced === undefined) return;
    appendAudit(tx, {
      at: now,
      actor: "service",
      act: "credentials-key.replace",
      target: "credentials.key",
      detail: {
        aside: replaced.aside === undefined ? null : basename(replaced.aside),
        unproven: [...replaced.unproven],
      },
    });
  });
  if (fixedBy !== undefined) {
    logOf("audit").warn(
      "the audit's rows before this one are not of the key that is here; it fixes them as they are",
      { row: fixedBy },
    );
  }
  if (replaced === undefined) return;
  logOf("credentials").error("credentials.key held no key; a new one was made", {
    unusable_file: replaced.aside ?? "none: it was gone",
    no_longer_proven: replaced.unproven.join(", "),
  });
}

/** What killed backups and restores left takes room and nothing else: where it cannot go now, the start goes on. */
async function sweepLeftBehind(dataDir: string, now: number): Promise<void> {
  try {
    await sweepBackups(dataDir, now);
    sweepRestore(dataDir);
  } catch (error) {
    logOf("backup").warn("what a killed backup left could not be removed", { reason: storageFault(error) });
  }
}
