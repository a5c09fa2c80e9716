/** Scheduled work: the table of jobs, all in UTC, each protected against overlapping itself. */

import { flushUses } from "../access/tokens.ts";
import { scrub } from "../archive/scrub.ts";
import { Slices } from "../base/concurrency.ts";
import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import { HOUR_MS, MINUTE_MS } from "../base/time.ts";
import { flushRefusals } from "../health/refusals.ts";
import { endUnwatched } from "../integrations/evidence.ts";
import { measureStored } from "../keep/growth.ts";
import { runNotices } from "../notices/notices.ts";
import { PACKABLE_CODEBASE_REPORTS } from "../reports/codebase.ts";
import { packBodies } from "../reports/packing.ts";
import { PACKABLE_PULSES } from "../reports/pulse.ts";
import { beat, judgeSites, sendOwnPulse } from "../rules/freshness.ts";
import { packSettled } from "../signals/attempt_packs.ts";
import { holdSilentSources } from "../signals/late_source.ts";
import { asksForPanels, runPanels } from "../signals/panel_runs.ts";
import { listCalendars, readCalendars } from "../sites/calendars.ts";
import { silentHours } from "../sites/constants_store.ts";
import { findAsset } from "../sites/sites.ts";
import { type AskedBy, type JobEntry, listRuns, type RunHandle, type RunReport } from "../store/job_runs.ts";
import { type Db, findServiceState, putServiceState, type Tx } from "../store/store.ts";
import {
  firstPlace,
  isMissed,
  look,
  type PastRun,
  type Pattern,
  type Place,
  patternOf,
  restsUntil,
} from "../store/timetable.ts";
import type { Deps } from "./app.ts";

/** One scheduled job. */
export interface Job {
  readonly name: string;
  /** Cron expression in UTC. */
  readonly at: string;
  /** How long a run may go on without getting any further, in milliseconds, where an hour is too short. */
  readonly longestMs?: number;
  /** It asks others for something: its runs are rows, from which a missed tick is known. The service's own small jobs leave none. */
  readonly recorded?: true;
  /** A tick missed while the service was down is made up once at start, however many were missed. */
  readonly madeUp: boolean;
  /** Whether there is anybody to ask now. */
  readonly asks?: (deps: Deps) => boolean;
  /** What a small job that is made up writes and that it ran are one transaction: it calls `ran` inside. */
  readonly run: (deps: Deps, handle: RunHandle, ran: (tx: Tx) => void) => Promise<unknown> | undefined;
}

/** A small job of the service's own. */
const own = (name: string, at: string, run: Job["run"]): Job => ({ ...{ name, at, run }, madeUp: false });

/** A job that asks others. */
const asking = (name: string, at: string, of: Required<Pick<Job, "asks" | "run">>): Job => ({
  ...{ name, at, ...of },
  recorded: true,
  madeUp: true,
});

/** Years of reports may be packed at once, and a full archive in a far-away bucket is read for an hour and more. */
const LONG = { longestMs: 12 * HOUR_MS };

/** Stores when tokens were last used; also at the end, for what was used in the last minute. */
export async function flushTokenUses({ writer, siteTokens, apiTokens, kioskTokens }: Deps): Promise<void> {
  await flushUses(writer, siteTokens);
  await flushUses(writer, apiTokens);
  await flushUses(writer, kioskTokens);
}

