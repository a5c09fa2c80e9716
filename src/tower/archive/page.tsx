import type { ManifestStretch } from "../../archive/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import { addDays, type UtcDay } from "../../lib/utc_day.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import type { ObjectStore } from "../../objects/contract.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Steps } from "../component/links.tsx";
import { MonitoringNotice } from "../component/monitoring_notice.tsx";
import { EarlierPager } from "../component/pager.tsx";
import { SearchForm } from "../component/search_form.tsx";
import { Marked } from "../component/term.tsx";
import { Told } from "../component/text.tsx";
import { countOf, formatDay } from "../format.ts";
import { FilterForm, Filters } from "../kit/filter.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { AttemptsTable } from "./attempts_table.tsx";
import { DamageCallout } from "./damage_callout.tsx";
import { GRID_DAYS } from "./grid.ts";
import { GridLegend, GridTable } from "./grid_table.tsx";
import { HeldBlock } from "./held_block.tsx";
import { ArchivePauses } from "./pauses.tsx";
import { ARCHIVE_FILTERS, type ArchiveQuery, archiveAddress, archiveHref } from "./query.ts";
import { RunBlock } from "./run_block.tsx";
import { type ArchiveView, lastDay } from "./view.ts";

interface ArchiveProps {
  readonly shell: Shell;
  readonly view: ArchiveView;
  readonly query: ArchiveQuery;
  readonly attempts: ManifestStretch;
  readonly store: Pick<ObjectStore, "kind" | "where">;
  /** Jobs that fill the archive or look after it, and do not do their work. */
  readonly unwatched: readonly MonitoringFailure[];
}

/** The archive: what reports came to by dates, of all sites or of one, what is held, and every attempt. */
export function ArchivePage(props: ArchiveProps) {
  const { shell, view, query, store } = props;
  const { now } = shell;
  return (
    <Page shell={shell} title={query.asset === null ? "Archive" : "Archive of a site"} current="integrations">
      <Head query={query} isKnown={view.isKnown} />
      <MonitoringNotice failures={props.unwatched} now={now} />
      <DamageCallout damage={view.damage} count={view.damaged} now={now} />
      <ArchivePauses pauses={view.pauses} now={now} />
      {view.grid === undefined ? (
        <NothingYet query={query} view={view} />
      ) : (
        <GridBlock grid={view.grid} query={query} now={now} sites={view.attached} />
      )}
      <RunBlock job={view.job} now={now} />
      <HeldBlock totals={view.totals} place={store} />
      {view.grid === undefined ? null : <AttemptsBlock {...props} />}
    </Page>
  );
}

function Head({ query, isKnown }: { readonly query: ArchiveQuery; readonly isKnown: boolean }) {
  const { asset } = query;
  return (
    <div class="head">
      <div>
        <p class="crumb">
          <a href={paths.integrations}>Integrations</a>
          {asset === null ? null : (
            <>
              {" / "}
              <a href={paths.archive}>Archive</a>
            </>
          )}
        </p>
        <h1>
          {asset === null ? (
            "Archive"
          ) : (
            <>
              Archive of <Told class="wrap">{asset}</Told>
            </>
          )}
        </h1>
        <p>
          Whole reports as their providers answered them: each attempt is a row, and what came is kept under
          the hash of its bytes. Reading this page asks nobody.{" "}
          {asset === null || !isKnown ? null : <a href={paths.site(asset)}>The page of the site</a>}
        </p>
      </div>
      <div class="row">
        <SearchForm
          action={paths.archive}
          name="asset"
          id="archive-site"
          words="Site"
          value={asset ?? ""}
          maxlength={128}
        />
      </div>
    </div>
  );
}

function GridBlock(props: {
  readonly grid: NonNullable<ArchiveView["grid"]>;
  readonly query: ArchiveQuery;
  readonly sites: number;
  readonly now: number;
}) {
  const { grid, query, sites, now } = props;
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
      <GridTable grid={grid} query={query} now={now} />
      <GridLegend />
    </Block>
  );
}

/** What an empty archive is, and how it begins. */
function NothingYet({ query, view }: { readonly query: ArchiveQuery; readonly view: ArchiveView }) {
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
          <a class="btn primary" href={paths.attachments}>
            Attach a property
          </a>
          <a class="btn" href={paths.newSite}>
            Add a site
          </a>
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
        <a class="btn" href={paths.archive}>
          All sites
        </a>
      </Empty>
    );
  }
  return (
    <Empty alone heading="Nothing is archived of this site">
      <p>No property is attached to it, so no report is asked for.</p>
      <p class="row">
        <a class="btn primary" href={`${paths.siteSettings(asset)}#sources`}>
          Attach a property
        </a>
        <a class="btn" href={paths.archive}>
          All sites
        </a>
      </p>
    </Empty>
  );
}

function AttemptsBlock({ shell, query, attempts }: ArchiveProps) {
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
          now={shell.now}
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
