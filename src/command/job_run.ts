import type { Deps } from "../deps.ts";
import { shown } from "../lib/command_line.ts";
import { formatInstant } from "../lib/instant.ts";
import { JOBS, type Job, runJob } from "../schedule.ts";
import { type Command, command, type Outcome } from "./contract.ts";

/** `job run`. */
export const jobRun: Command = command({
  name: "job run",
  summary: "run a scheduled job now",
  takes: ["<name>"],
  about: [
    "Runs a scheduled job now, beside its schedule, and waits for it. Prints the run's outcome as one line of JSON. Exit code 0 when it is done, 1 when it failed.",
    "The jobs, with their times as cron expressions in UTC:",
    JOBS.map(({ name, at }) => [name, at] as const),
  ],
  options: {},
  judge: ({ args: [name = ""] }) => {
    const names = JOBS.map((job) => job.name);
    return names.includes(name)
      ? undefined
      : `there is no job ${shown(name)}: the jobs are ${names.join(", ")}`;
  },
  run: (deps, { args: [name] }) => {
    const job = JOBS.find((known) => known.name === name);
    if (job === undefined) throw new RangeError(`there is no job ${name}`);
    return runNow(deps, job);
  },
});

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
