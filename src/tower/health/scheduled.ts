/** The jobs of the service as System health tells them: when each ran, when it comes next, and what it came to. */
import type { Db } from "../../db/mod.ts";
import { type JobEntry, type Jobs, patternOf, type RunningJob, type StoredRun } from "../../jobs/mod.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import { jobView } from "../runs/view.ts";

/** A job. Times are milliseconds since the epoch. */
export interface ScheduledJob {
  readonly job: string;
  readonly at: string;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly next: number;
  readonly outcome: JobOutcome;
  /** Why it does not do its work, where it does not. */
  readonly trouble: MonitoringFailure | undefined;
}

/** What the last run came to. */
export type JobOutcome =
  | { readonly is: "running"; readonly running: RunningJob }
  /** A run that is kept, with its attempts. */
  | { readonly is: "kept"; readonly run: StoredRun }
  | { readonly is: "nobody" }
  | { readonly is: "done" }
  | { readonly is: "broke" }
  /** It did not run since the start, and nothing is kept of what was before. */
  | { readonly is: "none" };

/** What is read for them. */
export interface ScheduledDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries" | "running" | "runsHere">;
}

/** Runs that are looked at for the last that is over, and for whether a job rests. */
const LOOKED_BACK = 16;

/** Every job: those that ask others first, then those that come most seldom. */
export function scheduledJobs(
  { db, jobs }: ScheduledDeps,
  failures: readonly MonitoringFailure[],
  now: number,
): ScheduledJob[] {
  const running = jobs.running();
  return jobs
    .entries()
    .map((entry) => {
      const { name: job, at } = entry;
      const under = running.find((one) => one.job === job);
      const tick = patternOf(at).next(now);
      return {
        entry,
        period: patternOf(at).next(tick) - tick,
        told: {
          job,
          at,
          ...lastOf({ db, jobs }, entry, under, tick, now),
          trouble: failures.find(({ kind, subject }) => kind === "job" && subject === job),
        },
      };
    })
    .toSorted((a, b) => Number(b.entry.recorded) - Number(a.entry.recorded) || b.period - a.period)
    .map(({ told }) => told);
}

type Last = Pick<ScheduledJob, "startedAt" | "finishedAt" | "next" | "outcome">;

function lastOf(
  { db, jobs }: ScheduledDeps,
  entry: JobEntry,
  running: RunningJob | undefined,
  tick: number,
  now: number,
): Last {
  const { name, recorded, cameOffAt } = entry;
  const under: JobOutcome | undefined = running && { is: "running", running };
  if (!recorded) {
    const { startedAt, finishedAt, broke } = jobs.runsHere(name);
    const before = startedAt ?? cameOffAt?.();
    const outcome: JobOutcome = { is: broke ? "broke" : before === undefined ? "none" : "done" };
    return { startedAt: before, finishedAt, next: tick, outcome: under ?? outcome };
  }
  const { runs, next, asksNobody } = jobView({ db, jobs }, entry, { now, runs: LOOKED_BACK });
  const run = runs.find(({ end }) => end !== undefined);
  return {
    startedAt: running?.startedAt ?? run?.startedAt,
    finishedAt: running === undefined ? run?.end?.finishedAt : undefined,
    next,
    outcome:
      under ?? (asksNobody ? { is: "nobody" } : run === undefined ? { is: "none" } : { is: "kept", run }),
  };
}
