/** What a run of a job came to; `busy` where another run holds the job. */
export type RunOutcome = "done" | "partial" | "failed" | "busy";

/** Why a run ended before its work was done: it threw, it was told to stop, or its process was killed. */
export const RUN_FAULTS = ["error", "stopped", "cut_off"] as const;
export type RunFault = (typeof RUN_FAULTS)[number];

/** What asked for a run. `start` makes up a tick that was missed while no service ran. */
export type AskedBy = "schedule" | "start" | "command" | `operator:${string}`;

/** Whether somebody asked for it, who may know what has been put right since. */
export const isAskedByPerson = (askedBy: AskedBy): boolean => askedBy !== "schedule" && askedBy !== "start";

/** How a run is told (decisions, Command line). Times are milliseconds since the epoch. */
export interface RunReport {
  readonly job: string;
  readonly run: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outcome: RunOutcome;
  /** Attempts by outcome. */
  readonly reports: Readonly<Record<string, number>>;
  /** Why it ended before its work was done, in words of our own. */
  readonly fault?: string | undefined;
  /** What came of an attempt stands, but could not be recorded as health; absent where all of it was. */
  readonly monitoring?: "unavailable" | undefined;
}

/** A job as it is known by its name. */
export interface JobEntry {
  readonly name: string;
  /** Cron expression in UTC. */
  readonly at: string;
  /** Whether its runs are rows (`job_run`): those that ask others for something. The service's own small jobs leave none. */
  readonly recorded: boolean;
  /**
   * Whether there is anybody to ask now; always where it is absent. A run that nobody asked for by name and that asks nobody is no
   * row: an installation without accounts would keep one for each quarter of an hour.
   */
  readonly asks?: () => boolean;
  /** When it last came off, as far as that is known over a restart without rows; milliseconds since the epoch. */
  readonly cameOffAt?: () => number | undefined;
  /** Its work. What it throws ends the run as failed. */
  readonly work: (run: RunHandle) => Promise<unknown> | undefined;
}

/** How far a run is. */
export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly what: string;
}

/** A run under way. */
export interface RunningJob {
  readonly job: string;
  /** The row of `job_run`; 0 where the job's runs are no rows. */
  readonly id: number;
  readonly run: string;
  readonly startedAt: number;
  readonly askedBy: AskedBy;
  readonly progress: Progress | undefined;
  readonly isStopping: boolean;
}

/** What a job's work is given by the one who runs it. */
export interface RunHandle {
  /** The row of `job_run`, which its attempts name; 0 where the job's runs are no rows. */
  readonly id: number;
  readonly askedBy: AskedBy;
  /** Aborts when the service stops or the run is cancelled: no further request is begun, one under way is given up. */
  readonly signal: AbortSignal;
  /** Tells how far the run is: shown on its page, kept in memory. */
  progress(done: number, of: number, what: string): void;
  /** Counts an attempt's outcome for the run's report. */
  count(outcome: string): void;
  /** Says that what came of an attempt is stored, but could not be recorded as health. */
  unmonitored(): void;
}
