/** `/integrations/runs`, one run below it, and `/integrations/attempts`: the jobs that ask providers, and how they went. */

import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { orNotFound } from "../../base/problem.ts";
import { UNRECORDED } from "../../health/capability_words.ts";
import { type NamedAttempt, namedAttempts, type WantedAttempts } from "../../signals/attempt_list.ts";
import { findRun, listRuns, type RunningJob, type StoredRun } from "../../store/job_runs.ts";
import type { Db } from "../../store/store.ts";
import type { PageGround } from "../ground.ts";
import type { Safe } from "../jsx/jsx-runtime.ts";
import { withNotice } from "../keyboard.tsx";
import { address, FilterForm, Filters, given, instantsOf, named, ROW } from "../kit/address.tsx";
import { Act } from "../kit/field.tsx";
import { Code, Go, Told } from "../kit/links.tsx";
import { Block, EarlierPager, Empty, List, stretchOf } from "../kit/list.tsx";
import { Facts, Moment, When } from "../kit/proof.tsx";
import { get, mounted, post, unwatched } from "../kit/route.ts";
import {
  askedByWords,
  FAULT_WORDS,
  jobSentence,
  jobTitle,
  MonitoringNotice,
  tookWords,
} from "../kit/words.tsx";
import { Live, Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import {
  ATTEMPT_PARAMS,
  ATTEMPT_WORDS,
  AttemptCounts,
  AttemptsTable,
  RunMark,
  runAddress,
} from "./attempts_table.tsx";
import { IntegrationsHead } from "./coverage.tsx";
import { JobTable, type JobView, jobViews, PROGRESS_PERIOD, RunProgress } from "./jobs.tsx";

/** Longest name of a job, in characters. */
const LONGEST = 64;

/** Which runs are shown: the last of each job, or one job's, before a row. */
const runsAddress = address({ job: named(LONGEST, null), before: ROW });

/** The jobs that ask providers; the part that asks for itself while one of them runs. */
function RunningJobs({ jobs }: { jobs: readonly JobView[] }) {
  const isRunning = jobs.some(({ running }) => running !== undefined);
  return (
    <Live id="jobs" href={isRunning ? paths.runsNow : null} every={PROGRESS_PERIOD}>
      <JobTable
        jobs={jobs}
        caption="Jobs that ask providers"
        act={({ job }) => <Act action={paths.runJob(job)} words="Run now" on={jobTitle(job)} />}
      />
    </Live>
  );
}

/** Runs, newest first. */
function RunTable({ runs }: { runs: readonly StoredRun[] }) {
  return (
    <List
      of="Runs, newest first"
      items={runs}
      id={({ id }) => `run-${id}`}
      columns={[
        [
          "Began",
          ({ run, startedAt }) => (
            <a href={paths.run(run)}>
              <When at={startedAt} />
            </a>
          ),
          { class: "nowrap" },
        ],
        ["Outcome", ({ end }) => <RunMark end={end} />],
        [
          "Attempts",
          ({ job, run, end }) => (
            <AttemptCounts job={job} run={run} reports={end?.reports ?? {}} isOver={end !== undefined} />
          ),
        ],
        [
          "Took",
          ({ startedAt, end }) => (end === undefined ? null : tookWords(end.finishedAt - startedAt)),
          { numeric: true, class: "nowrap" },
        ],
        ["Started by", ({ askedBy }) => <Told class="wrap">{askedByWords(askedBy)}</Told>],
      ]}
    />
  );
}

/** All runs of one job, page by page. */
function JobRunsPage(props: {
  readonly job: string;
  readonly runs: readonly StoredRun[];
  readonly before: number | null;
  /** The last of them where others follow. */
  readonly last: StoredRun | undefined;
}) {
  const { job, runs, before, last } = props;
  const href = runsAddress.at(paths.runs);
  // A name that nothing has run by is only what stood in the address.
  const title = runs.length === 0 ? "Runs of a job" : jobTitle(job);
  return (
    <Page title={title} current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.runs}>Runs</a>
          </p>
          <h1>{title}</h1>
          <p>{jobSentence(job)}</p>
        </div>
      </div>
      {runs.length === 0 ? (
        <Empty alone heading="No run yet">
          <p>Nothing of this name has run{before === null ? "" : " before that"}.</p>
          <Go to={paths.runs} words="All jobs" />
        </Empty>
      ) : (
        <RunTable runs={runs} />
      )}
      <EarlierPager from={before} next={last?.id} href={(before) => href({ job, before })} />
    </Page>
  );
}

