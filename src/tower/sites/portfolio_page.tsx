/** The page of the portfolio: its headline, its filters with a count each, and every site. */

import { countWords as countOf } from "../../base/text.ts";
import { dayOfNumber } from "../../base/time.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import { attentionWords, type Entry } from "../../integrations/attention.ts";
import type { Coverage } from "../../integrations/integrations.ts";
import { formatCount, formatDay, formatNarrow } from "../format.ts";
import { CoverageCallout } from "../integrations/coverage.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { AttentionList, Retrying } from "../kit/attention.tsx";
import { SearchForm } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { Chips, OpenAndSnoozed, StreakWords, Told } from "../kit/links.tsx";
import { Block, type Column, Empty, List, Pager } from "../kit/list.tsx";
import { DayBars, newestSettled } from "../kit/plot.tsx";
import { Age, Day } from "../kit/proof.tsx";
import { SentButRefused, SilenceFlag, SiteStanding } from "../kit/site_state.tsx";
import { MonitoringNotice, workingWords } from "../kit/words.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { NightTicks, UnjudgedSites } from "../site/latest_nightly.tsx";
import {
  type PortfolioQuery,
  type PortfolioView,
  portfolioAddress,
  portfolioHref,
  type SiteRow,
  type Sort,
  SPARKS,
  type Spark,
  type SparkName,
  settledValue,
  weekChange,
} from "./portfolio.ts";

/** What the columns of a site are headed with; a link where they sort. */

/** A settled day that lies further back than this is named: sources settle within days. */
const NAMED_AFTER = 4;

/** The last days of a figure with its newest settled value; nothing where no source tells it. */
export function SparkCell(props: {
  readonly spark: Spark | undefined;
  /** Says which metric it is. */
  readonly named?: boolean;
}) {
  const { spark, named = false } = props;
  if (spark === undefined) return null;
  const { days, metric } = spark;
  const place = newestSettled(days);
  const day = place < 0 ? null : formatDay(dayOfNumber(days.firstDay + place));
  return (
    <span class={named ? "pair named" : "pair"}>
      <DayBars days={days} />
      {day === null ? (
        <small title="No day of these is settled yet">open</small>
      ) : (
        <b title={`${day}, settled`}>{formatNarrow(settledValue(spark) ?? 0)}</b>
      )}
      <WeekChange change={weekChange(spark)} />
      {named ? (
        <small class="cut" title={metric}>
          <Told>{metric}</Told>
        </small>
      ) : day !== null && days.values.length - 1 - place > NAMED_AFTER ? (
        <small>{day}</small>
      ) : null}
    </span>
  );
}

/** "+3%": the last seven settled days against the seven before. */
function WeekChange({ change }: { readonly change: number | null }) {
  if (change === null) return <i />;
  const percent = Math.round(change * 100);
  return (
    <i title="The last 7 settled days against the 7 before">
      {percent < 0 ? "−" : percent > 0 ? "+" : ""}
      {formatCount(Math.abs(percent))}%
    </i>
  );
}

/** A heading's words sort by its figure, those after a dot, or "change", by what else stands in its column. */
interface Heading {
  readonly words: Child;
  readonly sorted?: "ascending" | "descending" | undefined;
}
type HeadingOf = (words: string, sort: Sort, other?: Sort) => Heading;

/** The nights' heading is there where the nights are. */
const Second = ({ of, children }: { readonly of: Sort; readonly children: Child }) => (
  <span class={of === "nightly" ? "nights" : undefined}> · {children}</span>
);

/** The sites of one page, each with how it stands; most headings sort. */
function SitesTable(props: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const { view, query } = props;
  const link = (sort: Sort, words: Child) => (
    <a href={portfolioHref({ ...query, sort, page: 1 })} title={SORTED_BY[sort]}>
      {words}
    </a>
  );
  const heading: HeadingOf = (words, sort, other) => {
    const isSorted = query.sort === sort || query.sort === other;
    const [first = words, second = "change"] = words.split(" · ");
    return {
      words: (
        <>
          {link(sort, first)}
          {other === undefined ? null : <Second of={other}>{link(other, second)}</Second>}
        </>
      ),
      sorted: isSorted ? (sort === "site" ? "ascending" : "descending") : undefined,
    };
  };
  return (
    <List
      class="strips"
      of={query.sort === "worst" ? "Sites, most urgent first, then by identifier" : "Sites"}
      items={view.rows}
      empty={<NoMatch query={query} />}
      id={({ asset }) => `site-${asset}`}
      columns={siteColumns(view.rows, heading)}
    />
  );
}

