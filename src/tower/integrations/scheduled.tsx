/** What Tower does by itself, and whether it did: what brings figures and raises flags, and behind it what keeps house. */

import { countWords as countOf } from "../../base/text.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { JobEntry, RunningJob, StoredRun } from "../../store/job_runs.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import { patternOf } from "../../store/timetable.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Glyph, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { jobTitle, timesInWords } from "../kit/job_words.ts";
import { Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Age, Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { AttemptCounts, RunMark } from "./attempts_table.tsx";
import { jobView } from "./runs_view.ts";

/** A job. Times are milliseconds since the epoch. */
export interface ScheduledJob {
  readonly job: string;
  readonly at: string;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly next: number;
  readonly outcome: JobOutcome;
  /** Why it does not do its work, where it does not. */
  readonly trouble: MonitoringFailure | undefined;
}

/** What the last run came to. */
type JobOutcome =
  | { readonly is: "running"; readonly running: RunningJob }
  /** A run that is kept, with its attempts. */
  | { readonly is: "kept"; readonly run: StoredRun }
  | { readonly is: "nobody" }
  | { readonly is: "done" }
  | { readonly is: "broke" }
  /** It did not run since the start, and nothing is kept of what was before. */
  | { readonly is: "none" };

/** What is read for them. */
export interface ScheduledDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries" | "running" | "runsHere">;
}

/** Runs that are looked at for the last that is over, and for whether a job rests. */
const LOOKED_BACK = 16;

/** Every job: those that ask others first, then those that come most seldom. */
export function scheduledJobs(
  { db, jobs }: ScheduledDeps,
  failures: readonly MonitoringFailure[],
  now: number,
): ScheduledJob[] {
  const running = jobs.running();
  return jobs
    .entries()
    .map((entry) => {
      const { name: job, at } = entry;
      const under = running.find((one) => one.job === job);
      const tick = patternOf(at).next(now);
      return {
        entry,
        period: patternOf(at).next(tick) - tick,
        told: {
          job,
          at,
          ...lastOf({ db, jobs }, entry, under, tick, now),
          trouble: failures.find(({ kind, subject }) => kind === "job" && subject === job),
        },
      };
    })
    .toSorted((a, b) => Number(b.entry.recorded) - Number(a.entry.recorded) || b.period - a.period)
    .map(({ told }) => told);
}

type Last = Pick<ScheduledJob, "startedAt" | "finishedAt" | "next" | "outcome">;

function lastOf(
  { db, jobs }: ScheduledDeps,
  entry: JobEntry,
  running: RunningJob | undefined,
  tick: number,
  now: number,
): Last {
  const { name, recorded, cameOffAt } = entry;
  const under: JobOutcome | undefined = running && { is: "running", running };
  if (!recorded) {
    const { startedAt, finishedAt, broke } = jobs.runsHere(name);
    const before = startedAt ?? cameOffAt?.();
    const outcome: JobOutcome = { is: broke ? "broke" : before === undefined ? "none" : "done" };
    return { startedAt: before, finishedAt, next: tick, outcome: under ?? outcome };
  }
  const { runs, next, asksNobody } = jobView({ db, jobs }, entry, { now, runs: LOOKED_BACK });
  const run = runs.find(({ end }) => end !== undefined);
  return {
    startedAt: running?.startedAt ?? run?.startedAt,
    finishedAt: running === undefined ? run?.end?.finishedAt : undefined,
    next,
    outcome:
      under ?? (asksNobody ? { is: "nobody" } : run === undefined ? { is: "none" } : { is: "kept", run }),
  };
}

export function Scheduled({ jobs }: { jobs: readonly ScheduledJob[] }) {
  const shown = jobs.filter(({ job, trouble }) => trouble !== undefined || !HOUSEKEEPING.has(job));
  const others = jobs.filter((job) => !shown.includes(job));
  return (
    <Block id="scheduled" heading="Scheduled work" note="times are UTC">
      <JobTable jobs={shown} caption="Scheduled work" />
      {others.length === 0 ? null : (
        <details id="scheduled-others">
          <summary>{countOf(others.length, "maintenance job")}</summary>
          <JobTable jobs={others} caption="Maintenance jobs" />
        </details>
      )}
    </Block>
  );
}

/** Small jobs that are looked at only when something is wrong with them. */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  "constants",
  "heartbeat",
  "refusals",
  "bodies",
  "attempts",
  "token-uses",
]);

function JobTable({ jobs, caption }: { jobs: readonly ScheduledJob[]; caption: string }) {
  return (
    <List
      of={caption}
      items={jobs}
      id={({ job }) => `scheduled-${job}`}
      columns={[
        ["Job", ({ job }) => jobTitle(job)],
        ["Schedule", ({ at }) => timesInWords(at)],
        ["Last started", ({ startedAt }) => <At at={startedAt} />, { class: "nowrap" }],
        [
          "Last finished",
          ({ finishedAt, outcome }) => (outcome.is === "running" ? "under way" : <At at={finishedAt} />),
          { class: "nowrap" },
        ],
        ["Next", ({ next }) => <Next at={next} />, { class: "nowrap" }],
        [
          "Last run",
          ({ outcome, trouble }) =>
            trouble === undefined ? (
              <Outcome outcome={outcome} />
            ) : (
              <>
                <StateMark state="unknown" /> <Told class="wrap">{trouble.reason}</Told>{" "}
                <small>
                  since <Moment at={trouble.since} />
                </small>
              </>
            ),
          { class: "all" },
        ],
      ]}
    />
  );
}

const MINUTE_MS = 60_000;

function At({ at }: { at: number | undefined }) {
  return at === undefined ? null : <Moment at={at} />;
}

function Next({ at }: { at: number }) {
  const { now } = here();
  return at - now < MINUTE_MS ? <>within a minute</> : <Age at={at} />;
}

function Outcome({ outcome }: { outcome: JobOutcome }) {
  switch (outcome.is) {
    case "running": {
      const { progress, id, run } = outcome.running;
      return (
        <>
          <RunMark end={undefined} />{" "}
          {progress === undefined
            ? null
            : `${formatCount(progress.done)} of ${formatCount(progress.of)} asked `}
          {id === 0 ? null : <a href={paths.run(run)}>This run</a>}
        </>
      );
    }
    case "kept": {
      const { job, run, end } = outcome.run;
      return (
        <div class="row tight">
          <a href={paths.run(run)}>
            <RunMark end={end} />
          </a>
          {end === undefined ? null : <AttemptCounts job={job} run={run} reports={end.reports} isOver />}
        </div>
      );
    }
    case "nobody":
      return (
        <>
          <span class="dim">No account connected.</span>{" "}
          <a href={paths.credentials}>Credentials and properties</a>
        </>
      );
    case "done":
      return (
        <span class="state">
          <Glyph name="s-working" />
          Done
        </span>
      );
    case "broke":
      return (
        <span class="state" data-state="failing">
          <Glyph name="s-failing" />
          Broke off
        </span>
      );
    case "none":
      return <span class="dim">It has not run since Tower started.</span>;
  }
}
