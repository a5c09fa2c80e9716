/** Runs of the jobs that ask others for something: how each began and ended, and the lease by which one run at a time holds a job. */

import { and, desc, eq, lt } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { appending } from "./rows.ts";
import { type Db, prepared, type Tx } from "./store.ts";

/** What a run of a job came to; `busy` where another run holds the job. */
export type RunOutcome = "done" | "partial" | "failed" | "busy";

/** Why a run ended before its work was done: it threw, it was told to stop, or its process was killed. */
const RUN_FAULTS = ["error", "stopped", "cut_off"] as const;
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
  /** How long a run may go on without getting any further, in milliseconds; an hour where it is absent. */
  readonly longestMs?: number | undefined;
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

/** How a run ended; `busy` is no run. */
interface RunEnd {
  readonly finishedAt: number;
  readonly outcome: Exclude<RunOutcome, "busy">;
  readonly reports: Readonly<Record<string, number>>;
  readonly fault: RunFault | null;
  /** Where an outcome of it could not be recorded as health. */
  readonly monitoring?: "unavailable" | undefined;
}

/** Runs of the jobs that ask others for something, as they began. Append-only. */
export const jobRun = sqliteTable(
  "job_run",
  {
    id: integer("id").primaryKey(),
    /** The run's id to the outside. */
    run: text("run").notNull(),
    job: text("job").notNull(),
    started_at: integer("started_at").notNull(),
    /** What asked for it: `schedule`, `start` (a missed tick made up), `command`, or `operator:<name>`. */
    asked_by: text("asked_by").$type<AskedBy>(),
  },
  (t) => [uniqueIndex("job_run_run").on(t.run), index("job_run_of_job").on(t.job, t.id)],
);

/** How they ended. A run without a row here is under way, or was cut off and is ended by the next start. Append-only. */
export const jobEnd = sqliteTable(
  "job_end",
  {
    id: integer("id").primaryKey(),
    /** The run's row in `job_run`. */
    run: integer("run").notNull(),
    finished_at: integer("finished_at").notNull(),
    outcome: text("outcome", { enum: ["done", "partial", "failed"] }).notNull(),
    /** Attempts by outcome, as JSON. */
    reports: text("reports").notNull(),
    /** Why it ended before its work was done, as a code of `RUN_FAULTS`; null where it did the whole of it. */
    fault: text("fault", { enum: RUN_FAULTS }),
    /** `unavailable` where an outcome of the run could not be recorded as health; null where each was. */
    monitoring: text("monitoring", { enum: ["unavailable"] }),
  },
  (t) => [uniqueIndex("job_end_of_run").on(t.run)],
);

/** Who works a job now: one run at a time, across processes and restarts. */
export const jobLease = sqliteTable("job_lease", {
  job: text("job").primaryKey(),
  run: integer("run").notNull(),
  /** The process that holds it, by an id of its own. */
  holder: text("holder").notNull(),
  taken_at: integer("taken_at").notNull(),
});

const appendRun = appending(jobRun);

/** Takes the job's lease and notes that a run began. Returns the run's row; undefined where another run holds the job. */
export function beginRun(
  tx: Tx,
  { run, job, startedAt: started_at, askedBy: asked_by }: Omit<StoredRun, "id" | "end">,
  holder: string,
): number | undefined {
  if (tx.select().from(jobLease).where(eq(jobLease.job, job)).all().length > 0) return undefined;
  const id = appendRun(tx, { run, job, started_at, asked_by });
  tx.insert(jobLease).values({ job, run: id, holder, taken_at: started_at }).run();
  return id;
}

/** Notes how a run ended, and gives its job free. One that has ended is left as it is. */
export function endRun(tx: Tx, job: string, run: number, end: RunEnd): void {
  const { finishedAt: finished_at, outcome, fault, monitoring } = end;
  const reports = JSON.stringify(end.reports);
  tx.insert(jobEnd)
    .values({ run, finished_at, outcome, reports, fault, monitoring })
    .onConflictDoNothing()
    .run();
  tx.delete(jobLease)
    .where(and(eq(jobLease.job, job), eq(jobLease.run, run)))
    .run();
}

/** The jobs that are held, and by which runs. */
export const listLeases = (db: Db) => db.select().from(jobLease).orderBy(jobLease.run).all();

/** A run as it is told: how it began, and how it ended where it has. */
export interface StoredRun {
  readonly id: number;
  readonly run: string;
  readonly job: string;
  readonly startedAt: number;
  readonly askedBy: AskedBy | null;
  readonly end: RunEnd | undefined;
}

const storedRuns = (db: Db) =>
  db.select({ run: jobRun, end: jobEnd }).from(jobRun).leftJoin(jobEnd, eq(jobEnd.run, jobRun.id));

type RunRow = ReturnType<ReturnType<typeof storedRuns>["all"]>[number];

function storedRun({ run: { started_at: startedAt, asked_by: askedBy, ...run }, end }: RunRow): StoredRun {
  if (end === null) return { ...run, startedAt, askedBy, end: undefined };
  const { finished_at: finishedAt, outcome, fault, monitoring } = end;
  const told = { finishedAt, outcome, reports: countsIn(end.reports), fault };
  return { ...run, startedAt, askedBy, end: { ...told, monitoring: monitoring ?? undefined } };
}

function countsIn(text: string): Readonly<Record<string, number>> {
  const counts: unknown = JSON.parse(text);
  const entries = Object.entries(counts ?? {}).filter(([, count]) => Number.isSafeInteger(count));
  return Object.fromEntries(entries) as Record<string, number>;
}

/** The latest runs of a job, newest first; those before a row's id where one is given. */
export function listRuns(db: Db, job: string, limit: number, before = Number.MAX_SAFE_INTEGER): StoredRun[] {
  const earlier = storedRuns(db).where(and(eq(jobRun.job, job), lt(jobRun.id, before)));
  return earlier.orderBy(desc(jobRun.id)).limit(limit).all().map(storedRun);
}

/** A run by its id to the outside, or by its row. */
export function findRun(db: Db, run: string | number): StoredRun | undefined {
  const found = storedRuns(db)
    .where(typeof run === "string" ? eq(jobRun.run, run) : eq(jobRun.id, run))
    .get();
  return found === undefined ? undefined : storedRun(found);
}

/** A run as it is named to the outside. It never changes, so that what was read once of it is kept. */
type RunNames = Pick<StoredRun, "run" | "job">;

/** Runs whose names are kept: those of some weeks. */
const KEPT_RUNS = 8_192;
const keptRuns = prepared(() => new Map<number, RunNames>());

/** The id and the job of the run of a row; both '' where it is not there, which is a fault that check tells. */
export function runNames(db: Db, row: number): RunNames {
  const kept = keptRuns(db);
  const known = kept.get(row);
  if (known !== undefined) return known;
  const found = findRun(db, row);
  const names = { run: found?.run ?? "", job: found?.job ?? "" };
  if (found === undefined) return names;
  if (kept.size >= KEPT_RUNS) kept.clear();
  kept.set(row, names);
  return names;
}
