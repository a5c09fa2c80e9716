/** Runs of the jobs that ask others for something, as they began. Append-only. */

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { RUN_FAULTS } from "./jobs_jobs.ts";

export const jobRun = sqliteTable(
  "job_run",
  {
    id: integer("id").primaryKey(),
    /** The run's id to the outside. */
    run: text("run").notNull(),
    job: text("job").notNull(),
    started_at: integer("started_at").notNull(),
    /** What asked for it: `schedule`, `start` (a missed tick made up), `command`, or `operator:<name>`. */
    asked_by: text("asked_by"),
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
