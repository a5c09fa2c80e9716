/** From settings to everything the service works with: data folder, lock, database, constants, tokens. */
import { accessSync, chmodSync, constants, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ensureAssets, loadTokenBook } from "./assets/mod.ts";
import { appendAudit } from "./audit/mod.ts";
import { ConstantsKeeper, flowThresholds } from "./constants/mod.ts";
import {
  type DataLock,
  isFull,
  isStorageFailure,
  LockFault,
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
import { loadApiTokenBook, PasswordHasher } from "./operators/mod.ts";
import { systemClock } from "./platform/clock.ts";
import { type Config, ConfigError } from "./platform/config.ts";
import { type Files, systemFiles } from "./platform/files.ts";
import { systemIds } from "./platform/ids.ts";
import { logOf } from "./platform/log.ts";
import { systemMachine } from "./platform/machine.ts";
import { createMetrics } from "./platform/metrics.ts";
import { RefusedReports } from "./platform/refusals.ts";
import { type KeptKey, keepCredentialsKey } from "./platform/secrets.ts";

/** The data folder cannot be opened; `message` is the one line to print. */
export class DataFolderFault extends Error {
  override readonly name = "DataFolderFault";
}

/** Another process holds the data folder. */
export class DataFolderBusy extends DataFolderFault {}

/** An opened data folder. */
export interface Opened {
  readonly deps: Deps;
  /** Commits what waits, checkpoints, closes, and frees the data folder. */
  close(): void;
}

/** Opens the data folder. Throws `DataFolderBusy` when another process has it, `DataFolderFault` when storage does not let it. */
export async function openData(config: Config, files: Files = systemFiles): Promise<Opened> {
  process.umask(0o077);
  const { dataDir } = config;
  try {
    await prepareFolder(dataDir, files);
    const lock = takeDataLock(dataDir);
    if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${dataDir}`);
    try {
      return await openLocked(config, files, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
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
      `DATA_DIR is ${path}, which is no folder that can be written (${storageFault(error)}), for example DATA_DIR=./data`,
    );
  }
}

async function openLocked(config: Config, files: Files, lock: DataLock): Promise<Opened> {
  const store = openStore(join(config.dataDir, "tower.db"));
  try {
    const deps = await assemble(config, files, store);
    return {
      deps,
      close: () => {
        void deps.follower.stop();
        deps.writer.close();
        store.close();
        lock.release();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

async function assemble(config: Config, files: Files, store: Store): Promise<Deps> {
  const clock = systemClock;
  const ids = systemIds;
  migrateStore(store);
  const writer = new Writer(store);
  const kept = await keepCredentialsKey({ config, ids, files, uses: () => listKeyUses(store) });
  await tellReplaced(kept, writer, clock.now());
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
  return {
    config,
    clock,
    ids,
    store,
    writer,
    constants: keeper,
    siteTokens: loadTokenBook(store.db, pairs),
    apiTokens: loadApiTokenBook(store.db),
    passwords: new PasswordHasher(),
    refusals: new RefusedReports(),
    follower: new FlowFollower({
      store,
      writer,
      clock,
      ids,
      thresholdsOf: (asset, metric) => flowThresholds(keeper.current().constants, asset, metric),
      isJudgedElsewhere: (asset, metric) => asset === config.serviceAsset && isFreshnessMetric(metric),
    }),
    machine,
    metrics: createMetrics({
      queuedWrites: () => writer.queued,
      walBytes: () => walBytes(store.path),
      machine: () => machine.figures(),
    }),
  };
}

/** A new key in the place of one that is lost is nothing to be silent about: it stands in the log and in the audit. */
async function tellReplaced({ replaced }: KeptKey, writer: Writer, now: number): Promise<void> {
  if (replaced === undefined) return;
  const { aside, unproven } = replaced;
  logOf("credentials").error("credentials.key held no key; a new one was made", {
    unusable_file: aside ?? "none: it was gone",
    no_longer_proven: unproven.join(", "),
  });
  await writer.writeOrOwe((tx) =>
    appendAudit(tx, {
      at: now,
      actor: "service",
      act: "credentials-key.replace",
      target: "credentials.key",
      detail: { aside: aside === undefined ? null : basename(aside), unproven: [...unproven] },
    }),
  );
}
