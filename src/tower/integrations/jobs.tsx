/** Jobs in one table: what Tower does by itself, how the last run went, and when the next one comes. Runs, System health and Archive show it. */

import type { MonitoringFailure } from "../../health/monitoring.ts";
import { type JobEntry, listRuns, type RunningJob, type StoredRun } from "../../store/job_runs.ts";
import { patternOf, restsUntil } from "../../store/timetable.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Act } from "../kit/field.tsx";
import { type Look, LookMark, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Meter } from "../kit/plot.tsx";
import { Age, Clock, Moment, When } from "../kit/proof.tsx";
import { askedByWords, jobSentence, jobTitle, timesInWords } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { AttemptCounts, RunMark } from "./attempts_table.tsx";

/** Seconds after which the part of a page that shows a run under way asks for itself. */
export const PROGRESS_PERIOD = 5;

/** A job. Times are milliseconds since the epoch. */
export type JobView = ReturnType<typeof jobViews>[number];

/** Runs that are looked at for the last that is over, and for whether a job rests. */
const LOOKED_BACK = 16;

/** The jobs that are wanted, those that come most seldom first. */
export function jobViews(
  deps: PageGround,
  wanted: (entry: JobEntry) => boolean,
  { now, failures }: { readonly now: number; readonly failures: readonly MonitoringFailure[] },
) {
  const { db, jobs } = deps;
  const running = jobs.running();
  return jobs
    .entries()
    .filter(wanted)
    .map((entry) => {
      const pattern = patternOf(entry.at);
      const next = pattern.next(now);
      return { entry, next, period: pattern.next(next) - next };
    })
    .toSorted((a, b) => b.period - a.period)
    .map(({ entry, next }) => {
      const { name: job, at, recorded = false, cameOffAt } = entry;
      const runs = recorded ? listRuns(db, job, LOOKED_BACK) : [];
      const ends = runs.map(({ startedAt, end }) => ({ startedAt, fault: end?.fault }));
      const rest = restsUntil(ends, now);
      const own = recorded ? undefined : jobs.runsHere(job);
      return {
        ...{ job, at, recorded },
        running: running.find((one) => one.job === job),
        /** When it comes next by itself. */
        next: Math.max(next, rest ?? 0),
        /** Whether it is put off because its last runs broke. */
        rests: rest !== undefined,
        /** Whether it would find nobody to ask: its ticks then leave no runs. */
        asksNobody: isKnownIdle(entry),
        /** The last run that is over, of a job whose runs are kept. */
        last: runs.find(({ end }) => end !== undefined),
        /** When another began for the last time since Tower started, or before as far as that is known, and whether it broke. */
        startedAt: own?.startedAt ?? cameOffAt?.(),
        broke: own?.broke === true,
        trouble: failures.find(({ kind, subject }) => kind === "job" && subject === job),
      };
    });
}

/** Where it cannot be read whom a job would ask, it is not known that it asks nobody. */
function isKnownIdle({ asks }: JobEntry): boolean {
  try {
    return asks?.() === false;
  } catch {
    return false;
  }
}

export function JobTable(props: {
  readonly jobs: readonly JobView[];
  readonly caption: string;
  /** What can be done with a job that does not run now. */
  readonly act?: (view: JobView) => Child;
}) {
  const { jobs, caption, act } = props;
  return (
    <List
      of={caption}
      items={jobs}
      id={({ job }) => `job-${job}`}
      columns={[
        [
          "Job",
          ({ job, recorded }) => (
            <>
              {recorded ? <a href={paths.runsOfJob(job)}>{jobTitle(job)}</a> : jobTitle(job)}
              <small class="block-sm">{jobSentence(job)}</small>
            </>
          ),
        ],
        ["Schedule", ({ at }) => timesInWords(at), { class: "nowrap" }],
        [
          "Last run",
          ({ last, startedAt = last?.startedAt }) =>
            startedAt === undefined ? (
              <span class="dim">none yet</span>
            ) : (
              <>
                <When at={startedAt} />
                {last === undefined || last.askedBy === "schedule"
                  ? null
                  : [
                      " ",
                      <small class="block-sm">
                        by <Told class="wrap">{askedByWords(last.askedBy)}</Told>
                      </small>,
                    ]}
              </>
            ),
          { class: "nowrap" },
        ],
        ["Outcome", (view) => <Outcome view={view} />, { class: "all" }],
        ["Next", ({ next }) => <Next at={next} />, { class: "nowrap" }],
        act === undefined
          ? null
          : [
              "Act",
              (view) => (view.running === undefined ? act(view) : null),
              { class: "all", unseen: true },
            ],
      ]}
    />
  );
}

