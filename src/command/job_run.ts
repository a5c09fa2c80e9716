import { JOBS, runJob } from "../schedule.ts";
import { type Command, done, usage } from "./contract.ts";

const help = `Usage: tower job run <name>

Runs a scheduled job now, beside its schedule.

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
    await runJob(deps, job);
    // What it sent or set going is judged before the data folder may be let go.
    await deps.follower.settle();
    return done("", `${name} ran`);
  },
};
