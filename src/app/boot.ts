/** From settings to everything the service works with: data folder, lock, database, constants, tokens. */

import { lookup } from "node:dns/promises";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { loadApiTokenBook } from "../access/api_tokens.ts";
import { anchorAudit, appendAudit, auditAct, keyAudit } from "../access/audit.ts";
import { loadKioskTokens } from "../access/kiosk_tokens.ts";
import { PasswordHasher } from "../access/passwords.ts";
import { Archive } from "../archive/archive.ts";
import { reportsOfRun } from "../archive/manifest.ts";
import { spoolFolder } from "../archive/object_routes.ts";
import { type Clock, type Ids, systemClock, systemIds } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import { type Files, systemFiles } from "../base/files.ts";
import { type HttpClient, httpClient, twoRetries } from "../base/http_client.ts";
import { type KeptKey, keepCredentialsKey } from "../base/keys.ts";
import { logOf } from "../base/log.ts";
import { type Machine, systemMachine } from "../base/machine.ts";
import { createMetrics } from "../base/metrics.ts";
import type { OutboundRules } from "../base/outbound.ts";
import { storageFault } from "../base/storage_fault.ts";
import { StoredJobHealth } from "../health/monitoring.ts";
import { loadRefusals } from "../health/refusals.ts";
import { AttentionReader } from "../integrations/attention_reader.ts";
import { MachineWatch } from "../integrations/machine_watch.ts";
import { HealthReader } from "../integrations/reader.ts";
import { sweepBackups } from "../keep/backup.ts";
import { sweepRestore } from "../keep/restore.ts";
import { listChannels } from "../notices/channels.ts";
import { GoogleTokens } from "../providers/google.ts";
import type { Paces } from "../providers/queued_request.ts";
import { Credentials, listKeyUses } from "../providers/sealing.ts";
import { isFreshnessMetric } from "../rules/freshness.ts";
import { FlowFollower } from "../rules/rules.ts";
import { attemptsOfRun } from "../signals/attempts.ts";
import { resealAtStart } from "../signals/credential_changes.ts";
import { LiveTraffic, liveAskers, trafficSource } from "../signals/live_traffic.ts";
import { settleUnanswered } from "../signals/panel_runs.ts";
import { Pulls } from "../signals/signals.ts";
import { ConstantsStore, flowThresholds } from "../sites/constants_store.ts";
import { SendRates } from "../sites/report_sender.ts";
import { ensureAssets } from "../sites/site_changes.ts";
import { loadTokenBook } from "../sites/site_tokens.ts";
import { openObjectStore } from "../store/directory_store.ts";
import { Jobs } from "../store/jobs.ts";
import { migrateStore } from "../store/migrations.ts";
import { type Db, openStore, type Store } from "../store/store.ts";
import { Writer } from "../store/writer.ts";
import type { Deps } from "./app.ts";
import {
  faultOf,
  holdsNothing,
  inspectDataDir,
  lockFolder,
  prepareFolder,
  refuseUnusable,
} from "./data_folder.ts";
import { scraped } from "./metrics.ts";
import { registerJobs } from "./schedule.ts";

/** An opened data folder: `close` commits what waits, checkpoints, closes, and frees it. */
export type Opened = Awaited<ReturnType<typeof openData>>;

/** What comes in from the machine and from beyond it: time, randomness, files, other servers. */
export interface Doors {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly http: HttpClient;
  /** How fast providers are asked, where it is not as they take it. */
  readonly paces?: Paces;
}

const SYSTEM: Doors = {
  clock: systemClock,
  ids: systemIds,
  files: systemFiles,
  http: httpClient(twoRetries(() => systemClock.now())),
};

/** A data folder that this process holds, and that nothing was looked at in yet. */
export type LockedDataDir = Awaited<ReturnType<typeof lockDataDir>>;

/** Takes the data folder. Throws `DataFolderBusy` when another process has it, and `DataFolderFault`. */
export async function lockDataDir(config: Config, doors: Doors = SYSTEM) {
  process.umask(0o077);
  const { dataDir } = config;
  try {
    await prepareFolder(dataDir, doors.files);
    // Before the lock, whose file would say that a service had run there.
    const { left } = inspectDataDir(config);
    const release = lockFolder(dataDir);
    return {
      /** Frees it unopened. */
      release,
      /** Throws `DataFolderFault` when what lies in it is damaged or storage does not let it be opened; it is free again then. */
      open: async () => {
        try {
          await refuseUnusable(dataDir, left);
          return await openLocked(config, doors, release);
        } catch (error) {
          release();
          throw faultOf(error, dataDir) ?? error;
        }
      },
    };
  } catch (error) {
    throw faultOf(error, dataDir) ?? error;
  }
}

/** Takes the data folder and opens it. */
export async function openData(config: Config, doors: Doors = SYSTEM) {
  return (await lockDataDir(config, doors)).open();
}