export const JOBS: readonly Job[] = [
  own("constants", "*/10 * * * * *", (deps) => deps.constants.refresh()),
  own("heartbeat", "30 * * * * *", (deps) => beat(deps.store, deps.writer, deps.clock.now())),
  own("refusals", "*/10 * * * * *", ({ writer, refusals, config }) =>
    flushRefusals(writer, refusals, config.workspace),
  ),
  own("freshness", "0 * * * * *", (deps) => {
    // A change of consent mode that was told or struck meanwhile: nothing else says so to the rules.
    deps.follower.kick();
    return inTurn([
      () => judgeFreshness(deps),
      // A source whose last property was detached is not collected any more.
      () => holdSilentSources(deps),
      () => endUnwatched(deps, deps.clock.now()),
      () => deps.health.keepUp(deps.clock.now()),
    ]);
  }),
  own("notices", "*/10 * * * * *", async (deps, { signal }) => {
    await deps.health.follow(deps.clock);
    await runNotices(deps, signal);
  }),
  { ...own("bodies", "50 * * * * *", packReports), ...LONG },
  { ...own("attempts", "20 */10 * * * *", (deps) => packSettled(deps)), ...LONG },
  own("growth", "50 3 * * *", measureStored),
  own("token-uses", "15 * * * * *", flushTokenUses),
  asking("sense", "*/15 * * * *", {
    asks: ({ pulls }) => pulls.asksForSense(),
    run: async (deps, handle) => {
      await deps.pulls.sense(handle);
      await holdSilentSources(deps);
      deps.follower.collected();
    },
  }),
  asking("calendars", "*/15 * * * *", {
    asks: ({ store }) => listCalendars(store.db).length > 0,
    run: readCalendars,
  }),
  asking("webmaster-tools", "30 2 * * *", {
    asks: ({ pulls }) => pulls.asksForWebmasterTools(),
    run: (deps, handle) => deps.pulls.webmasterTools(handle),
  }),
  asking("analysis", "15 12 * * *", {
    asks: ({ archive }) => archive.asks(),
    run: (deps, handle) => deps.archive.run(handle),
  }),
  asking("panels", "25 * * * *", { asks: asksForPanels, run: runPanels }),
  {
    ...own("scrub", "35 * * * *", (deps, { signal }, ran) => scrub(deps, ran, signal)),
    ...LONG,
    madeUp: true,
  },
  {
    ...own("own-pulse", "40 4 * * *", async (deps, _, ran) => {
      await sendOwnPulse(deps, ran);
      deps.follower.kick();
    }),
    madeUp: true,
  },
];

/** One look after another, with answers between them; where one fails, the others are taken all the same. */
async function inTurn(looks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const slices = new Slices();
  const ends: PromiseSettledResult<unknown>[] = [];
  for (const look of looks) {
    ends.push(...(await Promise.allSettled([look()])));
    await slices.next();
  }
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Judges every site's freshness now. */
export function judgeFreshness(deps: Deps): Promise<void> {
  const silentHoursOf = (asset: string) => silentHours(deps.constants.current().constants, asset);
  return judgeSites({ ...deps, silentHoursOf });
}

/** Packs the bodies of the reports that came since the last time. */
export function packReports(deps: Deps): Promise<void> {
  return packBodies(deps, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]);
}

const LAST_RUN = "job.last_run.";

/** A job with what it works with. */
function entryOf(deps: Deps, job: Job): JobEntry {
  const { name, at, longestMs, recorded = false } = job;
  const work = (handle: RunHandle) => {
    const now = deps.clock.now();
    return job.run(deps, handle, (tx) => putServiceState(tx, `${LAST_RUN}${name}`, String(now), now));
  };
  const cameOffAt = () => lastSuccess(deps, job);
  const asks = () => job.asks?.(deps) !== false;
  return { name, at, recorded, longestMs, work, ...(recorded ? { asks } : { cameOffAt }) };
}

/** Makes jobs known to the door by which they are run. */
export function registerJobs(deps: Deps): void {
  deps.jobs.register(JOBS.map((job) => entryOf(deps, job)));
}

/** Runs a job now. What it came to is told, also where it failed. */
export function runJob(deps: Deps, job: Job, by: AskedBy, signal?: AbortSignal): Promise<RunReport> {
  return deps.jobs.runEntry(entryOf(deps, job), by, signal);
}

/** When a job last came off, in milliseconds since the epoch; of one that neither is made up nor leaves rows, since the start. */
export function lastSuccess({ jobs, store }: Pick<Deps, "jobs" | "store">, job: Job): number | undefined {
  return jobs.runsHere(job.name).succeededAt ?? storedSuccess(store.db, job);
}

