import { type Db, statement, type Tx } from "../db/mod.ts";
import type { AskedBy, RunFault, RunOutcome } from "./contract.ts";

/** A run as it began. */
export interface BegunRun {
  readonly run: string;
  readonly job: string;
  readonly startedAt: number;
  readonly askedBy: AskedBy;
}

/** How a run ended; `busy` is no run. */
export interface RunEnd {
  readonly finishedAt: number;
  readonly outcome: Exclude<RunOutcome, "busy">;
  readonly reports: Readonly<Record<string, number>>;
  readonly fault: RunFault | null;
  /** Where an outcome of it could not be recorded as health. */
  readonly monitoring?: "unavailable" | undefined;
}

/** A run that was taken up; its end is not known here. */
export interface Lease {
  readonly job: string;
  readonly run: number;
  readonly holder: string;
}

const insertRun = statement<{ id: number }, [string, string, number, string]>(
  "INSERT INTO job_run (run, job, started_at, asked_by) VALUES (?, ?, ?, ?) RETURNING id",
);

const insertEnd = statement<never, [number, number, string, string, string | null, string | null]>(
  "INSERT INTO job_end (run, finished_at, outcome, reports, fault, monitoring) VALUES (?, ?, ?, ?, ?, ?)",
);

const insertLease = statement<never, [string, number, string, number]>(
  "INSERT INTO job_lease (job, run, holder, taken_at) VALUES (?, ?, ?, ?)",
);
const deleteLease = statement<never, [string, number]>("DELETE FROM job_lease WHERE job = ? AND run = ?");
const leaseOf = statement<Lease, [string]>("SELECT job, run, holder FROM job_lease WHERE job = ?");
const everyLease = statement<Lease, []>("SELECT job, run, holder FROM job_lease ORDER BY run");
const endOf = statement<{ id: number }, [number]>("SELECT id FROM job_end WHERE run = ?");

/** Takes the job's lease and notes that a run began. Returns the run's row; undefined where another run holds the job. */
export function beginRun(tx: Tx, begun: BegunRun, holder: string): number | undefined {
  if (leaseOf(tx).first(begun.job) !== undefined) return undefined;
  const { run, job, startedAt, askedBy } = begun;
  const id = insertRun(tx).all(run, job, startedAt, askedBy)[0]?.id;
  if (id === undefined) throw new Error("a run that began has no row");
  insertLease(tx).run(job, id, holder, startedAt);
  return id;
}

/** Notes how a run ended, and gives its job free. One that has ended is left as it is. */
export function endRun(tx: Tx, job: string, run: number, end: RunEnd): void {
  if (endOf(tx).first(run) === undefined) {
    const { finishedAt, outcome, fault, monitoring = null } = end;
    const reports = JSON.stringify(end.reports);
    insertEnd(tx).run(run, finishedAt, outcome, reports, fault, monitoring);
  }
  deleteLease(tx).run(job, run);
}

/** The jobs that are held, and by which runs. */
export function listLeases(db: Db): Lease[] {
  return everyLease(db).all();
}

/** A run as it is told: how it began, and how it ended where it has. */
export interface StoredRun {
  readonly id: number;
  readonly run: string;
  readonly job: string;
  readonly startedAt: number;
  readonly askedBy: AskedBy | null;
  readonly end: RunEnd | undefined;
}

interface RunRow {
  readonly id: number;
  readonly run: string;
  readonly job: string;
  readonly started_at: number;
  readonly asked_by: AskedBy | null;
  readonly finished_at: number | null;
  readonly outcome: RunEnd["outcome"] | null;
  readonly reports: string | null;
  readonly fault: RunFault | null;
  readonly monitoring: "unavailable" | null;
}

const RUN_COLUMNS = `r.id, r.run, r.job, r.started_at, r.asked_by, e.finished_at, e.outcome, e.reports, e.fault, e.monitoring
  FROM job_run r LEFT JOIN job_end e ON e.run = r.id`;

const latestOfJob = statement<RunRow, [string, number, number]>(
  `SELECT ${RUN_COLUMNS} WHERE r.job = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?`,
);
const oneByName = statement<RunRow, [string]>(`SELECT ${RUN_COLUMNS} WHERE r.run = ?`);
const oneById = statement<RunRow, [number]>(`SELECT ${RUN_COLUMNS} WHERE r.id = ?`);

function storedRun(row: RunRow): StoredRun {
  const { id, run, job, started_at, asked_by, finished_at, outcome, reports, fault, monitoring } = row;
  const end =
    finished_at === null || outcome === null
      ? undefined
      : {
          finishedAt: finished_at,
          outcome,
          reports: countsIn(reports ?? "{}"),
          fault,
          ...(monitoring === null ? {} : { monitoring }),
        };
  return { id, run, job, startedAt: started_at, askedBy: asked_by, end };
}

function countsIn(text: string): Readonly<Record<string, number>> {
  const counts: unknown = JSON.parse(text);
  const entries = Object.entries(counts ?? {}).filter(([, count]) => Number.isSafeInteger(count));
  return Object.fromEntries(entries) as Record<string, number>;
}

/** The latest runs of a job, newest first; those before a row's id where one is given. */
export function listRuns(db: Db, job: string, limit: number, before = Number.MAX_SAFE_INTEGER): StoredRun[] {
  return latestOfJob(db).all(job, before, limit).map(storedRun);
}

const firstOfJob = statement<{ started_at: number }, [string]>(
  "SELECT started_at FROM job_run WHERE job = ? ORDER BY id LIMIT 1",
);

/** When the first run of a job began, in milliseconds since the epoch; undefined where none ever did. */
export function firstRunOf(db: Db, job: string): number | undefined {
  return firstOfJob(db).first(job)?.started_at;
}

/** A run by its id to the outside, or by its row. */
export function findRun(db: Db, run: string | number): StoredRun | undefined {
  const row = typeof run === "string" ? oneByName(db).first(run) : oneById(db).first(run);
  return row === undefined ? undefined : storedRun(row);
}
