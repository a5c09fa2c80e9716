import { Block } from "../component/block.tsx";
import { Glyph } from "../component/glyph.tsx";
import { jobTitle, timesInWords } from "../component/job_words.ts";
import { StateMark } from "../component/state.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { AttemptCounts } from "../runs/counts.tsx";
import { RunMark } from "../runs/outcome_mark.tsx";
import type { JobOutcome, ScheduledJob } from "./scheduled.ts";

/** What Tower does by itself, and whether it did: what brings figures and raises flags, and behind it what keeps house. */
export function Scheduled({ jobs, now }: { readonly jobs: readonly ScheduledJob[]; readonly now: number }) {
  const shown = jobs.filter(({ job, trouble }) => trouble !== undefined || !HOUSEKEEPING.has(job));
  const others = jobs.filter((job) => !shown.includes(job));
  return (
    <Block id="scheduled" heading="Scheduled work" note="times are UTC">
      <JobTable jobs={shown} now={now} caption="Scheduled work" />
      {others.length === 0 ? null : (
        <details id="scheduled-others">
          <summary>{countOf(others.length, "job")} that keep house</summary>
          <JobTable jobs={others} now={now} caption="Jobs that keep house" />
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

function JobTable(props: {
  readonly jobs: readonly ScheduledJob[];
  readonly now: number;
  readonly caption: string;
}) {
  const { jobs, now, caption } = props;
  return (
    <DataTable
      fold
      caption={caption}
      items={jobs}
      id={({ job }) => `scheduled-${job}`}
      columns={[
        { words: "Job", names: true, cell: ({ job }) => jobTitle(job) },
        { words: "Schedule", label: true, cell: ({ at }) => timesInWords(at) },
        {
          words: "Last started",
          label: true,
          class: "nowrap",
          cell: ({ startedAt }) => <At at={startedAt} now={now} />,
        },
        {
          words: "Last finished",
          label: true,
          class: "nowrap",
          cell: ({ finishedAt, outcome }) =>
            outcome.is === "running" ? "under way" : <At at={finishedAt} now={now} />,
        },
        { words: "Next", label: true, class: "nowrap", cell: ({ next }) => <Next at={next} now={now} /> },
        {
          words: "Last run",
          class: "all",
          cell: ({ outcome, trouble }) =>
            trouble === undefined ? (
              <Outcome outcome={outcome} />
            ) : (
              <>
                <StateMark state="unknown" /> <Told class="wrap">{trouble.reason}</Told>{" "}
                <small>
                  since <Moment at={trouble.since} now={now} />
                </small>
              </>
            ),
        },
      ]}
    />
  );
}

const MINUTE_MS = 60_000;

function At({ at, now }: { readonly at: number | undefined; readonly now: number }) {
  return at === undefined ? null : <Moment at={at} now={now} />;
}

function Next({ at, now }: { readonly at: number; readonly now: number }) {
  return at - now < MINUTE_MS ? <>within a minute</> : <Age at={at} now={now} />;
}

function Outcome({ outcome }: { readonly outcome: JobOutcome }) {
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
          <span class="dim">Nobody to ask.</span> <a href={paths.credentials}>Credentials and properties</a>
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
