/** A run under way as the door of jobs holds it, and what its work is given of it. */

import type { AskedBy, Progress, RunHandle, RunReport } from "./jobs_jobs.ts";

/** A run under way, with what ends it. */
export interface Active {
  readonly job: string;
  readonly run: string;
  readonly startedAt: number;
  readonly askedBy: AskedBy;
  readonly abort: AbortController;
  readonly counts: Map<string, number>;
  isUnmonitored: boolean;
  id: number;
  progress: Progress | undefined;
  ended: Promise<unknown>;
}

/** What a run's work is given. */
export function handleOf(active: Active): RunHandle {
  return {
    id: active.id,
    askedBy: active.askedBy,
    signal: active.abort.signal,
    progress: (done, of, what) => {
      active.progress = { done, of, what };
    },
    count: (outcome) => void active.counts.set(outcome, (active.counts.get(outcome) ?? 0) + 1),
    unmonitored: () => {
      active.isUnmonitored = true;
    },
  };
}

/** The report of a run that was not begun, since another one holds its job: `held`, where that is known. */
export function busy({ job, run, startedAt }: Active, held: string | undefined): RunReport {
  const fault = held === undefined ? "another run holds it" : `run ${held} holds it`;
  return {
    job,
    run,
    startedAt,
    finishedAt: startedAt,
    outcome: "busy",
    reports: {},
    fault,
  };
}
