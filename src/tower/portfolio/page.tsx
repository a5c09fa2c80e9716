import { LIFECYCLES } from "../../assets/contract.ts";
import type { MonitoringFailure } from "../../monitoring/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { Empty } from "../component/empty.tsx";
import { Pager } from "../component/pager.tsx";
import { SEVERITIES, SeverityMark, SeverityTally } from "../component/severity.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { Cell, type Column, Row, RowHead, Table } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, Day } from "../component/time.tsx";
import { ConstantsNotice } from "../constants/notice.tsx";
import { countOf, formatCount, formatNarrow } from "../format.ts";
import { Page } from "../layout.tsx";
import { NightTicks } from "../nightly/nights.tsx";
import { StreakWords } from "../nightly/refused.tsx";
import { UnjudgedSites } from "../nightly/unjudged.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import type { PortfolioView, SiteRow } from "./list.ts";
import { EVERYTHING, type PortfolioQuery, portfolioHref, type Sort } from "./query.ts";

export interface PortfolioProps {
  readonly view: PortfolioView;
  readonly query: PortfolioQuery;
  readonly now: number;
  /** What is wrong with the constants document, if anything is. */
  readonly constants?: MonitoringFailure | undefined;
  /** What the rules did not judge. */
  readonly unjudged?: Omit<Parameters<typeof UnjudgedSites>[0], "now"> | undefined;
}

/** The portfolio: every site with what was last heard from it. */
export function PortfolioPage({
  shell,
  view,
  query,
  constants,
  unjudged,
  onlyOwn = false,
}: {
  readonly shell: Shell;
  /** The service's own site is all there is: nothing is monitored yet. */
  readonly onlyOwn?: boolean;
} & Omit<PortfolioProps, "now">) {
  const begins = view.counts.all === 0 || onlyOwn;
  return (
    <Page shell={shell} title="Sites" current="sites">
      <div class="head">
        <div>
          <h1>Sites</h1>
          <p>{begins ? "No site is monitored yet." : summaryOf(view)}</p>
        </div>
        {begins ? null : (
          <div class="row">
            <a class="btn primary" href={paths.newSite}>
              Add a site
            </a>
          </div>
        )}
      </div>
      {begins ? <FirstSite /> : null}
      {view.counts.all === 0 ? null : (
        <Sites view={view} query={query} now={shell.now} constants={constants} unjudged={unjudged} />
      )}
    </Page>
  );
}

function FirstSite() {
  return (
    <Empty heading="Add the first site">
      <p>
        You get one token and one command. The site's first report shows up here within seconds of sending it.
      </p>
      <a class="btn primary" href={paths.newSite}>
        Add a site
      </a>
    </Empty>
  );
}

function summaryOf(view: PortfolioView): string {
  const { all, openAlerts, alerted } = view.counts;
  const open =
    openAlerts === 0
      ? "No alert is open"
      : `${countOf(openAlerts, "alert")} ${openAlerts === 1 ? "is" : "are"} open on ${countOf(alerted, "site")}`;
  return `${countOf(all, "site")}. ${open}.`;
}

/** The list with its filters: the part that refreshes every minute. */
export function Sites({ view, query, now, constants, unjudged }: PortfolioProps) {
  return (
    <section
      id="sites"
      class="stack tight"
      aria-label="Sites"
      hx-get={portfolioHref(query)}
      hx-trigger="tick:60 from:body"
      hx-select="#sites"
      hx-swap="outerMorph"
    >
      <ConstantsNotice failure={constants} now={now} />
      {unjudged === undefined ? null : <UnjudgedSites {...unjudged} now={now} />}
      <Filters view={view} query={query} />
      {view.rows.length === 0 ? (
        <Empty heading="No site matches">
          <p>No site has all of these filters at once.</p>
          <a class="btn" href={paths.portfolio}>
            Show all sites
          </a>
        </Empty>
      ) : (
        <SitesTable view={view} query={query} now={now} />
      )}
      <Pager paging={view.paging} what="sites" href={(page) => portfolioHref({ ...query, page })} />
    </section>
  );
}

