/** `/archive`, one attempt below it, and beginning a run. */

import type { Archive } from "../../archive/archive.ts";
import type { Estimate } from "../../archive/estimate.ts";
import type { ManifestStretch } from "../../archive/manifest_list.ts";
import type { ManifestRow } from "../../archive/manifest_row.ts";
import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import { type Credential, listCredentials } from "../../providers/credentials.ts";
import { findFamily } from "../../providers/report_families.ts";
import type { RunningJob } from "../../store/job_runs.ts";
import type { ObjectStore } from "../../store/objects.ts";
import { formatCount, formatDay, formatSpan } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted, unwatched } from "../kit/route.ts";
import { Form } from "../kit/shown_once.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { familyTitle } from "../site/family_words.ts";
import { ArchivePage, RunBlock } from "./archive.tsx";
import { DatesOf, OutcomeOf } from "./attempts_table.tsx";
import { archiveAddress, attemptsHref, contentWords } from "./grid_table.tsx";
import { AttemptFacts, KeptRows, ObjectBlock, type ReportView, reportView } from "./report.tsx";
import { type ArchiveDeps, archiveAttempts, archiveJob, archiveView } from "./view.ts";

export function broughtWords(
  { object, outcome, complete }: ManifestRow,
  earlier: readonly ManifestRow[],
  isCut = false,
): string {
  const before = earlier.find((one) => one.object !== null && one.complete)?.object;
  if (object === null)
    return before == null ? "Nothing is stored of it." : "Nothing: what was stored before stays.";
  if (outcome === "incomplete" || !complete)
    return "A part is kept beside what was stored; no figure is read from it.";
  if (before == null) return isCut ? "An object is stored." : "The first object of this report.";
  return before.sha256 === object.sha256
    ? "Nothing: the same object as before."
    : "Another object: the provider says something else than before.";
}

