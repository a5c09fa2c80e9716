/** From settings to everything the service works with: data folder, lock, database, constants, tokens. */
import { accessSync, chmodSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureAssets, loadTokenBook, SendRates } from "./assets/mod.ts";
import { ConstantsKeeper, flowThresholds } from "./constants/mod.ts";
import { type DataLock, migrateStore, openStore, takeDataLock, Writer, walBytes } from "./db/mod.ts";
import type { Deps } from "./deps.ts";
import { FlowFollower } from "./flow/mod.ts";
import { isFreshnessMetric } from "./freshness/mod.ts";
import { countMonitoringFailures, MONITORING_KINDS } from "./monitoring/mod.ts";
import { loadApiTokenBook, PasswordHasher } from "./operators/mod.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import { type Config, ConfigError } from "./platform/config.ts";
import { systemFiles } from "./platform/files.ts";
import { type Ids, systemIds } from "./platform/ids.ts";
import { createMetrics } from "./platform/metrics.ts";
import { RefusedReports } from "./platform/refusals.ts";
import { keepCredentialsKey } from "./platform/secrets.ts";
import { findBacklog } from "./pulse/mod.ts";

/** Another process holds the data folder. */
export class DataFolderBusy extends Error {
  override readonly name = "DataFolderBusy";
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

/** Opens the data folder. Throws `DataFolderBusy` when another process has it. */
export async function openData(config: Config, doors: Doors = SYSTEM): Promise<Opened> {
  process.umask(0o077);
  prepareFolder(config.dataDir);
  const lock = takeDataLock(config.dataDir);
  if (lock === undefined) throw new DataFolderBusy(`another Tower process is using ${config.dataDir}`);
  try {
    return await openLocked(config, lock, doors);
  } catch (error) {
    lock.release();
    throw error;
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

async function openLocked(config: Config, lock: DataLock, { clock, ids }: Doors): Promise<Opened> {
  keepCredentialsKey(config, ids);
  const store = openStore(join(config.dataDir, "tower.db"));
  migrateStore(store);
  const writer = new Writer(store);
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
  const deps: Deps = {
    config,
    clock,
    ids,
    store,
    writer,
    constants: keeper,
    siteTokens: loadTokenBook(store.db, pairs),
    sendRates: new SendRates(config.sendRate),
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
    metrics: createMetrics({
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
    }),
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
