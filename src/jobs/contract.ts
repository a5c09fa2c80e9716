/** What a run of a job came to; `busy` where another run holds the job. */
export type RunOutcome = "done" | "partial" | "failed" | "busy";

/** How a run is told (decisions, Command line). Times are milliseconds since the epoch. */
export interface RunReport {
  readonly job: string;
  readonly run: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outcome: RunOutcome;
  /** Attempts by outcome. */
  readonly reports: Readonly<Record<string, number>>;
}

/** What a job's work is given by the one who runs it. */
export interface RunHandle {
  /** The row of `job_run`, which its attempts name. */
  readonly id: number;
  /** Aborts when the service stops or the run is cancelled: no further request is begun, one under way is given up. */
  readonly signal: AbortSignal;
  /** Tells how far the run is: shown on its page, kept in memory. */
  progress(done: number, of: number, what: string): void;
  /** Counts an attempt's outcome for the run's report. */
  count(outcome: string): void;
}