/** Attempts of a page, and where the ones before them begin. */
const PAGE_SIZE = 50;

function attemptsView(
  db: Db,
  query: typeof runAddress.usual,
  of: Pick<WantedAttempts, "run" | "job" | "from" | "to">,
) {
  const { asset, provider, outcome, category, before } = given(query);
  return namedAttempts(db, { asset, provider, outcome, category, ...of }, { limit: PAGE_SIZE, before });
}

/** `/integrations/runs`, one run below it, and `/integrations/attempts`. */
export function runRoutes(deps: PageGround) {
  const { db, jobs } = deps;
  const find = ({ run }: { readonly run: string }) => {
    const stored = orNotFound(findRun(db, run), "No such run.");
    return { run: stored, running: jobs.running().find((one) => one.run === run) };
  };
  return mounted(deps, [
    get(paths.runs, { query: runsAddress }, ({ request, query, now, wants, part }) => {
      const failures = unwatched(request, db).filter(({ kind }) => kind === "job");
      const views = () => jobViews(deps, ({ recorded }) => recorded, { now, failures });
      if (wants("jobs")) return part(<RunningJobs jobs={views()} />);
      const { job, before } = query;
      if (job === null) {
        return (
          <Page title="Runs" current="integrations">
            <IntegrationsHead
              current="runs"
              sentence={
                <>
                  Jobs that ask providers. <a href={paths.attempts}>All attempts</a>
                </>
              }
            />
            <MonitoringNotice failures={failures} />
            <RunningJobs jobs={views()} />
          </Page>
        );
      }
      const { items, last } = stretchOf(listRuns(db, job, PAGE_SIZE + 1, before ?? undefined), PAGE_SIZE);
      return <JobRunsPage job={job} before={before} runs={items} last={last} />;
    }),
    get(paths.run, { query: runAddress, find }, ({ found, query, wants, part }) => {
      if (wants("run")) return part(<RunFacts {...found} />);
      return shown(attemptsView(db, query, { run: found.run.id }), (listed) => (
        <RunPage {...found} query={query} {...listed} />
      ));
    }),
    post(paths.stopRun, { find }, async ({ found, by }) => {
      const isStopped = await jobs.cancel(found.run.run, by);
      return seeOther(withNotice(paths.run(found.run.run), isStopped ? "run-stopping" : "run-over"));
    }),
    post(
      paths.runJob,
      {
        find: ({ job }) =>
          orNotFound(
            jobs.entries().find(({ name, recorded }) => recorded && name === job),
            "No such job.",
          ),
      },
      async ({ found, actor, form }) => {
        const { isNew } = await jobs.start(found.name, `operator:${actor.name}`);
        const to = form.has("to") ? ownPath(form.get("to")) : paths.runs;
        return seeOther(withNotice(to, isNew ? "job-begun" : "job-busy"));
      },
    ),
    get(paths.attempts, { query: attemptsAddress }, ({ query }) => {
      const { from, until } = instantsOf(query);
      const of = { job: query.job ?? undefined, from: from ?? undefined, to: until ?? undefined };
      return shown(attemptsView(db, query, of), (listed) => <AttemptsPage query={query} {...listed} />);
    }),
  ]);
}

/** A page of attempts: at one moment where they are found at once, which they are unless few are looked for among very many. */
function shown(
  found: ReturnType<typeof namedAttempts>,
  page: (listed: Awaited<ReturnType<typeof namedAttempts>>) => Safe,
) {
  return found instanceof Promise ? found.then(page) : page(found);
}

// One run with its attempts, and the attempts of all runs.

interface Listed {
  readonly rows: readonly NamedAttempt[];
  readonly next: number | undefined;
}

interface RunProps extends Listed {
  readonly run: StoredRun;
  readonly running: RunningJob | undefined;
  readonly query: typeof runAddress.usual;
}

/** One run: how it went, and what each of its attempts came to. */
function RunPage({ run, running, query, rows, next }: RunProps) {
  const filter = {
    path: paths.run(run.run),
    address: runAddress,
    query: { ...query, from: null, to: null },
    words: ATTEMPT_WORDS,
  };
  return (
    <Page title={`${jobTitle(run.job)}, a run`} current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.runs}>Runs</a> /{" "}
            <a href={paths.runsOfJob(run.job)}>{jobTitle(run.job)}</a>
          </p>
          <h1>
            {jobTitle(run.job)}, <Moment at={run.startedAt} />
          </h1>
        </div>
      </div>
      <RunFacts run={run} running={running} />
      {run.job === ARCHIVE_JOB ? (
        <ArchivedAttempts run={run} />
      ) : (
        <Block heading="Attempts" note="newest first">
          <div class="stack tight">
            <FilterForm {...filter} />
            <AttemptList {...filter} rows={rows} next={next} none={noneOf(run, query)} />
          </div>
        </Block>
      )}
    </Page>
  );
}