function Filters({ view, query }: Pick<PortfolioProps, "view" | "query">) {
  const { counts } = view;
  const plain = query.lifecycle === null && query.alert === null && query.q === "";
  const link = (change: Partial<PortfolioQuery>): string => portfolioHref({ ...query, page: 1, ...change });
  return (
    <div class="filters">
      <nav class="chips" aria-label="Filter">
        <a
          href={portfolioHref({ ...EVERYTHING, sort: query.sort })}
          aria-current={plain ? "true" : undefined}
        >
          All <b>{formatCount(counts.all)}</b>
        </a>
        {SEVERITIES.filter((severity) => counts.alert[severity] > 0 || query.alert === severity).map(
          (severity) => (
            <a
              href={link({ alert: query.alert === severity ? null : severity })}
              aria-current={query.alert === severity ? "true" : undefined}
            >
              <SeverityMark severity={severity} /> <b>{formatCount(counts.alert[severity])}</b>
            </a>
          ),
        )}
        {LIFECYCLES.filter((name) => counts.lifecycle[name] > 0 || query.lifecycle === name).map((name) => (
          <a
            href={link({ lifecycle: query.lifecycle === name ? null : name })}
            aria-current={query.lifecycle === name ? "true" : undefined}
          >
            {LIFECYCLE_WORDS[name]} <b>{formatCount(counts.lifecycle[name])}</b>
          </a>
        ))}
      </nav>
      <form method="get" action={paths.portfolio} class="search" role="search">
        <label class="vh" for="q">
          Identifier or address
        </label>
        <input
          id="q"
          name="q"
          type="search"
          value={query.q}
          placeholder="Identifier or address"
          autocomplete="off"
        />
        {query.lifecycle === null ? null : <input type="hidden" name="lifecycle" value={query.lifecycle} />}
        {query.alert === null ? null : <input type="hidden" name="alert" value={query.alert} />}
        {query.sort === "worst" ? null : <input type="hidden" name="sort" value={query.sort} />}
        <button class="btn">Filter</button>
      </form>
    </div>
  );
}

function SitesTable({ view, query, now }: PortfolioProps) {
  const sorted = (sort: Sort, words: string, numeric = false): Column => ({
    words: (
      <a href={portfolioHref({ ...query, sort, page: 1 })} title={`Sort by ${words.toLowerCase()}`}>
        {words}
      </a>
    ),
    numeric,
    sorted: query.sort !== sort ? undefined : sort === "site" ? "ascending" : "descending",
  });
  return (
    <Table
      class="strips"
      fold
      caption={query.sort === "worst" ? "Sites, most urgent alerts first, then by identifier" : "Sites"}
      columns={[
        sorted("site", "Site"),
        { words: "Lifecycle" },
        sorted("worst", "Open alerts"),
        sorted("lines", "Lines of code", true),
        sorted("codebase", "Codebase report"),
        sorted("nightly", "Nightly report, 14 nights"),
      ]}
    >
      {view.rows.map((row) => (
        <Site row={row} now={now} />
      ))}
    </Table>
  );
}

function Site({ row, now }: { readonly row: SiteRow; readonly now: number }) {
  const { codebase } = row;
  return (
    <Row id={`site-${row.asset}`}>
      <RowHead>
        <a data-row href={paths.site(row.asset)} title={row.asset}>
          {row.asset}
        </a>
        {row.url === null ? null : (
          <small>
            <Told>{row.url.replace(/^https?:\/\//i, "").replace(/\/$/, "")}</Told>
          </small>
        )}
      </RowHead>
      <Cell class="dim">{LIFECYCLE_WORDS[row.lifecycle]}</Cell>
      <Cell label="Alerts">
        <SeverityTally counts={row.openAlerts} />
      </Cell>
      <Cell numeric label="Lines">
        {codebase === null ? (
          <span class="dim">–</span>
        ) : codebase.codeLines === null ? (
          <span class="nm">Not measured</span>
        ) : (
          formatNarrow(codebase.codeLines)
        )}
      </Cell>
      <Cell label="Codebase">
        {codebase === null ? (
          <span class="nm">No report</span>
        ) : (
          <a href={paths.codebase(row.asset)}>
            <Day day={codebase.date} now={now} />
          </a>
        )}
        <Refused streak={row.refused?.codebase} since={codebase !== null} />
      </Cell>
      <Cell label="Nightly">
        {row.nightlyAt === null ? (
          <span class="nm">No report</span>
        ) : (
          <span class="row nowrap">
            <Age at={row.nightlyAt} now={now} />
            {row.nights === undefined ? null : <NightTicks nights={row.nights} />}
          </span>
        )}
        <Refused streak={row.refused?.nightly} since={row.nightlyAt !== null} />
      </Cell>
    </Row>
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
