import type { Deps } from "../deps.ts";
import { formatInstant } from "../lib/instant.ts";
import { JOBS, type Job, runJob } from "../schedule.ts";
import { type Command, type Outcome, usage } from "./contract.ts";

const help = `Usage: tower job run <name>

Runs a scheduled job now, beside its schedule, and waits for it. Prints the run's outcome as one line of JSON. Exit code 0 when it
is done, 1 when it failed.

${JOBS.map(({ name, at }) => `  ${name.padEnd(12)} ${at}`).join("\n")}

The times are cron expressions in UTC.`;

/** `job run`. */
export const jobRun: Command = {
  name: "job run",
  summary: "run a scheduled job now",
  help,
  wantsPassword: false,
  run: async (deps, { args }) => {
    const [name, ...rest] = args;
    if (name === undefined || rest.length > 0) return usage(jobRun, "exactly one job is needed");
    const job = JOBS.find((known) => known.name === name);
    if (job === undefined) {
      const names = JOBS.map((known) => known.name).join(", ");
      return usage(jobRun, `there is no job ${JSON.stringify(name)}: the jobs are ${names}`);
    }
    return runNow(deps, job);
  },
};

async function runNow(deps: Deps, job: Job): Promise<Outcome> {
  const run = deps.ids.uuid();
  const startedAt = deps.clock.now();
  let fault: string | undefined;
  try {
    await runJob(deps, job);
    // What it sent or set going is judged before the data folder may be let go.
    await deps.follower.settle();
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error);
  }
  const line = {
    job: job.name,
    run,
    started_at: formatInstant(startedAt),
    finished_at: formatInstant(deps.clock.now()),
    outcome: fault === undefined ? "done" : "failed",
    // Counts by outcome, for jobs that pull reports.
    reports: {},
  };
  return {
    exitCode: fault === undefined ? 0 : 1,
    stdout: JSON.stringify(line),
    stderr: fault === undefined ? `${job.name} ran` : `${job.name} failed: ${fault}`,
  };
}
