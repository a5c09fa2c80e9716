/** Watches that jobs do what their timetable says. One that does not is a monitoring failure until it comes off again. */

import type { Clock } from "../base/base.ts";
import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import { countWords } from "../base/text.ts";
import { HOUR_MS, MINUTE_MS } from "../base/time.ts";
import type { Jobs } from "./jobs.ts";
import type { Pattern } from "./timetable.ts";

/**
 * Whether a job does what its timetable says: pure. What counts is time that was watched, look by look, never the difference of two
 * clock times: a clock that is set, and a machine that slept, make no job late.
 */

/** How long a job is waited for, in milliseconds that were watched. */
export interface Patience {
  /** After a tick that is due, until its run has begun. More than one and a half periods where it comes often. */
  readonly lateMs: number;
  /** While a run gets no further, where it tells how far it is; from its beginning where it does not. */
  readonly longestMs: number;
}

/** What was seen of a job up to the last look. Moments are milliseconds since the epoch. */
interface Watched {
  readonly seenAt: number;
  /** The newest tick that is not owed any more. */
  readonly settled: number;
  /** How many of its runs had begun. */
  readonly begun: number;
  /** The run that was under way, and how far it was. */
  readonly run: string | undefined;
  /** For how long a run has been owed, and for how long one has been under way and at the same place. */
  readonly lateMs: number;
  readonly runsMs: number;
}

/** What a look finds. */
export interface Seen {
  readonly now: number;
  /** How many of its runs have begun since the start, and when the last one did. */
  readonly begun: number;
  readonly begunAt: number | undefined;
  /** The run that is under way, and how far it is, in one text. */
  readonly run: string | undefined;
  /** Nobody expects a run now: there is nobody to ask, or it rests after runs that broke. */
  readonly isExcused: boolean;
}

/** Time between two looks counts up to this: the rest of it nobody watched. */
export const LONGEST_STEP_MS = 2 * 60_000;

/** A job that is looked at for the first time. `missed`: a tick before the start is to be made up. */
export function firstWatched(
  pattern: Pattern,
  { now, missed }: { readonly now: number; readonly missed: boolean },
): Watched {
  const newest = pattern.newest(now);
  return {
    seenAt: now,
    settled: missed ? newest - 1 : newest,
    begun: 0,
    run: undefined,
    lateMs: 0,
    runsMs: 0,
  };
}

/** What is seen of it after another look. */
export function watched(pattern: Pattern, before: Watched, seen: Seen): Watched {
  const { now, begun, run } = seen;
  const step = Math.min(Math.max(now - before.seenAt, 0), LONGEST_STEP_MS);
  const settled = settledBy(pattern, before, seen);
  const isOwed = pattern.newest(now) > settled;
  return {
    seenAt: now,
    settled,
    begun,
    run,
    lateMs: isOwed ? before.lateMs + step : 0,
    runsMs: run !== undefined && run === before.run ? before.runsMs + step : 0,
  };
}

/**
 * Up to which tick nothing is owed. What a clock that was set back brings again is not, as far as it may have been worked: a period;
 * from further back each tick comes again as the clock has it. While a run is under way the schedule leaves ticks out.
 */
function settledBy(pattern: Pattern, before: Watched, seen: Seen): number {
  const { now, begun, begunAt = now, run, isExcused } = seen;
  const newest = pattern.newest(now);
  const hasBegun = begun !== before.begun;
  const known = Math.max(
    before.settled,
    hasBegun ? pattern.newest(begunAt) : before.settled,
    now < before.seenAt ? pattern.newest(before.seenAt) : before.settled,
  );
  const kept = known - now > pattern.next(now) - newest ? newest : known;
  const isAtWork = hasBegun || run !== undefined || before.run !== undefined;
  return isAtWork || isExcused ? Math.max(kept, newest) : kept;
}

/** What is wrong with a job: a run that is due does not begin, or one that has begun gets no further. */
type JobTrouble = "late" | "hangs";

/** What is wrong with it by now; undefined while nothing is. */
export function troubleOf({ lateMs, runsMs }: Watched, patience: Patience): JobTrouble | undefined {
  if (runsMs >= patience.longestMs) return "hangs";
  return lateMs >= patience.lateMs ? "late" : undefined;
}

/** A job as it is watched. */
interface WatchedJob {
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
      if (trouble !== undefined) this.#jobs.health.setFailure(name, TROUBLE_WORDS[trouble](patience));
    }
  }

  /** What lasts of a job that is no more ends; what was not kept of a run that broke off is said now. */
  #takeUp(): void {
    const { health } = this.#jobs;
    const failing = health.failing();
    const known = new Set(this.#watched.map(({ job }) => job.name));
    for (const name of failing) if (!known.has(name)) health.setFailure(name, undefined);
    for (const { job } of this.#watched) {
      if (job.brokeOff && !failing.includes(job.name)) health.setFailure(job.name, BROKE_OFF);
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

function lengthWords(ms: number): string {
  return ms < HOUR_MS
    ? countWords(Math.floor(ms / MINUTE_MS), "minute")
    : countWords(Math.floor(ms / HOUR_MS), "hour");
}