const ownHeading: HeadingOf = (words, _sort, other) => {
  const [first, second] = words.split(" · ");
  if (second === undefined || other === undefined) return { words };
  return {
    words: (
      <>
        {first}
        <Second of={other}>{second}</Second>
      </>
    ),
  };
};

/** The service's own site, in columns of its own. */
function OwnSite({ row }: { readonly row: SiteRow }) {
  return (
    <List
      class="strips"
      of="Tower's own site"
      items={[row]}
      id={({ asset }) => `site-${asset}`}
      columns={siteColumns([row], ownHeading).filter(([words]) => words !== "Sources")}
    />
  );
}

const SORTED_BY: Readonly<Record<Sort, string>> = {
  worst: "Sort by what is most urgent",
  nightly: "Sort by the latest nightly report",
  site: "Sort by identifier",
  flags: "Sort by open flags",
  integrations: "Sort by the worst integration",
  lines: "Sort by lines of code",
  visitors: "Sort by visitors",
  "visitors-change": "Sort by the change of visitors, the greatest first",
  clicks: "Sort by search clicks",
  "clicks-change": "Sort by the change of search clicks, the greatest first",
  first: "Sort by the key metric",
  "first-change": "Sort by the change of the key metric, the greatest first",
};

function NoMatch({ query }: { readonly query: PortfolioQuery }) {
  const { q, group } = query;
  return (
    <Empty alone heading="No site matches">
      {q === "" ? (
        <p>No site is in this group.</p>
      ) : (
        <p>
          No identifier or address{group === null ? "" : " in this group"} holds <Told class="wrap">{q}</Told>
          .
        </p>
      )}
      <a class="btn" href={paths.portfolio}>
        Show all sites
      </a>
    </Empty>
  );
}

function siteColumns(rows: readonly SiteRow[], heading: HeadingOf): Column<SiteRow>[] {
  const column = (
    { words, sorted }: Heading,
    cell: Column<SiteRow>[1],
    unusual: Column<SiteRow>[2],
  ): Column<SiteRow> => [words, cell, { sorted, ...unusual }];
  return [
    column(heading("Site", "site"), (row) => <SiteName row={row} />, {}),
    column(heading("Status · Last 14 nights", "worst", "nightly"), (row) => <Standing row={row} />, {
      label: false,
      class: "stands",
    }),
    // A figure whose source none of these sites has takes no room.
    ...SPARKS.filter((name) => rows.some(({ sparks }) => sparks?.[name] !== undefined)).map((name) =>
      column(
        heading(SPARK_WORDS[name], name, `${name}-change`),
        ({ sparks }) => <SparkCell spark={sparks?.[name]} named={name === "first"} />,
        { label: SPARK_LABELS[name], class: "days" },
      ),
    ),
    column(
      heading("Flags", "flags"),
      ({ openFlags, snoozed }) => <OpenAndSnoozed counts={openFlags} snoozed={snoozed} />,
      { label: "Flags" },
    ),
    column(heading("Sources", "integrations"), (row) => <Integrations row={row} />, { label: "Sources" }),
    column(heading("Lines of code", "lines"), (row) => <Codebase row={row} />, {
      label: "Code",
      numeric: true,
    }),
  ];
}

const SPARK_WORDS: Readonly<Record<SparkName, string>> = {
  visitors: "Visitors a day",
  clicks: "Search clicks",
  first: "Key metric",
};
const SPARK_LABELS: Readonly<Record<SparkName, string>> = {
  visitors: "Visitors",
  clicks: "Clicks",
  first: "Metric",
};

function SiteName({ row }: { readonly row: SiteRow }) {
  const address = row.url?.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  return (
    <>
      <a data-row href={paths.site(row.asset)}>
        {row.asset}
      </a>
      {address === undefined || address === row.asset ? null : (
        <small>
          <Told>{address}</Told>
        </small>
      )}
    </>
  );
}

