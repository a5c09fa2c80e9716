/** What the columns of a site are headed with; a link where they sort. */

import { dayOfNumber } from "../../base/time.ts";
import { formatCount, formatDay, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { DayBars, newestSettled } from "../kit/day_bars.tsx";
import { Empty } from "../kit/empty.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { OpenAndSnoozed, StreakWords, Told } from "../kit/links.tsx";
import { type Column, List } from "../kit/list.tsx";
import { Age, Day } from "../kit/proof.tsx";
import { SentButRefused, SilenceFlag, SiteStanding } from "../kit/site_state.tsx";
import { paths } from "../paths.ts";
import { NightTicks } from "../site/latest_nightly.tsx";
import {
  type PortfolioQuery,
  type PortfolioView,
  portfolioHref,
  type SiteRow,
  type Sort,
  SPARKS,
  type Spark,
  type SparkName,
  settledValue,
  weekChange,
} from "./portfolio.ts";

/** A settled day that lies further back than this is named: sources settle within days. */
const NAMED_AFTER = 4;

/** The last days of a figure with its newest settled value; nothing where no source tells it. */
export function SparkCell(props: {
  readonly spark: Spark | undefined;
  /** Says which metric it is. */
  readonly named?: boolean;
}) {
  const { now } = here();
  const { spark, named = false } = props;
  if (spark === undefined) return null;
  const { days, metric } = spark;
  const place = newestSettled(days);
  const day = place < 0 ? null : formatDay(dayOfNumber(days.firstDay + place), now);
  return (
    <span class={named ? "pair named" : "pair"}>
      <DayBars days={days} />
      {day === null ? (
        <small title="No day of these is settled yet">open</small>
      ) : (
        <b title={`${day}, settled`}>{formatNarrow(settledValue(spark) ?? 0)}</b>
      )}
      <Change change={weekChange(spark)} />
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
function Change({ change }: { readonly change: number | null }) {
  if (change === null) return <i />;
  const percent = Math.round(change * 100);
  return (
    <i title="The last 7 settled days against the 7 before">
      {percent < 0 ? "−" : percent > 0 ? "+" : ""}
      {formatCount(Math.abs(percent))}%
    </i>
  );
}

/** A heading's words sort by its figure, or by another one that it stands for; "change" by the change of it. */
interface Heading {
  readonly words: Child;
  readonly sorted?: "ascending" | "descending" | undefined;
}
type HeadingOf = (words: string, sort: Sort, other?: Sort) => Heading;

const isChange = (sort: Sort | undefined): sort is Sort => sort?.endsWith("-change") === true;

/** The sites of one page, each with how it stands; most headings sort. */
export function SitesTable(props: { readonly view: PortfolioView; readonly query: PortfolioQuery }) {
  const { view, query } = props;
  const link = (sort: Sort, words: Child) => (
    <a href={portfolioHref({ ...query, sort, page: 1 })} title={SORTED_BY[sort]}>
      {words}
    </a>
  );
  const heading: HeadingOf = (words, sort, other) => ({
    words: (
      <>
        {link(sort, words)}
        {isChange(other) ? <> · {link(other, "change")}</> : null}
      </>
    ),
    sorted:
      query.sort !== sort && query.sort !== other ? undefined : sort === "site" ? "ascending" : "descending",
  });
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

/** The service's own site, in columns of its own. */
export function OwnSite({ row }: { readonly row: SiteRow }) {
  return (
    <List
      class="strips"
      of="Tower's own site"
      items={[row]}
      id={({ asset }) => `site-${asset}`}
      columns={siteColumns([row], (words) => ({ words })).filter(([words]) => words !== "Sources")}
    />
  );
}

const SORTED_BY: Readonly<Record<Sort, string>> = {
  worst: "Sort by what is most urgent",
  site: "Sort by identifier",
  flags: "Sort by open flags",
  integrations: "Sort by the worst integration",
  lines: "Sort by lines of code",
  codebase: "Sort by the latest codebase report",
  nightly: "Sort by the latest nightly report",
  visitors: "Sort by visitors",
  "visitors-change": "Sort by the change of visitors, the greatest first",
  clicks: "Sort by search clicks",
  "clicks-change": "Sort by the change of search clicks, the greatest first",
  first: "Sort by the key metric",
  "first-change": "Sort by the change of the key metric, the greatest first",
};

function NoMatch({ query }: { readonly query: PortfolioQuery }) {
  const { q, state, lifecycle, group, alert } = query;
  const others = [state, lifecycle, group, alert].some((value) => value !== null);
  return (
    <Empty alone heading="No site matches">
      {q === "" ? (
        <p>No site has all of these filters at once.</p>
      ) : (
        <p>
          No identifier or address{others ? " among these" : ""} holds <Told class="wrap">{q}</Told>.
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
    column(heading("Lines of code", "lines", "codebase"), (row) => <Codebase row={row} />, {
      label: "Code",
      numeric: true,
    }),
  ];
}

const SPARK_WORDS: Readonly<Record<SparkName, string>> = {
  visitors: "Visitors, 28 days",
  clicks: "Search clicks",
  first: "Key metric",
};
const SPARK_LABELS: Readonly<Record<SparkName, string>> = {
  visitors: "Visitors",
  clicks: "Clicks",
  first: "First",
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
      <small>
        {health.monitored === 0
          ? "nothing is due"
          : `${formatCount(health.working)} of ${formatCount(health.monitored)} working`}
      </small>
    </a>
  );
}

function Codebase({ row }: { readonly row: SiteRow }) {
  const { asset, codebase, refusedCodebase } = row;
  return (
    <>
      {codebase === null ? <span class="nm">No report</span> : linesOf(codebase.codeLines)}
      {codebase === null ? null : (
        <small>
          <a href={paths.codebase(asset)}>
            <Day day={codebase.date} />
          </a>
        </small>
      )}
      {refusedCodebase === undefined ? null : (
        <small class="bad">
          <StreakWords streak={refusedCodebase} since={codebase !== null} />
        </small>
      )}
    </>
  );
}

function linesOf(lines: number | null): Child {
  return lines === null ? <span class="nm">Not measured</span> : <span>{formatNarrow(lines)}</span>;
}