const MINUTE_MS = 60_000;

function Next({ at }: { at: number }) {
  const { now } = here();
  return at - now < MINUTE_MS ? <>within a minute</> : <Age at={at} />;
}

const DONE: Look = { words: "Done", glyph: "working" };
const BROKE: Look = { words: "Broke off", glyph: "failing", tone: "failing" };

/** What a job lacks that asks nobody, and where that is set up; an account and its properties where nothing else is said. */
const SET_UP: Readonly<Record<string, readonly [lacks: string, at: string, words: string]>> = {
  calendars: ["No calendar added.", paths.calendars, "Calendars"],
  panels: ["No panel is due.", paths.panels, "Panels"],
};

function Outcome({ view }: { view: JobView }) {
  const { job, recorded, running, rests, asksNobody, last, startedAt, broke, trouble } = view;
  const isIdle = recorded && (asksNobody || askedNobody(last));
  const [lacks, setUpAt, setUp] = SET_UP[job] ?? [
    "No account connected.",
    paths.credentials,
    "Credentials and properties",
  ];
  return (
    <>
      {trouble === undefined ? null : (
        <p>
          <StateMark state="unknown" /> <Told class="wrap">{trouble.reason}</Told>{" "}
          <small>
            since <Moment at={trouble.since} />
          </small>
        </p>
      )}
      {running !== undefined ? (
        <RunProgress running={running} />
      ) : last !== undefined ? (
        <div class="row tight">
          <a href={paths.run(last.run)}>
            <RunMark end={last.end} />
          </a>
          <AttemptCounts job={last.job} run={last.run} reports={last.end?.reports ?? {}} isOver />
        </div>
      ) : startedAt === undefined ? null : (
        <LookMark look={broke ? BROKE : DONE} />
      )}
      {isIdle ? (
        <small class="block-sm">
          {asksNobody ? lacks : "Nothing was due, or all of it is on hold."} <a href={setUpAt}>{setUp}</a>
        </small>
      ) : null}
      {rests ? (
        <small class="block-sm">
          Its last runs broke off, so the schedule pauses it. “Run now” does not wait.
        </small>
      ) : null}
    </>
  );
}

/** Whether the last run did its work, and there was nothing to do. */
const askedNobody = (last: StoredRun | undefined): boolean =>
  last?.end !== undefined && last.end.fault === null && Object.keys(last.end.reports).length === 0;

/** A run under way: how far it is, and what it asked last. */
export function RunProgress({ running }: { running: RunningJob }) {
  const { id, run, startedAt, askedBy, progress, isStopping } = running;
  return (
    <div class="stack tight">
      <p>
        {isStopping ? "Stopping, running" : "Running"} since <Clock at={startedAt} seconds /> UTC, started by{" "}
        <Told>{askedByWords(askedBy)}</Told>.{" "}
        {isStopping ? (
          // What is given up counts as over, and was not asked.
          "The rest is skipped."
        ) : progress === undefined ? (
          "It has just begun."
        ) : (
          <>
            <b>
              {formatCount(progress.done)} of {formatCount(progress.of)}
            </b>{" "}
            asked
            {progress.what === "" ? null : [", last ", <Told>{progress.what}</Told>]}.
          </>
        )}{" "}
        {id === 0 ? null : <a href={paths.run(run)}>This run</a>}
      </p>
      {isStopping || progress === undefined || progress.of === 0 ? null : (
        <Meter share={progress.done / progress.of} />
      )}
      {isStopping || id === 0 ? null : <Act action={paths.stopRun(run)} words="Stop this run" />}
    </div>
  );
}