function ReportPage({ view }: { view: ReportView }) {
  const { now } = here();
  const { row, attempts, hasMoreAttempts, insight } = view;
  const { target, object } = row;
  const family = findFamily(target.provider, target.family);
  const last = formatDay(dayOfNumber(row.date), now);
  return (
    <Page title={`${familyTitle(target.family)}, ${last}`} current="integrations">
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a> /{" "}
            <a href={paths.archiveOfSite(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
          </p>
          <h1>
            {familyTitle(target.family)}, <DatesOf row={row} />
          </h1>
          <p>
            {PROVIDER_WORDS[target.provider]} of{" "}
            <a href={paths.site(target.asset)}>
              <Told class="wrap">{target.asset}</Told>
            </a>
            , report <Code>{target.family}</Code>
            {family === undefined ? "." : `: ${contentWords(family)}.`}
          </p>
        </div>
      </div>
      <div class="halves">
        <Block heading="The attempt">
          <AttemptFacts row={row} />
        </Block>
        <ObjectBlock view={view} />
      </div>
      <Block
        id="attempts"
        heading="Attempts at this report"
        note={`${countOf(attempts.length, "attempt")}${hasMoreAttempts ? " of more" : ""}, newest first`}
        tools={
          hasMoreAttempts ? (
            <a
              href={attemptsHref({ asset: target.asset, family: target.family, date: dayOfNumber(row.date) })}
            >
              All of them
            </a>
          ) : undefined
        }
      >
        <List
          of="Attempts at this report, newest first"
          items={attempts}
          id={({ id }) => `attempt-${id}`}
          columns={[
            [
              "Asked",
              (one) =>
                one.id === row.id ? (
                  <b>
                    <Moment at={one.attemptedAt} />, this one
                  </b>
                ) : (
                  <a href={paths.archiveReport(one.id)}>
                    <Moment at={one.attemptedAt} />
                  </a>
                ),
              { class: "nowrap" },
            ],
            ["Outcome", (one) => <OutcomeOf row={one} />],
            ["Rows", (one) => (one.object === null ? null : formatCount(one.object.rows)), { numeric: true }],
            [
              "What it changed",
              (one, place) => broughtWords(one, attempts.slice(place + 1), hasMoreAttempts),
              { class: "all" },
            ],
          ]}
        />
      </Block>
      {object === null ? null : <KeptRows insight={insight} family={family} row={row} />}
    </Page>
  );
}

const MINUTE_MS = 60_000;

/** What a run would ask for, and the act that begins it: nothing is asked before that. */
function BeginPage(props: {
  readonly estimate: Estimate;
  readonly accounts: readonly Credential[];
  readonly running: RunningJob | undefined;
}) {
  const { estimate, accounts, running } = props;
  const { sites, reports, lanes } = estimate;
  const labels = new Map(accounts.map(({ id, label }) => [id, label]));
  return (
    <Page title="Archive now" current="integrations" still>
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a>
          </p>
          <h1>Archive now</h1>
          <p>{reports === 0 ? "A run would ask for nothing now." : estimateWords(estimate)}</p>
        </div>
      </div>
      {running === undefined ? null : (
        <Empty alone heading="A run is under way">
          <p>What it brings is as new as what another run would.</p>
          <Go to={paths.archive} words="Show it" />
        </Empty>
      )}
      {reports === 0 ? (
        <Empty alone heading="Nothing to ask for">
          <p>
            {sites === 0
              ? "No property that may be asked is attached to a site: none is attached, or all of them are paused or retired."
              : "Every report that is due was brought in."}
          </p>
          <Go to={paths.credentials} words="Credentials and properties" />
        </Empty>
      ) : (
        <Block heading="What it would ask" note="accounts are asked beside one another">
          <div class="stack tight">
            <List
              of="What a run would ask, by account"
              items={lanes.toSorted((one, other) => other.aboutMs - one.aboutMs)}
              columns={[
                ["Provider", ({ provider }) => PROVIDER_WORDS[provider]],
                [
                  "Account",
                  ({ credential }) => (
                    <a href={paths.credential(credential)}>
                      <Told class="wrap">{labels.get(credential) ?? credential}</Told>
                    </a>
                  ),
                ],
                ["Reports", (lane) => formatCount(lane.reports), { numeric: true }],
                ["Requests, at least", (lane) => formatCount(lane.requests), { numeric: true }],
                ["About", (lane) => aboutWords(lane.aboutMs), { numeric: true }],
              ]}
            />
            <p class="note">
              A report that grew since its last time needs more requests. Charts and people go first: a run
              waits for them. It can be stopped at any time; what came by then stays.
            </p>
            {running === undefined ? (
              <div class="row">
                <Form action={paths.runJob(ARCHIVE_JOB)} class={null} hidden={[["to", paths.archive]]}>
                  <button class="btn primary">Begin</button>
                </Form>
                <a class="btn bare" href={paths.archive}>
                  Not now
                </a>
              </div>
            ) : null}
          </div>
        </Block>
      )}
    </Page>
  );
}

/** "It would ask for 2,040 reports of 31 sites with 2,300 requests or more, and take about 12 min." */
function estimateWords({ sites, reports, requests, aboutMs }: Estimate): string {
  return `It would ask for ${countOf(reports, "report")} of ${countOf(sites, "site")} with ${countOf(requests, "request")} or more, and take ${aboutMs < MINUTE_MS ? "less than a minute" : `about ${formatSpan(aboutMs)}`}.`;
}

const aboutWords = (ms: number): string => (ms < MINUTE_MS ? "under 1 min" : formatSpan(ms));

const PAGE_SIZE = 25;
/** Those that write into the archive, and read it anew. */
const OWN_JOBS: ReadonlySet<string> = new Set([ARCHIVE_JOB, "scrub"]);

/** `/archive`, and the reports below it. */
export function archiveRoutes(
  deps: PageDeps &
    ArchiveDeps & {
      readonly objects: Pick<ObjectStore, "kind" | "where">;
      readonly archive: Pick<Archive, "estimate">;
    },
) {
  const { db, jobs, objects, archive } = deps;
  return mounted(deps, [
    get(paths.archive, { query: archiveAddress }, ({ request, query, now, wants, part }) => {
      if (wants("run")) return part(<RunBlock job={archiveJob(deps, now)} />);
      const page = (attempts: ManifestStretch) => (
        <ArchivePage
          view={archiveView(deps, query, now)}
          query={query}
          attempts={attempts}
          store={objects}
          unwatched={unwatched(request, db, now).filter(
            ({ kind, subject }) => kind === "job" && OWN_JOBS.has(subject),
          )}
        />
      );
      // At one moment where they are found at once, which they are unless few are looked for among very many.
      const attempts = archiveAttempts(db, query, PAGE_SIZE);
      return attempts instanceof Promise ? attempts.then(page) : page(attempts);
    }),
    get(paths.archiveRun, {}, async ({ now }) => {
      const estimate = await archive.estimate(now);
      const running = jobs.running().find(({ job }) => job === ARCHIVE_JOB);
      return <BeginPage estimate={estimate} accounts={listCredentials(db)} running={running} />;
    }),
    get(
      paths.archiveReport,
      { find: ({ report }) => (isRow(report) ? reportView(db, Number(report)) : undefined) ?? noReport() },
      ({ found }) => {
        const page = (view: ReportView) => <ReportPage view={view} />;
        return found instanceof Promise ? found.then(page) : page(found);
      },
    ),
  ]);
}

const isRow = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);

function noReport(): never {
  throw new Problem("not-found", "No such attempt of the archive.");
}
