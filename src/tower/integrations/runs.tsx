/** `/integrations/runs`, one run below it, and `/integrations/attempts`: the jobs that ask providers, and how they went. */

import { Problem } from "../../base/problem.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import type { NamedStretch } from "../../signals/attempt_list.ts";
import { listRuns, type StoredRun } from "../../store/job_runs.ts";
import type { Safe } from "../jsx/safe.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { address, instantsOf, named, ROW } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { askedByWords, jobSentence, jobTitle, timesInWords, tookWords } from "../kit/job_words.ts";
import { Code, Go, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Live } from "../kit/live.tsx";
import { Callout, MonitoringNotice } from "../kit/monitoring_words.tsx";
import { EarlierPager } from "../kit/pager.tsx";
import { Age, Moment } from "../kit/proof.tsx";
import { Reason } from "../kit/reason.tsx";
import { get, mounted, post, unwatched } from "../kit/route.ts";
import { Act } from "../kit/shown_once.tsx";
import { Page } from "../layout.tsx";
import { ownPath, paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { AttemptCounts, RunMark, runAddress } from "./attempts_table.tsx";
import { IntegrationsHead } from "./coverage.tsx";
import {
  AttemptsPage,
  attemptsAddress,
  PROGRESS_PERIOD,
  RunFacts,
  RunPage,
  RunProgress,
} from "./run_page.tsx";
import {
  attemptsView,
  findJob,
  findRunView,
  type HeldView,
  heldView,
  type JobView,
  jobViews,
  type RunsDeps,
} from "./runs_view.ts";

const MINUTE_MS = 60_000;

/** Longest name of a job, in characters. */
const LONGEST = 64;

/** Which runs are shown: the last of each job, or one job's, before a row. */
const runsAddress = address({ job: named(LONGEST, null), before: ROW });

/** What is held, as far as it is shown. */
interface HeldProps {
  readonly held: readonly HeldView[];
  readonly more: boolean;
}

/** The jobs that ask providers, what runs now, and how the last runs went. */
function RunsPage(
  props: HeldProps & {
    readonly jobs: readonly JobView[];
    /** Jobs that do not do their work. */
    readonly unwatched: readonly MonitoringFailure[];
  },
) {
  const { jobs, held, more } = props;
  return (
    <Page title="Runs" current="integrations">
      <IntegrationsHead
        current="runs"
        sentence={
          <>
            Tower asks providers by itself. Every run and every attempt is kept:{" "}
            <a href={paths.attempts}>all attempts</a>.
          </>
        }
      />
      <MonitoringNotice failures={props.unwatched} />
      <RunningJobs jobs={jobs} />
      <HeldBlock held={held} more={more} />
    </Page>
  );
}

/** The jobs; the part that asks for itself while one of them runs. */
function RunningJobs({ jobs }: { jobs: readonly JobView[] }) {
  const isRunning = jobs.some(({ running }) => running !== undefined);
  return (
    <Live id="jobs" class="stack" href={isRunning ? paths.runsNow : null} every={PROGRESS_PERIOD}>
      {jobs.map((view) => (
        <JobBlock view={view} />
      ))}
    </Live>
  );
}

function JobBlock({ view }: { view: JobView }) {
  const { now } = here();
  const { job, at, running, next, rests, asksNobody, runs } = view;
  return (
    <Block
      id={`job-${job}`}
      heading={jobTitle(job)}
      note={`${timesInWords(at)}${running === undefined ? "" : ", running now"}`}
      tools={running === undefined ? <Act action={paths.runJob(job)} words="Run now" /> : undefined}
    >
      <div class="stack tight">
        <p class="note">
          {jobSentence(job)} It comes next <Moment at={next} /> UTC
          {next - now < MINUTE_MS ? null : [" (", <Age at={next} />, ")"]}. The command line calls it{" "}
          <Code>{job}</Code>.
        </p>
        {asksNobody || askedNobody(runs) ? (
          <p class="note">
            {asksNobody
              ? "No account is connected, or no property is attached, so there is nothing to run."
              : "Its last run asked nobody: no property is attached for it, or all of them are held."}{" "}
            <a href={paths.credentials}>Credentials and properties</a>
          </p>
        ) : null}
        {rests ? (
          <Callout tone="stale">
            <p>
              Its last runs broke off, so that the schedule leaves it alone for a while. “Run now” does not
              wait.
            </p>
          </Callout>
        ) : null}
        {running === undefined ? null : <RunProgress running={running} />}
        <RunTable runs={runs} none="It has not run yet." caption={`Last runs: ${jobTitle(job)}`} />
        {runs.length === 0 ? null : (
          <p class="note">
            <a href={paths.runsOfJob(job)}>Earlier runs</a>
          </p>
        )}
      </div>
    </Block>
  );
}

/** Whether the last run that ended did its work, and there was nothing to do. */
function askedNobody(runs: readonly StoredRun[]): boolean {
  const end = runs.find((run) => run.end !== undefined)?.end;
  return end !== undefined && end.fault === null && Object.keys(end.reports).length === 0;
}

/** Runs, newest first. */
function RunTable({ runs, none, caption }: { runs: readonly StoredRun[]; none: string; caption: string }) {
  return (
    <List
      of={caption}
      items={runs}
      id={({ id }) => `run-${id}`}
      empty={<p class="note">{none}</p>}
      columns={[
        [
          "Began",
          ({ run, startedAt }) => (
            <a href={paths.run(run)}>
              <Moment at={startedAt} />
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

/** What is not asked now, and until when: where nothing is held it takes no room. */
function HeldBlock({ held, more }: HeldProps & {}) {
  if (held.length === 0) return null;
  const note = more
    ? `the ${held.length} that are held longest`
    : "asked again by itself, unless a person must act";
  return (
    <Block heading="On hold" note={note}>
      <List
        of="What is not asked now, held longest first"
        items={held}
        columns={[
          [
            "Site",
            ({ target: { asset }, account }) => (
              <>
                {asset === "" ? (
                  "All sites of this account"
                ) : (
                  <a href={paths.siteSettings(asset)}>
                    <Told class="wrap">{asset}</Told>
                  </a>
                )}
                <small class="block-sm">
                  over <a href={paths.credential(account.id)}>{account.label}</a>
                </small>
              </>
            ),
          ],
          ["Provider", ({ target }) => PROVIDER_WORDS[target.provider]],
          [
            "Why, and what to do",
            ({ category }) => (category === null ? null : <Reason category={category} />),
            { class: "all" },
          ],
          ["Last asked", ({ attemptedAt }) => <Moment at={attemptedAt} />, { class: "nowrap" }],
          [
            "Not before",
            ({ until }) => (
              <>
                <Moment at={until} />{" "}
                <small>
                  (<Age at={until} />)
                </small>
              </>
            ),
            { class: "nowrap" },
          ],
        ]}
      />
    </Block>
  );
}

/** All runs of one job, page by page. */
function JobRunsPage(props: {
  readonly job: string;
  readonly runs: readonly StoredRun[];
  readonly before: number | null;
  readonly hasMore: boolean;
}) {
  const { job, runs, before, hasMore } = props;
  const href = runsAddress.at(paths.runs);
  const last = hasMore ? runs.at(-1)?.id : undefined;
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
          <p>Every run of this job, newest first.</p>
        </div>
      </div>
      {runs.length === 0 ? (
        <Empty alone heading="No run yet">
          <p>Nothing of this name has run{before === null ? "" : " before that"}.</p>
          <Go to={paths.runs} words="All jobs" />
        </Empty>
      ) : (
        <RunTable runs={runs} none="" caption="Runs, newest first" />
      )}
      <EarlierPager
        newest={before === null ? null : href({ job })}
        earlier={last === undefined ? null : href({ job, before: last })}
      />
    </Page>
  );
}

const LAST_RUNS = 8;
const PAGE_SIZE = 50;
const MOST_HELD = 50;

/** `/integrations/runs`, one run below it, and `/integrations/attempts`. */
export function runRoutes(deps: PageDeps & RunsDeps) {
  const { db, jobs } = deps;
  return mounted(deps, [
    get(paths.runs, { query: runsAddress }, ({ request, query, now, wants, part }) => {
      if (wants("jobs")) return part(<RunningJobs jobs={jobViews(deps, now, LAST_RUNS)} />);
      const { job, before } = query;
      if (job === null) {
        return (
          <RunsPage
            jobs={jobViews(deps, now, LAST_RUNS)}
            {...heldView(db, now, MOST_HELD)}
            unwatched={unwatched(request, db, now).filter(({ kind }) => kind === "job")}
          />
        );
      }
      const found = listRuns(db, job, PAGE_SIZE + 1, before ?? undefined);
      return (
        <JobRunsPage
          job={job}
          before={before}
          runs={found.slice(0, PAGE_SIZE)}
          hasMore={found.length > PAGE_SIZE}
        />
      );
    }),
    get(
      paths.run,
      { query: runAddress, find: ({ run }) => findRunView(deps, run) ?? noRun() },
      ({ found, query, wants, part }) => {
        if (wants("run")) return part(<RunFacts {...found} />);
        return shown(attemptsView(db, query, { run: found.run.id }, PAGE_SIZE), (listed) => (
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
      { find: ({ job }) => findJob(jobs, job) ?? noJob() },
      async ({ found, actor, form }) => {
        const { isNew } = await jobs.start(found.name, `operator:${actor.name}`);
        const to = form.has("to") ? ownPath(form.get("to")) : paths.runs;
        return seeOther(withNotice(to, isNew ? "job-begun" : "job-busy"));
      },
    ),
    get(paths.attempts, { query: attemptsAddress }, ({ query }) => {
      const { from, until } = instantsOf(query);
      const of = { job: query.job ?? undefined, from: from ?? undefined, to: until ?? undefined };
      return shown(attemptsView(db, query, of, PAGE_SIZE), (listed) => (
        <AttemptsPage query={query} {...listed} />
      ));
    }),
  ]);
}

/** A page of attempts: at one moment where they are found at once, which they are unless few are looked for among very many. */
function shown(
  found: NamedStretch | Promise<NamedStretch>,
  page: (listed: NamedStretch) => Safe,
): Safe | Promise<Safe> {
  return found instanceof Promise ? found.then(page) : page(found);
}

function noRun(): never {
  throw new Problem("not-found", "No such run.");
}

function noJob(): never {
  throw new Problem("not-found", "No such job.");
}
