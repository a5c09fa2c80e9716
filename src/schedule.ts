/** Scheduled work: the table of jobs, all in UTC, each protected against overlapping itself. */
import { Cron } from "croner";
import { findAsset, flushTokenUses } from "./assets/mod.ts";
import { PACKABLE_CODEBASE_REPORTS } from "./codebase/mod.ts";
import { silentHours } from "./constants/mod.ts";
import { type Db, findServiceState, putServiceState, type Tx } from "./db/mod.ts";
import type { Deps } from "./deps.ts";
import { beat, judgeSites, sendOwnPulse } from "./freshness/mod.ts";
import type { AskedBy, JobEntry, RunHandle, RunReport } from "./jobs/mod.ts";
import { flushApiTokenUses } from "./operators/mod.ts";
import { logOf } from "./platform/log.ts";
import { PACKABLE_PULSES } from "./pulse/mod.ts";
import { flushRefusals } from "./refusals/mod.ts";
import { packBodies } from "./reports/mod.ts";

/** One scheduled job. */
export type Job = OwnJob | PullJob;

interface Scheduled {
  readonly name: string;
  /** Cron expression in UTC. */
  readonly at: string;
}

/** A small job of the service's own. Its runs leave no rows. */
interface OwnJob extends Scheduled {
  readonly recorded?: false;
  /**
   * A tick missed while the service was down is made up once at start, however many were missed. What the run writes and that it
   * ran are one transaction: it calls `ran` inside.
   */
  readonly madeUp: boolean;
  readonly run: (deps: Deps, ran: (tx: Tx) => void) => Promise<unknown> | undefined;
}

/** A job that asks others for something: its runs are rows, from which a missed tick is known. */
interface PullJob extends Scheduled {
  readonly recorded: true;
  readonly madeUp: true;
  readonly run: (deps: Deps, handle: RunHandle) => Promise<unknown>;
}

export const JOBS: readonly Job[] = [
  { name: "constants", at: "*/10 * * * * *", madeUp: false, run: (deps) => deps.constants.refresh() },
  {
    name: "heartbeat",
    at: "30 * * * * *",
    madeUp: false,
    run: (deps) => beat(deps.store, deps.writer, deps.clock.now()),
  },
  {
    name: "refusals",
    at: "*/10 * * * * *",
    madeUp: false,
    run: (deps) => flushRefusals(deps.writer, deps.refusals),
  },
  {
    name: "freshness",
    at: "0 * * * * *",
    madeUp: false,
    run: (deps) => {
      // A change of consent mode that was told or struck meanwhile: nothing else says so to the rules.
      deps.follower.kick();
      return judgeFreshness(deps);
    },
  },
  { name: "bodies", at: "50 * * * * *", madeUp: false, run: packReports },
  { name: "token-uses", at: "15 * * * * *", madeUp: false, run: flushUses },
  {
    name: "own-pulse",
    at: "40 4 * * *",
    madeUp: true,
    run: async (deps, ran) => {
      await sendOwnPulse(deps, ran);
      deps.follower.kick();
    },
  },
];

/** Judges every site's freshness now. */
export function judgeFreshness(deps: Deps): Promise<void> {
  const silentHoursOf = (asset: string) => silentHours(deps.constants.current().constants, asset);
  return judgeSites({ ...deps, silentHoursOf });
}

/** Packs the bodies of the reports that came since the last time. */
export function packReports(deps: Deps): Promise<void> {
  return packBodies(deps, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]);
}

async function flushUses(deps: Deps): Promise<void> {
  await flushTokenUses(deps.writer, deps.siteTokens);
  await flushApiTokenUses(deps.writer, deps.apiTokens);
}

const LAST_RUN = "job.last_run.";

/** A job with what it works with. */
function entryOf(deps: Deps, job: Job): JobEntry {
  const { name, at } = job;
  if (job.recorded === true)
    return {
      name,
      at,
      recorded: true,
      work: (handle) => job.run(deps, handle),
    };
  const work = () => {
    const now = deps.clock.now();
    return job.run(deps, (tx) => putServiceState(tx, `${LAST_RUN}${name}`, String(now), now));
  };
  return { name, at, recorded: false, work };
}

/** Makes jobs known to the door by which they are run. */
export function registerJobs(deps: Deps, jobs: readonly Job[] = JOBS): void {
  deps.jobs.register(jobs.map((job) => entryOf(deps, job)));
}

/** Runs a job now. What it came to is told, also where it failed. */
export function runJob(deps: Deps, job: Job, by: AskedBy, signal?: AbortSignal): Promise<RunReport> {
  return deps.jobs.runEntry(entryOf(deps, job), by, signal);
}

/** When a job last came off, in milliseconds since the epoch; of one that is not made up, since the start. */
export function lastSuccess(
  { jobRuns, store }: Pick<Deps, "jobRuns" | "store">,
  job: Job,
): number | undefined {
  return jobRuns.succeededAt(job.name) ?? (job.madeUp ? storedRun(store.db, job) : undefined);
}

function storedRun(db: Db, job: Job): number | undefined {
  const at = findServiceState(db, `${LAST_RUN}${job.name}`);
  return at === undefined ? undefined : Number(at);
}

/** Starts every job, and makes up the ticks missed while the service was down; the returned function stops them. */
export function startSchedule(deps: Deps, jobs: readonly Job[] = JOBS): () => void {
  const log = logOf("schedule");
  const failed = (job: Job, error: unknown) =>
    log.error("a job failed", { job: job.name, error: String(error) });
  registerJobs(deps, jobs);
  const run = async (job: Job, by: AskedBy) => {
    const { outcome } = await runJob(deps, job, by);
    if (outcome === "busy")
      log.warn("a job is still running; this tick is left out", {
        job: job.name,
      });
  };
  const crons = jobs.map((job) => {
    const cron = new Cron(
      job.at,
      {
        timezone: "UTC",
        catch: (error) => failed(job, error),
      },
      () => run(job, "schedule"),
    );
    if (job.madeUp && isMissed(deps, job, cron)) run(job, "start").catch((error) => failed(job, error));
    return cron;
  });
  return () => {
    for (const cron of crons) cron.stop();
  };
}

/**
 * Whether the newest tick before now was missed: none since the last run, or since the service is there at all. A time ahead of now
 * is from a clock that was; by it nothing would be made up until then.
 */
function isMissed(deps: Deps, job: Job, cron: Cron): boolean {
  const { store, config, clock } = deps;
  const now = clock.now();
  const began = findAsset(store.db, config.serviceAsset)?.addedAt;
  const done = [storedRun(store.db, job), began].filter((at) => at !== undefined && at <= now);
  const [due] = cron.previousRuns(1, new Date(now));
  return due !== undefined && done.every((at) => at !== undefined && at < due.getTime());
}