/** Attempts under the filters that are on, with the way to earlier ones. */
function AttemptList<State extends { readonly before: number | null }>(
  props: Parameters<typeof Filters<State>>[0] &
    Listed &
    Pick<Parameters<typeof AttemptsTable>[0], "withRuns" | "none">,
) {
  const { path, address, query, rows, next, withRuns, none } = props;
  return (
    <div id="attempts" class="stack tight">
      <Filters {...props} />
      <AttemptsTable attempts={rows} withRuns={withRuns === true} none={none} />
      <EarlierPager
        from={query.before}
        next={next}
        href={(before) => `${path}${address.search({ ...query, before })}`}
      />
    </div>
  );
}

/** The attempts of a run of the archive stand in its manifest. */
function ArchivedAttempts({ run: { run, end } }: { run: StoredRun }) {
  const failed = end?.reports["failed"] ?? 0;
  return (
    <Block heading="Attempts">
      <p class="row">
        <Go to={paths.archiveOfRun(run)} words="View attempts" />
        {failed === 0 ? null : <Go to={paths.archiveOfRun(run, "failed")} words="View failed" />}
      </p>
    </Block>
  );
}

/** How the run stands; the part that asks for itself while it is under way. */
function RunFacts({ run, running }: { run: StoredRun; running: RunningJob | undefined }) {
  const { end } = run;
  return (
    <Live
      id="run"
      class="stack tight"
      href={running === undefined ? null : paths.runNow(run.run)}
      every={PROGRESS_PERIOD}
    >
      <Facts
        facts={[
          ["Outcome", <RunMark end={end} />],
          ["Began", <Moment at={run.startedAt} />],
          ["Ended", end === undefined ? null : <Moment at={end.finishedAt} />],
          ["Took", end === undefined ? null : tookWords(end.finishedAt - run.startedAt)],
          ["Started by", <Told>{askedByWords(run.askedBy)}</Told>],
          [
            "Attempts",
            <AttemptCounts
              job={run.job}
              run={run.run}
              reports={end?.reports ?? {}}
              isOver={end !== undefined}
            />,
          ],
          ["What happened", end === undefined || end.fault === null ? null : FAULT_WORDS[end.fault]],
          [
            "Monitoring",
            end?.monitoring === undefined ? null : (
              <>
                <span class="bad">Unavailable.</span> {UNRECORDED}
              </>
            ),
          ],
          ["Run", <Code>{run.run}</Code>],
        ]}
      />
      {running === undefined ? null : <RunProgress running={running} />}
    </Live>
  );
}

function noneOf(run: StoredRun, query: typeof runAddress.usual) {
  const isNarrowed = [query.asset, query.provider, query.outcome, query.category].some(
    (part) => part !== null,
  );
  if (isNarrowed)
    return { heading: "No attempt fits", words: "Take a filter off to see others of this run." };
  return run.end === undefined
    ? { heading: "No attempt yet", words: "Attempts appear here as they end." }
    : {
        heading: "No attempt",
        words: "This run asked nobody: there was nothing to ask, or all of it was held.",
      };
}

export const attemptsAddress = address({ ...ATTEMPT_PARAMS, job: named<string | null>(64, null) });

const ALL_WORDS = { ...ATTEMPT_WORDS, from: "From", to: "To" } as const;

/** Every attempt of every run. */
function AttemptsPage(props: Listed & { readonly query: typeof attemptsAddress.usual }) {
  const { query, rows, next } = props;
  const filter = { path: paths.attempts, address: attemptsAddress, query, words: ALL_WORDS };
  const isNarrowed = attemptsAddress.search(query) !== "";
  const none =
    next === undefined
      ? {
          heading: "No attempt",
          words: isNarrowed ? "Nothing was asked that fits." : "Nothing was asked yet.",
        }
      : {
          heading: "None so far",
          words: "Nothing that fits among the attempts looked through: go on with the earlier ones.",
        };
  return (
    <Page title="Attempts" current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.runs}>Runs</a>
          </p>
          <h1>Attempts</h1>
          <p>Every request to a provider with its outcome. Each time links to its run.</p>
        </div>
      </div>
      <FilterForm {...filter} />
      <AttemptList {...filter} rows={rows} next={next} withRuns none={none} />
    </Page>
  );
}
