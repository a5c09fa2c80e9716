import type { Deps } from "../deps.ts";
import type { RunOutcome } from "../jobs/mod.ts";
import { shown } from "../lib/command_line.ts";
import { formatInstant } from "../lib/instant.ts";
import { MONITORING_UNAVAILABLE } from "../monitoring/mod.ts";
import { JOBS, type Job, runJob } from "../schedule.ts";
import { type Command, command, type Outcome } from "./contract.ts";

/** `job run`. */
export const jobRun: Command = command({
  name: "job run",
  summary: "run a scheduled job now",
  takes: ["<name>"],
  lasts: true,
  about: [
    "Runs a scheduled job now, beside its schedule, and waits for it. Prints the run's outcome as one line of JSON; with monitoring: unavailable where what came of it is stored, and its health could not be recorded. Exit code 0 when it is done, 1 when it failed or came off in part, 3 when another run of it is under way. Interrupted, it stops the run that it asked for, and what came before stays.",
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
  run: (deps, { args: [name], signal, tell }) => {
    const job = JOBS.find((known) => known.name === name);
    if (job === undefined) throw new RangeError(`there is no job ${name}`);
    const stop = tell === undefined ? undefined : tellProgress(deps, job, tell);
    return runNow(deps, job, signal).finally(stop);
  },
});

/** How often it is looked how far a run is, in milliseconds. */
const LOOK_MS = 1_000;

/** Tells how far a run is, where that is another place than before; the returned function ends it. */
function tellProgress({ jobs }: Deps, { name }: Job, tell: (line: string) => void): () => void {
  let told = "";
  const timer = setInterval(() => {
    const progress = jobs.running().find(({ job }) => job === name)?.progress;
    if (progress === undefined || progress.of === 0) return;
    const { done, of, what } = progress;
    const line = `${done} of ${of}${what === "" ? "" : `, ${what}`}`;
    if (line !== told) tell(line);
    told = line;
  }, LOOK_MS);
  return () => clearInterval(timer);
}

async function runNow(deps: Deps, job: Job, signal: AbortSignal | undefined): Promise<Outcome> {
  const report = await runJob(deps, job, "command", signal);
  // What it sent or set going is judged before the data folder may be let go.
  if (report.outcome === "done" || report.outcome === "partial") await deps.follower.settle();
  const { run, startedAt, finishedAt, outcome, reports, fault, monitoring } = report;
  const line = {
    job: job.name,
    run,
    started_at: formatInstant(startedAt),
    finished_at: formatInstant(finishedAt),
    outcome,
    reports,
    ...(monitoring === undefined ? {} : { monitoring }),
  };
  const why = fault === undefined ? "" : `: ${fault}`;
  const unrecorded = monitoring === undefined ? "" : `\n${MONITORING_UNAVAILABLE}`;
  return {
    exitCode: EXIT_CODES[outcome],
    stdout: JSON.stringify(line),
    stderr: `${job.name} ${WORDS[outcome]}${why}${unrecorded}`,
  };
}

const EXIT_CODES = {
  done: 0,
  partial: 1,
  failed: 1,
  busy: 3,
} as const satisfies Record<RunOutcome, number>;

const WORDS = {
  done: "ran",
  partial: "came off in part",
  failed: "failed",
  busy: "is running already",
} as const satisfies Record<RunOutcome, string>;
