/** From settings to everything the service works with: data folder, lock, database, constants, tokens. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureAssets, loadTokenBook, SendRates } from "./assets/mod.ts";
import { anchorAudit, keyAudit } from "./audit/mod.ts";
import { sweepBackups, sweepRestore } from "./backup/mod.ts";
import type { Reading } from "./command/contract.ts";
import { ConstantsKeeper, flowThresholds } from "./constants/mod.ts";
import {
  type DataLock,
  damageOf,
  holdsNothing,
  leftOfDatabase,
  migrateStore,
  openStore,
  takeDataLock,
  Writer,
  walBytes,
} from "./db/mod.ts";
import type { Deps } from "./deps.ts";
import { FlowFollower } from "./flow/mod.ts";
import { isFreshnessMetric } from "./freshness/mod.ts";
import { countMonitoringFailures, MONITORING_KINDS } from "./monitoring/mod.ts";
import { loadApiTokenBook, PasswordHasher } from "./operators/mod.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { type Config, ConfigError } from "./platform/config.ts";
import { systemFiles } from "./platform/files.ts";
import { type Ids, systemIds } from "./platform/ids.ts";
import { findKeys, InstallationKeys } from "./platform/keys.ts";
import { logOf } from "./platform/log.ts";
import { createMetrics } from "./platform/metrics.ts";
import { keepCredentialsKey } from "./platform/secrets.ts";
import { findBacklog } from "./pulse/mod.ts";
import { loadRefusals } from "./refusals/mod.ts";

/** Another process holds the data folder. */
export class DataFolderBusy extends Error {
  override readonly name = "DataFolderBusy";
}

/** What lies in the data folder must not be opened; `message` is the one line to print. */
export class DataUnusable extends Error {
  override readonly name = "DataUnusable";
}

/** An opened data folder. */
export interface Opened {
  readonly deps: Deps;
  /** Commits what waits, checkpoints, closes, and frees the data folder. */
  close(): void;
}

/** Where time and randomness come from. */
export interface Doors {
  readonly clock: Clock;
  readonly ids: Ids;
}

const SYSTEM: Doors = { clock: systemClock, ids: systemIds };

/** Opens the data folder. Throws `DataFolderBusy` when another process has it, and `DataUnusable` when it is damaged. */
export async function openData(config: Config, doors: Doors = SYSTEM): Promise<Opened> {
  process.umask(0o077);
  prepareFolder(config.dataDir);
  const left = leftOfDatabase(config.dataDir, config.rawSignals);
  const lock = takeDataLock(config.dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${config.dataDir}`);
  try {
    refuseUnusable(config.dataDir, left);
    return await openLocked(config, lock, doors);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A data folder for commands that only read. */
export interface OpenedForReading {
  readonly ground: Reading;
  /** What a person should know about it; "" for nothing. */
  readonly notice: string;
  close(): void;
}

/**
 * Holds the data folder without opening what is in it, so that also a database that nothing can start with is looked at. Where the
 * folder cannot be written, no lock can be taken, and none is needed as long as nobody else writes there. Throws `DataFolderBusy`.
 */
export function openForReading(config: Config): OpenedForReading {
  const { dataDir } = config;
  const path = join(dataDir, "tower.db");
  const ground = { config, clock: systemClock, ids: systemIds, keys: findKeys(config), store: { path } };
  if (!existsSync(dataDir)) return { ground, notice: "", close: () => undefined };
  if (!canBeWritten(dataDir)) {
    const notice = `${dataDir} cannot be written: it is read without its lock; if a service elsewhere writes to it, ask that one`;
    return { ground, notice, close: () => undefined };
  }
  const lock = takeDataLock(dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${dataDir}`);
  return { ground, notice: "", close: () => lock.release() };
}

function canBeWritten(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes the data folder, for this user alone. Throws `ConfigError`. */
function prepareFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new ConfigError(
      `DATA_DIR is ${path}, which is no folder that can be written, for example DATA_DIR=./data`,
    );
  }
}

function refuseUnusable(dataDir: string, left: readonly string[]): void {
  const database = join(dataDir, "tower.db");
  if (left.length > 0) {
    throw new DataUnusable(
      `${database} is ${existsSync(database) ? "empty" : "missing"}, but ${left.join(" and ")} beside it ${left.length === 1 ? "says" : "say"} that there was one: bring it back (tower restore <backup>), or, to start anew on purpose, move what is left out of ${dataDir}`,
    );
  }
  if (holdsNothing(database)) return;
  const [first, ...more] = damageOf(database);
  if (first === undefined) return;
  const others = more.length === 0 ? "" : `, and ${more.length} more`;
  throw new DataUnusable(
    `${database} must not be opened: ${first}${others}. See all of it with: bun run tower check. Then move it away and restore a backup (bun run tower restore <backup>)`,
  );
}

async function openLocked(config: Config, lock: DataLock, { clock, ids }: Doors): Promise<Opened> {
  const store = openStore(join(config.dataDir, "tower.db"));
  migrateStore(store);
  // After the database: a key beside none says that one was lost (`leftOfDatabase`).
  const keys = new InstallationKeys(keepCredentialsKey(config, ids));
  keyAudit(store.main, keys.forPurpose("audit"));
  const writer = new Writer(store);
  await anchor(writer, clock.now());
  await sweepBackups(config.dataDir, clock.now());
  sweepRestore(config.dataDir);
  const pairs = [...config.assetTokens, ...config.assetTokensOfFile];
  const named = [...pairs.map((pair) => pair.asset), config.serviceAsset];
  await writer.write((tx) => {
    ensureAssets(tx, named, { actor: "service", now: clock.now() });
  });
  const keeper = await ConstantsKeeper.start({
    path: join(config.dataDir, "constants.toml"),
    files: systemFiles,
    clock,
    db: store.db,
    writer,
  });
  const metrics = createMetrics({
    queuedWrites: () => writer.queued,
    walBytes: () => walBytes(store.path),
    backlog: () => {
      const { reports, since } = findBacklog(store.db);
      return { reports, seconds: since === undefined ? 0 : Math.max(0, clock.now() - since) / 1_000 };
    },
    monitoringFailures: () => {
      const lasting = countMonitoringFailures(store.db);
      return MONITORING_KINDS.map((kind) => [kind, lasting.get(kind) ?? 0] as const);
    },
  });
  const deps: Deps = {
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
    metrics,
  };
  return {
    deps,
    close: () => {
      void deps.follower.stop();
      writer.close();
      store.close();
      lock.release();
    },
  };
}

async function anchor(writer: Writer, now: number): Promise<void> {
  const row = await writer.write((tx) => anchorAudit(tx, now));
  if (row === undefined) return;
  logOf("audit").warn(
    "the audit's rows before this one are not of the key that is here; it fixes them as they are",
    {
      row,
    },
  );
}