function storedSuccess(db: Db, job: Job): number | undefined {
  if (job.recorded === true) {
    return listRuns(db, job.name, LOOKED_BACK).find(
      ({ end }) => end !== undefined && end.outcome !== "failed",
    )?.startedAt;
  }
  const at = job.madeUp ? findServiceState(db, `${LAST_RUN}${job.name}`) : undefined;
  return at === undefined ? undefined : Number(at);
}

/** Runs that are looked at for what a job did last. */
const LOOKED_BACK = 16;

/** The last runs of a job that are known over a restart, newest first. */
function pastRuns(db: Db, job: Job): PastRun[] {
  if (job.recorded === true) {
    return listRuns(db, job.name, LOOKED_BACK).map(({ startedAt, end }) => ({
      startedAt,
      fault: end?.fault,
    }));
  }
  const ran = storedSuccess(db, job);
  return ran === undefined ? [] : [{ startedAt: ran, fault: null }];
}

/** A job with its ticks. */
interface Timed {
  readonly job: Job;
  readonly pattern: Pattern;
  place: Place;
  /** What asks for a run that is yet to begin. */
  owed: AskedBy | undefined;
}

/** When a run whose beginning storage refused is tried again, in milliseconds. */
const AGAIN_MS = MINUTE_MS;

/** The clock is looked at at least so often, in milliseconds: it may have been set. */
const LOOK_MS = 1_000;

/**
 * Starts every job when it is due, and makes up the newest tick that was missed while the service was down; the returned function
 * ends it. What runs goes on: `Jobs.stop` ends that.
 */
export function startSchedule(deps: Deps, jobs: readonly Job[] = JOBS): () => void {
  const { store, clock } = deps;
  const startedAt = clock.now();
  const began = findAsset(store.db, deps.config.serviceAsset)?.addedAt;
  const timed = jobs.map((job): Timed => {
    const pattern = patternOf(job.at);
    const missed = job.madeUp && isMissed(pattern, { began, runs: pastRuns(store.db, job), now: startedAt });
    return { job, pattern, place: firstPlace(pattern, startedAt), owed: missed ? "start" : undefined };
  });
  let timer: NodeJS.Timeout | undefined;
  const lookAtAll = () => {
    const now = clock.now();
    for (const one of timed) {
      const { isDue, place } = look(one.pattern, one.place, now);
      one.place = place;
      if (isDue) one.owed ??= "schedule";
      if (one.owed === undefined || isResting(deps, one.job, now)) continue;
      void runScheduled(deps, one, one.owed);
      one.owed = undefined;
    }
    const soonest = Math.min(...timed.map(({ place }) => place.next)) - clock.now();
    timer = setTimeout(lookAtAll, Math.min(Math.max(soonest, 1), LOOK_MS));
  };
  lookAtAll();
  const known = new Set(jobs.map(({ name }) => name));
  // What lasts of a job that is no more ends.
  for (const name of deps.jobs.health.failing()) {
    if (!known.has(name)) deps.jobs.health.setFailure(name, undefined);
  }
  return () => clearTimeout(timer);
}

/** Whether a job that broke is left alone for now. Where that cannot be read it is tried: what keeps it from beginning is told then. */
function isResting({ store }: Deps, job: Job, now: number): boolean {
  try {
    return job.recorded === true && restsUntil(pastRuns(store.db, job), now) !== undefined;
  } catch {
    return false;
  }
}

async function runScheduled(deps: Deps, one: Timed, by: AskedBy): Promise<void> {
  const log = logOf("schedule");
  const { job } = one;
  try {
    const { outcome } = await runJob(deps, job, by);
    if (outcome === "busy") log.debug("a job is still running; this tick is left out", { job: job.name });
  } catch (error) {
    log.error("a job did not begin", { job: job.name, reason: storageFault(error) });
    deps.jobs.health.setFailure(job.name, "It was due and did not begin.");
    setTimeout(() => {
      one.owed ??= by;
    }, AGAIN_MS).unref();
  }
}
