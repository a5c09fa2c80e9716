import { Block } from "../component/block.tsx";
import { Glyph } from "../component/glyph.tsx";
import { jobTitle, timesInWords } from "../component/job_words.ts";
import { StateMark } from "../component/state.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { AttemptCounts } from "../runs/counts.tsx";
import { RunMark } from "../runs/outcome_mark.tsx";
import type { JobOutcome, ScheduledJob } from "./scheduled.ts";

/** What Tower does by itself, and whether it did. */
export function Scheduled({ jobs, now }: { readonly jobs: readonly ScheduledJob[]; readonly now: number }) {
  return (
    <Block id="scheduled" heading="Scheduled work" note="times are UTC">
      <DataTable
        fold
        caption="Scheduled work"
        items={jobs}
        id={({ job }) => `scheduled-${job}`}
        columns={[
          { words: "Job", names: true, cell: ({ job }) => jobTitle(job) },
          { words: "Schedule", label: true, cell: ({ at }) => timesInWords(at) },
          {
            words: "Last started",
            label: true,
            class: "nowrap",
            cell: ({ startedAt }) => <At at={startedAt} now={now} none="not since the start" />,
          },
          {
            words: "Last finished",
            label: true,
            class: "nowrap",
            cell: ({ finishedAt, outcome }) =>
              outcome.is === "running" ? "under way" : <At at={finishedAt} now={now} none="" />,
          },
          {
            words: "Next",
            label: true,
            class: "nowrap",
            cell: ({ next }) => <Next at={next} now={now} />,
          },
          {
            words: "Last run",
            class: "all",
            cell: ({ outcome, trouble }) => (
              <>
                {trouble === undefined ? (
                  <Outcome outcome={outcome} />
                ) : (
                  <>
                    <StateMark state="unknown" /> <Told class="wrap">{trouble.reason}</Told>{" "}
                    <small>
                      since <Moment at={trouble.since} now={now} />
                    </small>
                  </>
                )}
              </>
            ),
          },
        ]}
      />
    </Block>
  );
}

const MINUTE_MS = 60_000;

function At(props: { readonly at: number | undefined; readonly now: number; readonly none: string }) {
  return props.at === undefined ? (
    <span class="dim">{props.none}</span>
  ) : (
    <Moment at={props.at} now={props.now} />
  );
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
          {progress === undefined ? null : `${formatCount(progress.done)} of ${formatCount(progress.of)} asked `}
          {id === 0 ? null : <a href={paths.run(run)}>This run</a>}
        </>
      );
    }
    case "kept": {
      const { run, end } = outcome.run;
      return (
        <div class="row tight">
          <a href={paths.run(run)}>
            <RunMark end={end} />
          </a>
          {end === undefined ? null : <AttemptCounts run={run} reports={end.reports} isOver />}
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
      return <span class="dim">It has not run yet.</span>;
  }
}
