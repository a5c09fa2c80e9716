/** Watches that jobs do what their timetable says. One that does not is a monitoring failure until it comes off again. */
import { storageFault } from "../db/mod.ts";
import { countWords } from "../lib/plural.ts";
import type { Clock } from "../platform/clock.ts";
import { logOf } from "../platform/log.ts";
import type { Jobs } from "./jobs.ts";
import { firstWatched, type JobTrouble, type Patience, troubleOf, type Watched, watched } from "./overdue.ts";
import type { Pattern } from "./pattern.ts";

/** A job as it is watched. */
export interface WatchedJob {
  readonly name: string;
  readonly pattern: Pattern;
  readonly patience: Patience;
  /** A tick that was missed before the start is to be made up. */
  readonly missed: boolean;
  /** Whether its last run before the start broke off by itself. */
  readonly brokeOff: boolean;
  /** Whether nobody expects a run of it now: there is nobody to ask, or it rests after runs that broke. */
  readonly isExcused: (now: number) => boolean;
}

/** How often is looked, in milliseconds. */
const PERIOD_MS = 60_000;

/** What is said of a job whose last run before a start broke off, and of which nothing else was kept. */
const BROKE_OFF = "Its last run broke off. It is tried again when it is due.";

export class JobWatch {
  readonly #jobs: Pick<Jobs, "runsHere" | "running" | "health">;
  readonly #clock: Clock;
  readonly #watched: { readonly job: WatchedJob; at: Watched }[];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    { jobs, clock }: { readonly jobs: Pick<Jobs, "runsHere" | "running" | "health">; readonly clock: Clock },
    watchedJobs: readonly WatchedJob[],
  ) {
    this.#jobs = jobs;
    this.#clock = clock;
    const now = clock.now();
    this.#watched = watchedJobs.map((job) => ({
      job,
      at: { ...firstWatched(job.pattern, { now, missed: job.missed }), begun: jobs.runsHere(job.name).runs },
    }));
  }

  /** Says what the runs before the start left, and looks once a minute from now on. */
  start(): void {
    this.#orLog(() => this.#takeUp());
    this.#timer = setInterval(() => this.#orLog(() => this.look()), PERIOD_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks once. */
  look(): void {
    const now = this.#clock.now();
    const running = new Map(
      this.#jobs.running().map(({ job, run, progress }) => [job, `${run} ${progress?.done ?? ""}`]),
    );
    for (const one of this.#watched) {
      const { name, pattern, patience, isExcused } = one.job;
      const { runs: begun, startedAt: begunAt } = this.#jobs.runsHere(name);
      one.at = watched(pattern, one.at, {
        now,
        begun,
        begunAt,
        run: running.get(name),
        isExcused: isExcused(now),
      });
      const trouble = troubleOf(one.at, patience);
      if (trouble !== undefined) this.#jobs.health.tell(name, TROUBLE_WORDS[trouble](patience));
    }
  }

  /** What lasts of a job that is no more ends; what was not kept of a run that broke off is said now. */
  #takeUp(): void {
    const { health } = this.#jobs;
    const failing = health.failing();
    const known = new Set(this.#watched.map(({ job }) => job.name));
    for (const name of failing) if (!known.has(name)) health.tell(name, undefined);
    for (const { job } of this.#watched) {
      if (job.brokeOff && !failing.includes(job.name)) health.tell(job.name, BROKE_OFF);
    }
  }

  #orLog(look: () => void): void {
    try {
      look();
    } catch (error) {
      logOf("jobs").error("whether jobs run could not be looked at", { reason: storageFault(error) });
    }
  }
}

const TROUBLE_WORDS: Readonly<Record<JobTrouble, (patience: Patience) => string>> = {
  late: () => "It was due and did not begin.",
  hangs: ({ longestMs }) =>
    `It has been running for more than ${lengthWords(longestMs)} without getting any further.`,
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function lengthWords(ms: number): string {
  return ms < HOUR_MS
    ? countWords(Math.floor(ms / MINUTE_MS), "minute")
    : countWords(Math.floor(ms / HOUR_MS), "hour");
}
