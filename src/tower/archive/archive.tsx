/**
 * `/archive`: what reports came to by dates, of all sites or of one, what is stored, and every attempt.
 *
 * `archiveView` reads all of it in one turn → the page: damage, pauses, the grid (`grid.tsx`), the last run,
 * attempts. One attempt in full is `report.tsx`. Begin with `archiveRoutes`.
 */

import type { Archive } from "../../archive/archive.ts";
import { type ArchiveTally, isTriedBefore, listTally, listTallyOf } from "../../archive/manifest.ts";
import { FAULT_WORDS } from "../../archive/manifest_copy.ts";
import type { ManifestRow } from "../../archive/manifest_row.ts";
import { ARCHIVE_JOB, listTargets } from "../../archive/plan.ts";
import { listManifest, type ManifestStretch } from "../../archive/read_routes.ts";
import { listSkips } from "../../archive/record_attempt.ts";
import { countDamage, listDamage } from "../../archive/verify_events.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { addDays, dayNumber, dayOfNumber, type UtcDay, utcDayOf } from "../../base/time.ts";
import { listInForce, type Pause } from "../../health/pauses.ts";
import { archivedWords } from "../../keep/growth.ts";
import { PROVIDER_NAMES, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { listAttachments } from "../../providers/properties.ts";
import { findAsset } from "../../sites/sites.ts";
import { findRun } from "../../store/job_runs.ts";
import type { ObjectStore } from "../../store/objects.ts";
import type { Db } from "../../store/store.ts";
import { patternOf } from "../../store/timetable.ts";
import { formatCount, formatDay } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { IntegrationsHead } from "../integrations/coverage.tsx";
import { JobTable, type JobView, jobViews, PROGRESS_PERIOD } from "../integrations/jobs.tsx";
import { FilterForm, Filters, given } from "../kit/address.tsx";
import { Act, SearchForm } from "../kit/field.tsx";
import { LookMark, OUTCOME_LOOKS } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, Steps, Told } from "../kit/links.tsx";
import { Block, EarlierPager, Empty, List } from "../kit/list.tsx";
import { Day, Marked, Moment } from "../kit/proof.tsx";
import { get, mounted, unwatched } from "../kit/route.ts";
import { CATEGORY_WORDS, Callout, MonitoringNotice } from "../kit/words.tsx";
import { Live, Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { familyTitle } from "../site/family_words.ts";
import {
  ARCHIVE_FILTERS,
  type ArchiveQuery,
  archiveAddress,
  archiveHref,
  attemptsHref,
  GRID_DAYS,
  type Grid,
  GridLegend,
  GridTable,
  gridOf,
  LOOK_BACK,
} from "./grid.tsx";

const PAGE_SIZE = 25;
/** Jobs that fill the archive or look after it. */
const OWN_JOBS: ReadonlySet<string> = new Set([ARCHIVE_JOB, "scrub"]);

export function archiveRoutes(deps: PageGround) {
  const { db, objects } = deps;
  return mounted(deps, [
    get(paths.archiveRun, {}, async ({ now }) => <ArchiveNow {...(await deps.archive.estimate(now))} />),
    get(paths.archive, { query: archiveAddress }, ({ request, query, now, wants, part }) => {
      if (wants("run")) return part(<RunBlock job={archiveJob(deps, now)} />);
      const page = (attempts: ManifestStretch) => {
        const { asset } = query;
        const view = archiveView(deps, query, now);
        const failures = unwatched(request, db).filter(
          ({ kind, subject }) => kind === "job" && OWN_JOBS.has(subject),
        );
        return (
          <Page title={asset === null ? "Archive" : `${asset}, archive`} current="integrations">
            <IntegrationsHead
              current="archive"
              sentence={
                asset === null ? (
                  "Whole reports, as the providers sent them."
                ) : (
                  <>
                    Archive of <Told class="wrap">{asset}</Told>. <a href={paths.archive}>All sites</a>
                    {view.isKnown ? <a href={paths.site(asset)}>, the site</a> : null}
                  </>
                )
              }
              tools={
                <SearchForm
                  action={paths.archive}
                  name="asset"
                  id="archive-site"
                  words="Site"
                  value={asset ?? ""}
                  maxlength={128}
                />
              }
            />
            <MonitoringNotice failures={failures} />
            <DamageCallout db={db} />
            <ArchivePauses pauses={view.pauses} />
            {view.grid === undefined ? (
              <NothingYet asset={asset} isKnown={view.isKnown} />
            ) : (
              <GridBlock grid={view.grid} query={query} sites={view.attached} />
            )}
            <RunBlock job={view.job} />
            <StoredBlock stored={view.stored} place={objects} />
            {view.grid === undefined ? null : <AttemptsBlock query={query} attempts={attempts} />}
          </Page>
        );
      };
      // At one moment where they are found at once, which they are unless few are looked for among very many.
      const attempts = archiveAttempts(db, query);
      return attempts instanceof Promise ? attempts.then(page) : page(attempts);
    }),
  ]);
}

/** The last day that a grid may end at: today in UTC, since a snapshot stands under it. */
const lastDay = ({ to }: Pick<ArchiveQuery, "to">, now: number): number =>
  Math.min(to === null ? Number.POSITIVE_INFINITY : dayNumber(to), dayNumber(utcDayOf(now)));

/** The job that fills the archive, with its last run. */
function archiveJob(deps: PageGround, now: number): JobView {
  const [view] = jobViews(deps, ({ name }) => name === ARCHIVE_JOB, { now, failures: [] });
  if (view === undefined) throw new Error(`the job ${ARCHIVE_JOB} is not known`);
  return view;
}

function archiveView(deps: PageGround, query: ArchiveQuery, now: number) {
  const { db } = deps;
  const { asset } = query;
  const job = archiveJob(deps, now);
  const attachments = listAttachments(db).filter((one) => asset === null || one.asset === asset);
  const providers = providersOf(db, asset, attachments);
  const to = lastDay(query, now);
  const from = to - GRID_DAYS + 1 - LOOK_BACK;
  const tally = asset === null ? listTally(db, from, to) : listTallyOf(db, asset, from, to);
  // While a run is under way its own day is not over.
  const ranOn = dayNumber(utcDayOf(patternOf(job.at).newest(now))) - (job.running === undefined ? 0 : 1);
  const long = new Set(providers.filter((provider) => isTriedBefore(db, provider, asset, from)));
  const skipped = skippedBy(db, { asset, attachments, tally });
  return {
    job,
    /** Undefined where nothing is attached and nothing was ever asked. */
    grid: providers.length === 0 ? undefined : gridOf({ to, providers, tally, skipped, ranOn, long }),
    /** Sites with an attached property. */
    attached: new Set(attachments.map((one) => one.asset)).size,
    /** Whether the site that is asked for is one of the portfolio; true of all of them. */
    isKnown: asset === null || findAsset(db, asset) !== undefined,
    stored: archivedWords(db, now),
    pauses: listInForce(db, now).filter((pause) => concerns(pause, asset)),
  };
}

/** Whether a pause keeps reports from being asked for: of all sites, or of the one that is shown. */
function concerns(pause: Pause, asset: string | null): boolean {
  if (pause.capability === "") return pause.asset === asset;
  return pause.capability.endsWith(".archive") && (asset === null || ["", asset].includes(pause.asset));
}

interface Attached {
  readonly asset: string;
  readonly provider: Provider;
}

/** The providers that are asked, or ever were. */
function providersOf(db: Db, asset: string | null, attachments: readonly Attached[]): Provider[] {
  const asked = listTargets(db, { asset: asset ?? undefined });
  const known = new Set([...attachments, ...asked].map(({ provider }) => provider));
  return PROVIDERS.filter((provider) => known.has(provider));
}

/** Reports that are left out by all who would be asked for them; where an account holds some of these back, by all who were asked. */
function skippedBy(
  db: Db,
  of: {
    readonly asset: string | null;
    readonly attachments: readonly Attached[];
    readonly tally: readonly ArchiveTally[];
  },
): ReadonlySet<string> {
  const sites = Map.groupBy(
    listSkips(db).filter(({ target }) => of.asset === null || target.asset === of.asset),
    ({ target }) => target.family,
  );
  const asked = (provider: Provider) =>
    new Set(of.attachments.filter((one) => one.provider === provider).map(({ asset }) => asset)).size;
  return new Set(
    [...sites].flatMap(([family, skips]) => {
      const [first] = skips;
      const left = new Set(skips.map(({ target }) => target.asset)).size;
      if (first === undefined) return [];
      const isTried = of.tally.some((one) => one.family === family && one.provider === first.target.provider);
      return !isTried || left >= asked(first.target.provider) ? [family] : [];
    }),
  );
}

/** Attempts that a query takes, the newest first. */
function archiveAttempts(db: Db, query: ArchiveQuery): ManifestStretch | Promise<ManifestStretch> {
  const { date, run, to: _of, ...wanted } = given(query);
  const stored = run === undefined ? undefined : findRun(db, run);
  if (run !== undefined && stored === undefined) return { rows: [], next: undefined };
  const day = date && dayNumber(date);
  return listManifest(db, { ...wanted, run: stored?.id, from: day, to: day, limit: PAGE_SIZE });
}

const MOST_NAMED = 5;

/** The objects that were found damaged last. */
function DamageCallout({ db }: { readonly db: Db }) {
  const count = countDamage(db);
  if (count === 0) return null;
  const damage = listDamage(db, MOST_NAMED);
  const more = count - damage.length;
  return (
    <Callout tone="failing" role="status" id="damage">
      <p>
        <b>
          {countOf(count, "object")} {count === 1 ? "is" : "are"} damaged or missing
        </b>{" "}
        and not served. Restore from a backup and run <Code>bun run tower archive verify</Code>. A report that
        is fetched again is stored again.
      </p>
      <ul>
        {damage.map(({ sha256, fault, found_at }) => (
          <li>
            <a class="mono wrap" href={attemptsHref({ object: sha256 })}>
              {sha256}
            </a>{" "}
            {FAULT_WORDS[fault]}, found <Moment at={found_at} />
          </li>
        ))}
        {more > 0 ? <li>{countOf(more, "more object")}.</li> : null}
      </ul>
    </Callout>
  );
}

/** That something of the archive is paused. */
function ArchivePauses({ pauses }: { readonly pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null;
  return (
    <Callout tone="paused" role="status">
      <p>
        <b>Paused: {countOf(pauses.length, "pause")}.</b> Paused reports are not fetched; their dates stay
        empty. <a href={paths.pauses}>All pauses</a>
      </p>
    </Callout>
  );
}

function GridBlock(props: { readonly grid: Grid; readonly query: ArchiveQuery; readonly sites: number }) {
  const { now } = here();
  const { grid, query, sites } = props;
  const { asset } = query;
  const last = dayOfNumber(lastDay(query, now));
  const later = addDays(last, GRID_DAYS);
  const today = dayOfNumber(lastDay({ to: null }, now));
  const href = (to: UtcDay | null) => archiveHref({ ...query, to, before: null });
  return (
    <Block
      id="grid"
      heading="Reports by dates"
      note={
        <>
          {asset === null
            ? `${countOf(sites, "site")} with a property attached; worst outcome of each date, and of how many sites`
            : "latest attempt of each date"}
          , {formatDay(addDays(last, 1 - GRID_DAYS), now)} to {formatDay(last, now)}
        </>
      }
      tools={
        <Steps
          earlier={href(addDays(last, -GRID_DAYS))}
          later={last >= today ? null : href(later >= today ? null : later)}
          what={` ${GRID_DAYS} dates`}
        />
      }
    >
      <GridTable grid={grid} query={query} />
      <GridLegend />
    </Block>
  );
}

/** Why the archive is empty, and the next step. */
function NothingYet({ asset, isKnown }: { readonly asset: string | null; readonly isKnown: boolean }) {
  return (
    <Empty alone heading={isKnown ? "Nothing is archived yet" : "No site of this name"}>
      <p>
        {isKnown
          ? "Tower archives whole reports once a day, for each property attached to a site. None is attached."
          : "A site is found by its whole name."}
      </p>
      {isKnown ? (
        <Go
          to={asset === null ? paths.attachments : paths.siteIntegrations(asset)}
          words="Attach a property"
          primary
        />
      ) : (
        <Go to={paths.archive} words="All sites" />
      )}
    </Empty>
  );
}

/** What a run would ask for, and starting it. Nothing is fetched before that. */
function ArchiveNow({ sites, requests }: Awaited<ReturnType<Archive["estimate"]>>) {
  return (
    <Page title="Archive now" current="integrations" still>
      <IntegrationsHead
        current="archive"
        sentence={
          requests === 0
            ? "A run has nothing to ask for: every report that is due is stored, or no property is attached."
            : `A run makes about ${countOf(requests, "request")} for ${countOf(sites, "site")}. A report of several pages takes one for each; one whose date is not final yet takes none.`
        }
      >
        <Act action={paths.runJob(ARCHIVE_JOB)} words="Archive now" hidden={{ to: paths.archive }} />
      </IntegrationsHead>
    </Page>
  );
}

/** The run that fills it; the part that asks for itself while one is under way. */
function RunBlock({ job }: { readonly job: JobView }) {
  const { running, asksNobody } = job;
  return (
    <Live id="archive-run" href={running === undefined ? null : paths.archiveNow} every={PROGRESS_PERIOD}>
      <Block id="runs" heading="Runs" tools={<a href={paths.runsOfJob(job.job)}>All runs</a>}>
        <JobTable
          jobs={[job]}
          caption="The run that fills the archive"
          act={() => (asksNobody ? null : <Go to={paths.archiveRun} words="Archive now" />)}
        />
      </Block>
    </Live>
  );
}

function StoredBlock(props: {
  readonly stored: string | undefined;
  readonly place: Pick<ObjectStore, "kind" | "where">;
}) {
  const { stored, place } = props;
  return (
    <Block id="held" heading="Stored" note="all sites, since the first run">
      <p>{stored ?? "Not measured yet."}</p>
      <p class="note">
        In the {place.kind === "s3" ? "bucket" : "directory"} <Code>{place.where}</Code>, each object under
        the SHA-256 of its bytes. <Code>bun run tower archive verify</Code> checks all of them.
      </p>
    </Block>
  );
}

function AttemptsBlock(props: { readonly query: ArchiveQuery; readonly attempts: ManifestStretch }) {
  const { query, attempts } = props;
  const filter = { path: paths.archive, address: archiveAddress, query, words: ARCHIVE_FILTERS };
  const isNarrowed = archiveAddress.search({ ...query, to: null, before: null }) !== "";
  return (
    <Block id="attempts" heading="Attempts" note={<Marked>newest first, each a row of the manifest</Marked>}>
      <div class="stack tight">
        <Filters {...filter} />
        <details>
          <summary class="note">Filter attempts</summary>
          <FilterForm {...filter} />
        </details>
        <List
          of="Attempts to get reports, newest first"
          items={attempts.rows}
          id={({ id }) => `report-row-${id}`}
          empty={
            <Empty heading="No attempt">
              <p>
                {attempts.next !== undefined
                  ? "None of the attempts searched so far matches: go on with the earlier ones."
                  : isNarrowed
                    ? "None matches the filter."
                    : "Nothing was fetched yet."}
              </p>
            </Empty>
          }
          columns={[
            [
              "Report",
              ({ id, target }) => (
                <>
                  <a href={paths.archiveReport(id)} data-row>
                    {familyTitle(target.family)}
                  </a>
                  <small class="block-sm">
                    {PROVIDER_NAMES[target.provider]}, {target.family}
                  </small>
                </>
              ),
              { class: "nowrap" },
            ],
            [
              "Site",
              ({ target }) => (
                <a href={paths.site(target.asset)}>
                  <Told class="wrap">{target.asset}</Told>
                </a>
              ),
            ],
            ["Date", (row) => <DatesOf row={row} />, { class: "nowrap" }],
            ["When", ({ attemptedAt }) => <Moment at={attemptedAt} />, { class: "nowrap" }],
            ["Outcome", (row) => <OutcomeOf row={row} />],
            ["Rows", ({ object }) => (object === null ? null : formatCount(object.rows)), { numeric: true }],
            [
              "Bytes",
              ({ object }) => (object === null ? null : byteWords(object.bytes)),
              { numeric: true, class: "nowrap" },
            ],
            [
              "Object",
              ({ object }) =>
                object === null ? null : (
                  <a class="mono" href={attemptsHref({ object: object.sha256 })} title={object.sha256}>
                    {object.sha256.slice(0, 10)}
                  </a>
                ),
            ],
          ]}
        />
        <EarlierPager
          from={query.before}
          next={attempts.next}
          href={(before) => archiveHref({ ...query, before })}
        />
      </div>
    </Block>
  );
}

/** The date of a report, or the days from the first to the last. */
export function DatesOf({ row }: { row: ManifestRow }) {
  const last = <Day day={dayOfNumber(row.date)} />;
  if (row.rangeFrom === null) return last;
  return (
    <>
      <Day day={dayOfNumber(row.rangeFrom)} /> to {last}
    </>
  );
}

/** What an attempt came to, with the category of what went wrong. */
function OutcomeOf({ row }: { row: ManifestRow }) {
  const { outcome, category } = row;
  return (
    <>
      <LookMark look={OUTCOME_LOOKS[outcome]} />
      {category === null ? null : <small class="block-sm">{CATEGORY_WORDS[category]}</small>}
    </>
  );
}
