import type { Streak } from "../../refusals/mod.ts";
import { Empty } from "../component/empty.tsx";
import { OpenAndSnoozed } from "../component/severity.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { StreakWords } from "../component/streak.tsx";
import { type ColumnOf, DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, Day } from "../component/time.tsx";
import { formatNarrow } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { NightTicks } from "../nightly/nights.tsx";
import { paths } from "../paths.ts";
import type { PortfolioView, SiteRow } from "./list.ts";
import { type PortfolioQuery, portfolioHref, type Sort } from "./query.ts";
import { SparkCell } from "./spark_cell.tsx";
import { SPARKS, type SparkName } from "./sparks.ts";

/** The sites of one page, each with what was last heard of it; most headings sort. */
export function SitesTable(props: {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  readonly now: number;
}) {
  const { view, query, now } = props;
  const sorted = (sort: Sort, words: string): Pick<ColumnOf<SiteRow>, "words" | "sorted"> => ({
    words: (
      <a href={portfolioHref({ ...query, sort, page: 1 })} title={`Sort by ${words.toLowerCase()}`}>
        {words}
      </a>
    ),
    sorted: query.sort !== sort ? undefined : sort === "site" ? "ascending" : "descending",
  });
  return (
    <DataTable
      class="strips"
      fold
      caption={query.sort === "worst" ? "Sites, most urgent flags first, then by identifier" : "Sites"}
      items={view.rows}
      empty={
        <Empty alone heading="No site matches">
          {query.q === "" ? (
            <p>No site has all of these filters at once.</p>
          ) : (
            <p>
              No identifier or address{query.lifecycle === null && query.alert === null ? "" : " among these"}{" "}
              holds <Told class="wrap">{query.q}</Told>.
            </p>
          )}
          <a class="btn" href={paths.portfolio}>
            Show all sites
          </a>
        </Empty>
      }
      id={({ asset }) => `site-${asset}`}
      columns={[
        { ...sorted("site", "Site"), names: true, cell: (row) => <SiteName row={row} /> },
        {
          ...sorted("worst", "Open flags"),
          label: "Flags",
          cell: ({ openFlags, snoozed }) => <OpenAndSnoozed counts={openFlags} snoozed={snoozed} />,
        },
        ...sparkColumns(view.rows, now),
        {
          ...sorted("lines", "Lines of code"),
          label: "Lines",
          numeric: true,
          cell: ({ codebase }) => linesOf(codebase),
        },
        {
          ...sorted("codebase", "Codebase report"),
          label: "Codebase",
          cell: (row) => <LastCodebase row={row} now={now} />,
        },
        {
          ...sorted("nightly", "Nightly report, 14 nights"),
          label: "Nightly",
          cell: (row) => <LastNightly row={row} now={now} />,
        },
      ]}
    />
  );
}

/** A column for each figure that any of these sites has; whose source none has takes no room. */
function sparkColumns(rows: readonly SiteRow[], now: number): ColumnOf<SiteRow>[] {
  return SPARKS.filter((name) => rows.some(({ sparks }) => sparks?.[name] !== undefined)).map((name) => ({
    words: SPARK_WORDS[name],
    label: SPARK_LABELS[name],
    class: "days",
    cell: ({ sparks }) => <SparkCell spark={sparks?.[name]} named={name === "first"} now={now} />,
  }));
}

const SPARK_WORDS: Readonly<Record<SparkName, string>> = {
  visitors: "Visitors, 28 days",
  clicks: "Search clicks",
  first: "First metric",
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
      {row.lifecycle === "live" ? null : <small class="dim">{LIFECYCLE_WORDS[row.lifecycle]}</small>}
    </>
  );
}

function linesOf(codebase: SiteRow["codebase"]): Child {
  if (codebase === null) return <span class="dim">–</span>;
  return codebase.codeLines === null ? (
    <span class="nm">Not measured</span>
  ) : (
    formatNarrow(codebase.codeLines)
  );
}

function LastCodebase({ row, now }: { readonly row: SiteRow; readonly now: number }) {
  const { asset, codebase } = row;
  return (
    <>
      {codebase === null ? (
        <span class="nm">No report</span>
      ) : (
        <a href={paths.codebase(asset)}>
          <Day day={codebase.date} now={now} />
        </a>
      )}
      <Refused streak={row.refused?.codebase} since={codebase !== null} />
    </>
  );
}

function LastNightly({ row, now }: { readonly row: SiteRow; readonly now: number }) {
  return (
    <>
      {row.nightlyAt === null ? (
        <span class="nm">No report</span>
      ) : (
        <span class="row nowrap">
          <Age at={row.nightlyAt} now={now} />
          {row.nights === undefined ? null : <NightTicks nights={row.nights} />}
        </span>
      )}
      <Refused streak={row.refused?.nightly} since={row.nightlyAt !== null} />
    </>
  );
}

function Refused({ streak, since }: { readonly streak: Streak | undefined; readonly since: boolean }) {
  if (streak === undefined) return null;
  return (
    <small class="bad">
      <StreakWords streak={streak} since={since} />
    </small>
  );
}