/** The state in its first line; under it when the last report came, the nights, and what is wrong with what is sent. */
function Standing({ row }: { readonly row: SiteRow }) {
  const { standing, nights } = row;
  const { state, receivedAt } = standing;
  return (
    <>
      <span class="row">
        <SiteStanding standing={standing} />
        <SilenceFlag flag={row.silenceFlag} bare />
      </span>
      {receivedAt === null ? null : (
        <small class="row">
          {state === "silent" ? null : <Age at={receivedAt} />}
          {nights === undefined ? null : <NightTicks nights={nights} />}
        </small>
      )}
      <SentButRefused standing={standing} />
    </>
  );
}

/** The roll-up of its integrations: the worst state, and how many work of those that are to work. */
function Integrations({ row: { asset, health, lifecycle } }: { readonly row: SiteRow }) {
  if (health === undefined) return <span class="dim">{lifecycle === "retired" ? "–" : "None read"}</span>;
  return (
    <a class="rollup" href={paths.siteIntegrations(asset)}>
      <StateMark state={health.state} />
      <small>{workingWords(health)}</small>
    </a>
  );
}

function Codebase({ row }: { readonly row: SiteRow }) {
  const { asset, codebase, refusedCodebase } = row;
  return (
    <>
      {codebase === undefined ? <span class="nm">No report</span> : linesOf(codebase.codeLines)}
      {codebase === undefined ? null : (
        <small>
          <a href={paths.codebase(asset)}>
            <Day day={codebase.date} />
          </a>
        </small>
      )}
      {refusedCodebase === undefined ? null : (
        <small class="bad">
          <StreakWords streak={refusedCodebase} since={codebase !== undefined} />
        </small>
      )}
    </>
  );
}

function linesOf(lines: number | null): Child {
  return lines === null ? <span class="nm">Not measured</span> : <span>{formatNarrow(lines)}</span>;
}

/** More groups than these stand behind a heading of their own. */
const MOST_GROUPS = 12;

