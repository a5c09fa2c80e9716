/** One run with its attempts, and the attempts of all runs. */

import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { UNRECORDED } from "../../health/capability_words.ts";
import type { NamedAttempt } from "../../signals/attempt_list.ts";
import type { RunningJob, StoredRun } from "../../store/job_runs.ts";
import { address, FilterForm, Filters, named } from "../kit/address.tsx";
import { askedByWords, FAULT_WORDS, jobTitle, tookWords } from "../kit/job_words.ts";
import { Code, Go, Told } from "../kit/links.tsx";
import { Block, EarlierPager } from "../kit/list.tsx";
import { Live } from "../kit/live.tsx";
import { Facts, Marked, Moment } from "../kit/proof.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import {
  ATTEMPT_PARAMS,
  ATTEMPT_WORDS,
  AttemptCounts,
  AttemptsTable,
  RunMark,
  runAddress,
} from "./attempts_table.tsx";
import { PROGRESS_PERIOD, RunProgress } from "./jobs.tsx";

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
export function RunPage({ run, running, query, rows, next }: RunProps) {
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
      <p>
        <Marked>
          Each report that it asked for is a row of the manifest, as soon as it is known what came of it.
        </Marked>
      </p>
      <p class="row">
        <Go to={paths.archiveOfRun(run)} words="Its attempts" />
        {failed === 0 ? null : <Go to={paths.archiveOfRun(run, "failed")} words="Those that failed" />}
      </p>
    </Block>
  );
}

/** How the run stands; the part that asks for itself while it is under way. */
export function RunFacts({ run, running }: { run: StoredRun; running: RunningJob | undefined }) {
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
export function AttemptsPage(props: Listed & { readonly query: typeof attemptsAddress.usual }) {
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
