/** `/integrations/runs`, one run below it, and `/integrations/attempts`: the jobs that ask providers, and how they went. */

import { Problem } from "../../base/problem.ts";
import { namedAttempts, type WantedAttempts } from "../../signals/attempt_list.ts";
import { findRun, listRuns, type StoredRun } from "../../store/job_runs.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import type { Safe } from "../jsx/safe.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { address, given, instantsOf, named, ROW } from "../kit/address.tsx";
import { Act } from "../kit/field.tsx";
import { askedByWords, jobSentence, jobTitle, tookWords } from "../kit/job_words.ts";
import { Go, Told } from "../kit/links.tsx";
import { EarlierPager, Empty, List, stretchOf } from "../kit/list.tsx";
import { Live } from "../kit/live.tsx";
import { MonitoringNotice } from "../kit/monitoring_words.tsx";
import { When } from "../kit/proof.tsx";
import { get, mounted, post, unwatched } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { AttemptCounts, RunMark, runAddress } from "./attempts_table.tsx";
import { IntegrationsHead } from "./coverage.tsx";
import { JobTable, type JobView, jobViews, PROGRESS_PERIOD } from "./jobs.tsx";
import { AttemptsPage, attemptsAddress, RunFacts, RunPage } from "./run_page.tsx";

/** What reading runs needs. */
interface RunsDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries" | "running" | "runsHere" | "start" | "cancel">;
}

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

const PAGE_SIZE = 50;
/** A run with where it stands; undefined where there is none of this id. */
function findRunView({ db, jobs }: RunsDeps, run: string) {
  const stored = findRun(db, run);
  return stored && { run: stored, running: jobs.running().find((one) => one.run === run) };
}

/** Attempts of a page, and where the ones before them begin. */
function attemptsView(
  db: Db,
  query: typeof runAddress.usual,
  of: Pick<WantedAttempts, "run" | "job" | "from" | "to">,
) {
  const { asset, provider, outcome, category, before } = given(query);
  return namedAttempts(db, { asset, provider, outcome, category, ...of }, { limit: PAGE_SIZE, before });
}

/** `/integrations/runs`, one run below it, and `/integrations/attempts`. */
export function runRoutes(deps: PageDeps & RunsDeps) {
  const { db, jobs } = deps;
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
    get(
      paths.run,
      { query: runAddress, find: ({ run }) => findRunView(deps, run) ?? noRun() },
      ({ found, query, wants, part }) => {
        if (wants("run")) return part(<RunFacts {...found} />);
        return shown(attemptsView(db, query, { run: found.run.id }), (listed) => (
          <RunPage {...found} query={query} {...listed} />
        ));
      },
    ),
    post(paths.stopRun, { find: ({ run }) => findRunView(deps, run) ?? noRun() }, async ({ found, by }) => {
      const isStopped = await jobs.cancel(found.run.run, by);
      return seeOther(withNotice(paths.run(found.run.run), isStopped ? "run-stopping" : "run-over"));
    }),
    post(
      paths.runJob,
      {
        find: ({ job }) => jobs.entries().find(({ name, recorded }) => recorded && name === job) ?? noJob(),
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

function noRun(): never {
  throw new Problem("not-found", "No such run.");
}

function noJob(): never {
  throw new Problem("not-found", "No such job.");
}