function Filters({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  return (
    <div class="filters">
      <SearchForm
        action={paths.portfolio}
        words="Search sites"
        value={query.q}
        keep={portfolioAddress.search({ ...query, q: "", page: 1 })}
      />
      <Groups view={view} query={query} />
      <span class="row end">
        <a class="btn" href={paths.wall}>
          Wall
        </a>
        <a class="btn" href={paths.newSite}>
          Add site
        </a>
      </span>
    </div>
  );
}

/** The groups that sites are in; nothing where there is none. */
function Groups({ view, query }: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const { groups } = view.counts;
  const { group } = query;
  const isGone = group !== null && !groups.some(({ name }) => name === group);
  const all = isGone ? [...groups, { name: group, sites: 0 }] : groups;
  if (all.length === 0) return null;
  const chips = (
    <Chips
      label="Group"
      choices={all.map(({ name, sites }) => ({
        words: counted(<Told class="cut">{name}</Told>, sites),
        href: portfolioHref({ ...query, page: 1, group: group === name ? null : name }),
        chosen: group === name,
      }))}
    />
  );
  if (all.length <= MOST_GROUPS) return chips;
  return (
    <details class="items" id="groups" open={group !== null}>
      <summary>{formatCount(all.length)} groups</summary>
      {chips}
    </details>
  );
}

function counted(words: Child, count: number): Child {
  return (
    <>
      {words} <b>{formatCount(count)}</b>
    </>
  );
}

/** So many lines say what needs attention; more stand behind a link. */
export const MOST_ENTRIES = 7;

interface PortfolioProps {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  /** The ranking. */
  readonly entries: readonly Entry[];
  /** What is drawn beside an entry, by its cause. */
  readonly pictures: ReadonlyMap<string, Child>;
  readonly serviceAsset: string;
  /** How much of what is set up could be read. */
  readonly coverage: Coverage;
  /** Data sources whose state is not known. */
  readonly unknown: number;
  /** What of the service itself should be watched and is not. */
  readonly unwatched: readonly MonitoringFailure[];
  /** What the rules did not judge. */
  readonly unjudged: Parameters<typeof UnjudgedSites>[0];
  /** Whether no channel sends notices to anybody. */
  readonly isUnheard: boolean;
}

/** What needs somebody now, in one sentence and a line for each cause; then every site, worst first. */
export function PortfolioPage(props: PortfolioProps) {
  const { view, query, entries, coverage, serviceAsset, unwatched, unjudged } = props;
  const sites = view.counts.all;
  if (sites === 0) return <Beginning {...props} />;
  const isWhole = coverage.state === "complete" && props.unknown === 0;
  const sentence = attentionWords(
    entries,
    { ...view.counts, sites: view.counts.grouped, isWhole },
    serviceAsset,
  );
  return (
    <Page title={`${sentence.replace(/[:.].*$/, "")} – Sites`} current="sites">
      <section class="stack tight" id="attention" aria-label="Needs attention">
        <h1 class="lead">
          <Lead sentence={sentence} />
        </h1>
        {coverage.state === "unknown" ? <CoverageCallout coverage={coverage} /> : null}
        <MonitoringNotice failures={unwatched} />
        <UnjudgedSites {...unjudged} />
        <Attention entries={entries} query={query} pictures={props.pictures} />
        {props.isUnheard ? <NobodyNotified /> : null}
      </section>
      <Block
        heading={
          view.paging.total < sites
            ? `${formatCount(view.paging.total)} of ${countOf(sites, "site")}`
            : sites === 1
              ? "Your site"
              : `All ${countOf(sites, "site")}`
        }
        note={query.sort === "worst" ? "worst first" : undefined}
        id="sites"
      >
        <Filters view={view} query={query} />
        <SitesTable view={view} query={query} />
        {view.rows.some(({ sparks }) => sparks !== undefined && Object.keys(sparks).length > 0) ? (
          <p class="note">
            Last 28 days, each row on its own scale. Outlined: may still change. Pale: ignored by rules. Gap:
            no data.
          </p>
        ) : null}
        <Pager paging={view.paging} what="sites" href={(page) => portfolioHref({ ...query, page })} />
      </Block>
      <Own {...props} />
    </Page>
  );
}

/** Of "6 sites need attention: 1 not reporting" the count stands out, and what it is made of is said beside it. */
function Lead({ sentence }: { readonly sentence: string }) {
  const end = sentence.indexOf(":") + 1;
  if (end === 0) return <>{sentence}</>;
  return (
    <>
      <b>{sentence.slice(0, end)}</b>
      {sentence.slice(end)}
    </>
  );
}

const NONE: ReadonlyMap<string, Child> = new Map();

function Attention({
  entries,
  query,
  pictures = NONE,
}: Pick<PortfolioProps, "entries" | "query" | "pictures">) {
  const urgent = entries.filter(({ isPressing }) => isPressing).slice(0, MOST_ENTRIES);
  const persons = entries.filter(({ acts }) => acts === "person");
  const isAll = query.show === "all";
  const lines = isAll ? persons : urgent;
  const more = persons.length - urgent.length;
  return (
    <>
      {lines.length === 0 ? null : <AttentionList entries={lines} pictures={pictures} />}
      <Retrying entries={entries.filter(({ acts }) => acts === "waits")} />
      {more > 0 ? (
        <p>
          <a href={portfolioHref({ ...query, show: isAll ? null : "all" })}>
            {isAll ? "Show the most urgent only" : `Show ${formatCount(more)} more →`}
          </a>
        </p>
      ) : null}
    </>
  );
}

const NobodyNotified = () => (
  <p class="note">
    Nobody is notified. <a href={paths.newChannel}>Add a channel</a>
  </p>
);

/** The service's own site, where there is something to say of it. */
function Own({ view }: Pick<PortfolioProps, "view">) {
  if (view.own === undefined) return null;
  return (
    <Block heading="Tower itself" note="Not one of your sites. Problems with Tower itself appear here.">
      <OwnSite row={view.own} />
    </Block>
  );
}

/** Before there is a site. */
function Beginning(props: PortfolioProps) {
  return (
    <Page title="Sites" current="sites">
      <h1 class="lead">No sites yet</h1>
      {props.coverage.state === "unknown" ? <CoverageCallout coverage={props.coverage} /> : null}
      <MonitoringNotice failures={props.unwatched} />
      <Empty alone heading="Add the first site">
        <p>You'll get a token and one command. Run it, and your site appears here within seconds.</p>
        <a class="btn primary" href={paths.newSite}>
          Add site
        </a>
      </Empty>
      {props.isUnheard ? <NobodyNotified /> : null}
      <Own {...props} />
    </Page>
  );
}
