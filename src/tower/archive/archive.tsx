/**
 * The page of the archive: what reports came to by dates, of all sites or of one, what is held, and every attempt.
 *
 * `archive_routes.tsx` reads the address → `view.ts` gathers all of it in one turn → the page here: damage, pauses, the grid (`grid.ts`,
 * `grid_table.tsx`), the last run, totals, attempts (`attempts_table.tsx`).
 * One attempt in full is `report.tsx`. Begin with `archiveRoutes`.
 */

import type { ArchiveTotal } from "../../archive/archive_tally.ts";
import { FAULT_WORDS } from "../../archive/manifest_copy.ts";
import type { ManifestStretch } from "../../archive/manifest_list.ts";
import type { Damage } from "../../archive/verify_events.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { addDays, dayOfNumber, type UtcDay } from "../../base/time.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { Pause } from "../../health/pauses.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import type { ObjectStore } from "../../store/objects.ts";
import { formatCount, formatDay } from "../format.ts";
import { pausedWords } from "../integrations/acts.tsx";
import { IntegrationsHead } from "../integrations/coverage.tsx";
import { JobTable, type JobView, PROGRESS_PERIOD } from "../integrations/jobs.tsx";
import { FilterForm, Filters } from "../kit/address.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, Steps, Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Live } from "../kit/live.tsx";
import { Callout, MonitoringNotice } from "../kit/monitoring_words.tsx";
import { EarlierPager } from "../kit/pager.tsx";
import { Moment } from "../kit/proof.tsx";
import { SearchForm } from "../kit/search_form.tsx";
import { Marked } from "../kit/term.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { AttemptsTable } from "./attempts_table.tsx";
import { GRID_DAYS } from "./grid.ts";
import {
  ARCHIVE_FILTERS,
  type ArchiveQuery,
  archiveAddress,
  archiveHref,
  attemptsHref,
  GridLegend,
  GridTable,
} from "./grid_table.tsx";
import { type ArchiveView, lastDay } from "./view.ts";