async function openLocked(config: Config, doors: Doors, release: () => void) {
  const database = join(config.dataDir, "tower.db");
  const isNew = holdsNothing(database);
  const store = openStore(database);
  try {
    const deps = await assemble(config, doors, store);
    return {
      deps,
      /** Whether an installation was begun in it. */
      isNew,
      close: () => {
        deps.live.stop();
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

async function assemble(config: Config, { files, ...doors }: Doors, store: Store): Promise<Deps> {
  const { clock, ids } = doors;
  migrateStore(store);
  // After the database: a key beside none says that one was lost (`leftOfDatabase`).
  const kept = await keepCredentialsKey({ config, ids, files, uses: () => listKeyUses(store) });
  const { keys } = kept;
  keyAudit(store.main, keys.forPurpose("audit"));
  const writer = new Writer(store);
  await fixAudit(kept, writer, clock.now());
  await resealAtStart({ ...doors, config, store, writer, keys }, clock.now());
  await sweepLeftBehind(config.dataDir, clock.now());
  const tokens = [...config.assetTokens, ...config.assetTokensOfFile];
  const named = [...tokens.map(({ asset }) => asset), config.serviceAsset];
  await writer.writeOrDefer((tx) => void ensureAssets(tx, named, { actor: "service", now: clock.now() }));
  const keeper = await ConstantsStore.start({
    path: join(config.dataDir, "constants.toml"),
    files,
    clock,
    db: store.db,
    writer,
  });
  const passwords = new PasswordHasher();
  const deps = wire({
    ...doors,
    config,
    keys,
    store,
    writer,
    constants: keeper,
    passwords,
    machine: systemMachine,
  });
  await deps.jobs.recover();
  await settleUnanswered(deps, 0);
  return deps;
}

/** What the service is put together from. */
export interface Parts
  extends Pick<Deps, "config" | "keys" | "store" | "writer" | "constants" | "passwords">,
    Omit<Doors, "files"> {
  readonly machine: Machine;
  /** What stands in for the system's resolver and authorities. */
  readonly outbound?: Partial<OutboundRules>;
}

/** Puts everything the service works with together. Nothing is written here and nothing starts. */
export function wire(parts: Parts): Deps {
  const { config, ids, store, constants } = parts;
  const machine = new MachineWatch(parts);
  const refusals = loadRefusals(store.db);
  const health = new HealthReader({
    ...parts,
    listChannels,
    isRefused: () => machine.storage.fault !== undefined,
  });
  const [credentials, googleTokens] = [new Credentials(parts), new GoogleTokens()];
  const follower = new FlowFollower({
    ...parts,
    thresholdsOf: (asset, metric, source) =>
      flowThresholds(constants.current().constants, asset, source, metric),
    isJudgedElsewhere: (asset, metric) => asset === config.serviceAsset && isFreshnessMetric(metric),
  });
  const pulls = new Pulls({ ...parts, credentials, googleTokens, onChanged: () => follower.kick() });
  const objects = openObjectStore(config, ids);
  const deps: Deps = {
    ...parts,
    outbound: { allowedHosts: config.outboundAllowedHosts, resolve: lookup, ...parts.outbound },
    archive: new Archive({ ...parts, credentials, googleTokens, objects, machine, pulls }),
    objects,
    credentials,
    googleTokens,
    live: new LiveTraffic({
      ...parts,
      sourceOf: (asset) => trafficSource(store.db, asset),
      ask: liveAskers({ ...parts, credentials, googleTokens }),
    }),
    siteTokens: loadTokenBook(store.db, [...config.assetTokens, ...config.assetTokensOfFile]),
    sendRates: new SendRates(config.sendRate),
    apiTokens: loadApiTokenBook(store.db),
    kioskTokens: loadKioskTokens(store.db),
    refusals,
    follower,
    pulls,
    machine,
    health,
    attention: new AttentionReader(parts),
    jobs: new Jobs({
      ...parts,
      health: new StoredJobHealth(parts),
      audit: appendAudit,
      attemptsOf: outcomesOfRun,
    }),
    metrics: createMetrics((asset) => scraped(deps, asset)),
  };
  registerJobs(deps);
  return deps;
}

/** What came of a run's attempts: of the archive's reports, or else of what was pulled. */
function outcomesOfRun(db: Db, run: number): Readonly<Record<string, number>> {
  const reports = reportsOfRun(db, run);
  return Object.keys(reports).length > 0 ? reports : attemptsOfRun(db, run);
}

/**
 * Fixes what the audit holds with the key that is here. A new key in the place of one that is lost is nothing to be silent about: it
 * stands in the log and in the audit.
 */
async function fixAudit({ replaced, lost }: KeptKey, writer: Writer, now: number): Promise<void> {
  let fixedBy: number | undefined;
  await writer.writeOrDefer((tx) => {
    fixedBy = anchorAudit(tx, now);
    if (replaced === undefined) return;
    auditAct(tx, { actor: "service", now }, "credentials-key.replace", "credentials.key", {
      aside: replaced.aside === undefined ? null : basename(replaced.aside),
      unproven: [...replaced.unproven],
    });
  });
  if (fixedBy !== undefined) {
    logOf("audit").warn(
      "the audit's rows before this one are not of the key that is here; it fixes them as they are",
      { row: fixedBy },
    );
  }
  if (lost !== undefined) logOf("credentials").error(lost);
  if (replaced === undefined) return;
  logOf("credentials").error("credentials.key held no key; a new one was made", {
    unusable_file: replaced.aside ?? "none: it was gone",
    no_longer_proven: replaced.unproven.join(", "),
  });
}

/** What killed backups, restores and runs of the archive left takes room and nothing else: where it cannot go now, the start goes on. */
async function sweepLeftBehind(dataDir: string, now: number): Promise<void> {
  try {
    await sweepBackups(dataDir, now);
    sweepRestore(dataDir);
    await rm(spoolFolder(dataDir), { recursive: true, force: true });
  } catch (error) {
    logOf("backup").warn("what a killed backup left could not be removed", { reason: storageFault(error) });
  }
}