/** The run that fills it; the part that asks for itself while one is under way. */
export function RunBlock({ job }: { job: JobView }) {
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

/** Where objects lie, as a person may read it. */
interface Place {
  readonly kind: "directory" | "s3";
  /** A path, or `s3://bucket/prefix`; never a secret. */
  readonly where: string;
}

function HeldBlock({ totals, place }: { totals: readonly ArchiveTotal[]; place: Place }) {
  return (
    <Block id="held" heading="What is held" note="over all sites, since the first run">
      <div class="stack tight">
        <p>
          <Marked>{heldWords(totals)}</Marked>
        </p>
        <List
          of="What the archive holds, by provider"
          items={totals}
          empty={null}
          columns={[
            ["Provider", ({ provider }) => PROVIDER_WORDS[provider]],
            counted("Attempts", ({ attempts }) => formatCount(attempts)),
            counted("Objects", ({ objects }) => formatCount(objects)),
            counted("As they came", ({ bytes }) => byteWords(bytes)),
            counted("As stored", ({ storedBytes }) => byteWords(storedBytes)),
            counted("Came again", ({ repeated }) => formatCount(repeated)),
            counted("Spared by that", ({ sparedStoredBytes }) => byteWords(sparedStoredBytes)),
          ]}
        />
        <p class="note">
          The objects lie in the {place.kind === "s3" ? "bucket" : "directory"} <Code>{place.where}</Code>,
          each under the SHA-256 of its bytes. <Code>bun run tower archive verify</Code> reads every one of
          them again and names what is wrong.
        </p>
      </div>
    </Block>
  );
}

const counted = (words: string, cell: (total: ArchiveTotal) => string): Column<ArchiveTotal> => [
  words,
  cell,
  { numeric: true, class: "nowrap" },
];

/** "1,204 objects hold 3.1 GiB of answers in 410 MiB; 2,310 answers came again and were not stored twice (820 MiB spared)." */
function heldWords(totals: readonly ArchiveTotal[]): string {
  const sum = (of: (total: ArchiveTotal) => number) => totals.reduce((all, total) => all + of(total), 0);
  const [objects, repeated] = [sum((of) => of.objects), sum((of) => of.repeated)];
  if (objects === 0) return "No object is stored yet.";
  const bytes = byteWords(sum((of) => of.bytes));
  const stored = byteWords(sum((of) => of.storedBytes));
  const held = `${countOf(objects, "object")} ${objects === 1 ? "holds" : "hold"} ${bytes} of answers in ${stored}`;
  if (repeated === 0) return `${held}.`;
  const spared = byteWords(sum((of) => of.sparedStoredBytes));
  return `${held}; ${countOf(repeated, "answer")} said what an object holds already and ${repeated === 1 ? "was" : "were"} not stored again, which spares ${spared}.`;
}

function DamageCallout({ damage, count }: { damage: readonly Damage[]; count: number }) {
  if (count === 0) return null;
  const more = count - damage.length;
  return (
    <Callout tone="failing" role="status" id="damage">
      <p>
        <b>
          {countOf(count, "object")} {count === 1 ? "is" : "are"} damaged or missing.
        </b>{" "}
        None of them is served or read. Put them back from a backup and run{" "}
        <Code>bun run tower archive verify</Code>; a report that is fetched again is stored anew by itself.
      </p>
      <ul>
        {damage.map(({ sha256, fault, foundAt }) => (
          <li>
            <a class="mono wrap" href={attemptsHref({ object: sha256 })}>
              {sha256}
            </a>{" "}
            {FAULT_WORDS[fault]}, found <Moment at={foundAt} />
          </li>
        ))}
        {more > 0 ? <li>{countOf(more, "more object")}.</li> : null}
      </ul>
    </Callout>
  );
}

const MOST_NAMED = 3;

/** Says what of the archive is paused. Nothing while nothing is. */
function ArchivePauses({ pauses }: { pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null;
  const more = pauses.length - MOST_NAMED;
  return (
    <Callout tone="paused" role="status">
      <ul>
        {pauses.slice(0, MOST_NAMED).map((pause) => (
          <li>
            <b>Paused:</b> <Told class="wrap">{pausedWords(pause)}</Told>
            {pause.until === null
              ? ", until an operator resumes it"
              : [", until ", <Moment at={pause.until} />, " UTC"]}
            .
          </li>
        ))}
        {more > 0 ? <li>{countOf(more, "more pause")} of the archive.</li> : null}
      </ul>
      <p>
        What is paused is not asked, and its dates stay empty. <a href={paths.pauses}>All pauses</a>
      </p>
    </Callout>
  );
}

interface ArchiveProps {
  readonly view: ArchiveView;
  readonly query: ArchiveQuery;
  readonly attempts: ManifestStretch;
  readonly store: Pick<ObjectStore, "kind" | "where">;
  /** Jobs that fill the archive or look after it, and do not do their work. */
  readonly unwatched: readonly MonitoringFailure[];
}

/** The archive: what reports came to by dates, of all sites or of one, what is held, and every attempt. */
export function ArchivePage(props: ArchiveProps) {
  const { view, query, store } = props;
  const { asset } = query;
  return (
    <Page title={query.asset === null ? "Archive" : "Archive of a site"} current="integrations">
      <IntegrationsHead
        current="archive"
        sentence={
          asset === null ? (
            "Whole reports as providers answered them, one row an attempt."
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
      <MonitoringNotice failures={props.unwatched} />
      <DamageCallout damage={view.damage} count={view.damaged} />
      <ArchivePauses pauses={view.pauses} />
      {view.grid === undefined ? (
        <NothingYet query={query} view={view} />
      ) : (
        <GridBlock grid={view.grid} query={query} sites={view.attached} />
      )}
      <RunBlock job={view.job} />
      <HeldBlock totals={view.totals} place={store} />
      {view.grid === undefined ? null : <AttemptsBlock {...props} />}
    </Page>
  );
}

function GridBlock(props: {
  readonly grid: NonNullable<ArchiveView["grid"]>;
  readonly query: ArchiveQuery;
  readonly sites: number;
}) {
  const { now } = here();
  const { grid, query, sites } = props;
  const { asset, provider, family, outcome, category, date, run, object } = query;
  const kept = { asset, provider, family, outcome, category, date, run, object };
  const last = dayOfNumber(lastDay(query, now));
  const later = addDays(last, GRID_DAYS);
  const today = dayOfNumber(lastDay({ to: null }, now));
  const href = (to: UtcDay | null) => archiveHref({ ...kept, to });
  return (
    <Block
      id="grid"
      heading="Reports by dates"
      note={
        <>
          {asset === null
            ? `${countOf(sites, "site")} with a property attached; a cell says what is worst, and of how many sites`
            : "what the latest attempt of each date came to"}
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

/** What an empty archive is, and how it begins. */
function NothingYet({ query, view }: { query: ArchiveQuery; view: ArchiveView }) {
  const { asset } = query;
  const { attached, isKnown } = view;
  if (asset === null || attached > 0) {
    return (
      <Empty alone heading="Nothing is archived yet">
        <p>
          Once a day Tower asks for whole reports of every site with a property attached, and keeps them as
          they came. No property is attached to a site, so there is nothing to ask for.
        </p>
        <p class="row">
          <Go to={paths.attachments} words="Attach a property" primary />
          <Go to={paths.newSite} words="Add a site" />
        </p>
      </Empty>
    );
  }
  if (!isKnown) {
    return (
      <Empty alone heading="No site of this name">
        <p>
          No site is called <Told class="wrap">{asset}</Told>. A site is found by its whole name.
        </p>
        <Go to={paths.archive} words="All sites" />
      </Empty>
    );
  }
  return (
    <Empty alone heading="Nothing is archived of this site">
      <p>No property is attached to it, so no report is asked for.</p>
      <p class="row">
        <Go to={`${paths.siteSettings(asset)}#sources`} words="Attach a property" primary />
        <Go to={paths.archive} words="All sites" />
      </p>
    </Empty>
  );
}

function AttemptsBlock({ query, attempts }: ArchiveProps) {
  const filter = { path: paths.archive, address: archiveAddress, query, words: ARCHIVE_FILTERS };
  const isNarrowed = archiveAddress.search({ ...query, to: null, before: null }) !== "";
  return (
    <Block id="attempts" heading="Attempts" note={<Marked>newest first, each a row of the manifest</Marked>}>
      <div class="stack tight">
        <Filters {...filter} />
        <details>
          <summary class="note">Narrow them</summary>
          <FilterForm {...filter} />
        </details>
        <AttemptsTable
          attempts={attempts.rows}
          empty={
            <Empty heading={attempts.next === undefined ? "No attempt" : "None so far"}>
              <p>
                {attempts.next !== undefined
                  ? "Nothing that fits among the attempts looked through: go on with the earlier ones."
                  : isNarrowed
                    ? "Nothing was asked that fits."
                    : "Nothing was asked yet."}
              </p>
            </Empty>
          }
        />
        <EarlierPager
          newest={query.before === null ? null : archiveHref({ ...query, before: null })}
          earlier={attempts.next === undefined ? null : archiveHref({ ...query, before: attempts.next })}
        />
      </div>
    </Block>
  );
}
