/** The four panels of a site: what its archived reports tell, each of its own date. */

import type { UtcDay } from "../../base/time.ts";
import type { Provider } from "../../providers/adapter.ts";
import type { ReportFamily } from "../../providers/report_families.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { DataTable } from "../kit/links.tsx";
import { DateOf } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { CrawlIssues, CrawlStats } from "./crawl_stats.tsx";
import { dateWords, familyWords } from "./family_words.ts";
import { Address, CutText } from "./key_cell.tsx";
import { type PanelReport, reportOf, type SitePanels } from "./panel_state.ts";
import { SourceLine } from "./provider_line.tsx";
import { PartHead, partId, ReportPart, type ROWS } from "./report_part.tsx";

/** The feeds that a provider knows of a site. */

/** Feeds with how they were read last. */
function Feeds(props: { readonly report: PanelReport; readonly hosts: readonly string[] }) {
  const { report, hosts } = props;
  const { shown, family } = report;
  if (shown === undefined) return null;
  const place = (metric: string) => family.metrics.indexOf(metric);
  const [crawled, urls] = [place("last_crawled"), place("url_count")];
  return (
    <section class="part" id={partId(family)}>
      <PartHead report={report} shown={shown} />

      <DataTable
        caption="Feeds"
        class="columns"
        items={shown.insight.top}
        columns={[
          {
            words: "Feed",
            names: true,
            class: "key",
            cell: ({ keys: [url = "", type = ""] }) => (
              <>
                <Address address={url} hosts={hosts} />
                {type === "" ? null : (
                  <small>
                    <CutText text={type} />
                  </small>
                )}
              </>
            ),
          },
          {
            words: "State",
            cell: ({ keys: [, , status = ""] }) =>
              status === "" ? <span class="dim">none told</span> : <CutText text={status} />,
          },
          {
            words: "Last read",
            cell: ({ values }) => <LastRead at={values[crawled] ?? null} />,
          },
          {
            words: "Addresses",
            numeric: true,
            cell: ({ values }) => {
              const value = values[urls] ?? null;
              return value === null ? <span class="dim">–</span> : formatCount(value);
            },
          },
        ]}
      />
    </section>
  );
}

function LastRead({ at }: { readonly at: number | null }) {
  return at === null ? <span class="dim">never</span> : <DateOf at={at} />;
}

/** Which reports a panel shows, and in which order. Every family stands in one panel. */

type PanelName = "Search" | "Pages" | "Traffic" | "Crawl";

/** A report family by its names. */
interface Shown {
  readonly provider: Provider;
  readonly family: string;
}

interface PanelShape {
  readonly heading: PanelName;
  readonly sources: readonly Provider[];
  /** Reports that the overview shows, in columns where there is room for two. */
  readonly columns: readonly (readonly Shown[])[];
  /** Those that the page of all reports shows after them. */
  readonly more: readonly Shown[];
}

const of =
  (provider: Provider) =>
  (...families: readonly string[]): readonly Shown[] =>
    families.map((family) => ({ provider, family }));
const searched = of("search-console");
const visited = of("analytics");
const crawled = of("webmaster-tools");

export const PANELS: readonly PanelShape[] = [
  {
    heading: "Search",
    sources: ["search-console"],
    columns: [
      searched("query", "image-page-query"),
      searched("device", "country", "search-appearance-pages"),
    ],
    more: searched("page-query"),
  },
  {
    heading: "Pages",
    sources: ["search-console", "analytics"],
    columns: [[...searched("page"), ...searched("discover-page")], visited("pages-screens", "landing-pages")],
    more: [...searched("page-country", "page-device"), ...visited("page-events")],
  },
  {
    heading: "Traffic",
    sources: ["analytics"],
    columns: [visited("traffic-acquisition", "events"), visited("traffic-sources", "js-errors")],
    more: visited("landing-page-acquisition", "events-28d"),
  },
  {
    heading: "Crawl",
    sources: ["webmaster-tools"],
    columns: [crawled("crawl-stats", "feeds"), crawled("crawl-issues", "queries", "pages")],
    more: crawled("rank-traffic"),
  },
];

const OVERVIEW = new Set(
  PANELS.flatMap(({ columns }) => columns.flat().map(({ provider, family }) => `${provider} ${family}`)),
);

/** Whether the overview of a site shows rows of a report. */
export const isOnOverview = ({ provider, name }: Pick<ReportFamily, "provider" | "name">): boolean =>
  OVERVIEW.has(`${provider} ${name}`);

/** Reports of which more rows are seen at once than of others. */
const LEADING: ReadonlySet<string> = new Set([
  "query",
  "page",
  "pages-screens",
  "traffic-acquisition",
  "traffic-sources",
  "js-errors",
]);

/** Reports whose rows are all parts of one whole, shown as one bar. */
const SHARES: ReadonlySet<string> = new Set(["device", "traffic-acquisition"]);

interface PanelProps {
  readonly site: SitePanels;
  /** Every report with every row that is kept; else the first ones of those that lead. */
  readonly isWhole?: boolean;
}

/** All four; one place that says so where nothing is connected. */
export function SitePanelsView(props: PanelProps) {
  const { site } = props;
  const isBare = Object.values(site.sources).every(
    ({ property, reports }) => property === undefined && reports.every(({ shown }) => shown === undefined),
  );
  if (isBare) return <NothingConnected site={site} />;
  return (
    <>
      {PANELS.map((panel) => (
        <Panel {...props} {...panel} />
      ))}
    </>
  );
}

function NothingConnected({ site }: { readonly site: SitePanels }) {
  return (
    <Block id="insights" heading="Search, pages, traffic and crawl">
      <Empty heading="Nothing is archived of this site">
        <p>
          {site.isRetired
            ? "This site is retired: no provider is asked about it."
            : "With an account connected, its reports are archived every day at 12:15 UTC, and their first rows stand here."}
        </p>
        {site.isRetired ? null : (
          <a class="btn" href={`${paths.siteSettings(site.asset)}#sources`}>
            Connect an account
          </a>
        )}
      </Empty>
    </Block>
  );
}

/** One panel: whose reports they are and how they stand, then the reports, and links to those that stand on their own page. */
function Panel(
  props: PanelProps & {
    readonly heading: PanelName;
    readonly sources: readonly Provider[];
    readonly columns: readonly (readonly Shown[])[];
    readonly more: readonly Shown[];
  },
) {
  const { site, heading, sources, columns, more, isWhole = false } = props;
  const rowsOf = ({ provider, family }: Shown) =>
    reportOf(site.sources[provider], family).shown?.insight.rows;
  const hasRows = (shown: Shown) => (rowsOf(shown) ?? 0) > 0;
  const shownIn = columns.map((column) => column.filter(hasRows)).filter(({ length }) => length > 0);
  // What would be one column stands in two.
  const filled = shownIn.length === 1 ? shownIn.flat().map((shown) => [shown]) : shownIn;
  const besides = more.filter(hasRows);
  const all = [...columns.flat(), ...more];
  const isTried = all.some(
    ({ provider, family }) => reportOf(site.sources[provider], family).latest !== undefined,
  );
  return (
    <Block
      id={`insights-${heading.toLowerCase()}`}
      heading={heading}
      tools={isTried ? <a href={paths.archiveOfSite(site.asset)}>Archive of this site</a> : undefined}
    >
      {sources.map((provider) => (
        <SourceLine
          site={site}
          provider={provider}
          families={all.flatMap((shown) => (shown.provider === provider ? [shown.family] : []))}
        />
      ))}
      {filled.length === 0 ? null : (
        <div class="parts">
          {filled.map((column) => (
            <div class="stack">
              {column.map((shown) => (
                <Part {...props} shown={shown} />
              ))}
            </div>
          ))}
          {isWhole ? besides.map((shown) => <Part {...props} shown={shown} />) : null}
        </div>
      )}
      <Zeros {...props} reports={all.filter((shown) => rowsOf(shown) === 0)} />
      {isWhole ? null : <More asset={site.asset} more={besides} />}
    </Block>
  );
}

function Part({ site, isWhole = false, shown }: PanelProps & { readonly shown: Shown }) {
  const { hosts, issueFlags } = site;
  const report = reportOf(site.sources[shown.provider], shown.family);
  switch (shown.family) {
    case "crawl-stats":
      return <CrawlStats report={report} isWhole={isWhole} />;
    case "crawl-issues":
      return <CrawlIssues report={report} hosts={hosts} flags={issueFlags} isWhole={isWhole} />;
    case "feeds":
      return <Feeds report={report} hosts={hosts} />;
  }
  const rows: keyof typeof ROWS = isWhole ? "all" : LEADING.has(shown.family) ? "leading" : "short";
  return <ReportPart report={report} hosts={hosts} rows={rows} asShares={SHARES.has(shown.family)} />;
}

/** Reports that came without rows: nothing was counted, which is no gap. */
function Zeros({ site, reports }: PanelProps & { readonly reports: readonly Shown[] }) {
  const { now } = here();
  if (reports.length === 0) return null;
  return (
    <p class="note besides">
      None counted:{" "}
      {reports.map(({ provider, family }, place) => {
        const report = reportOf(site.sources[provider], family);
        if (report.shown === undefined) return null;
        const { insight, manifest } = report.shown;
        const { title } = familyWords(family);
        return (
          <>
            {place === 0 ? null : "; "}
            <a href={paths.archiveReport(manifest)} title="The report came, and has no rows">
              {title.charAt(0).toLowerCase() + title.slice(1)},{" "}
              {dateWords(report, insight.date as UtcDay, now)}
            </a>
          </>
        );
      })}
    </p>
  );
}

/** Reports that stand on the page of all of them: their titles are said, so that nobody has to look what is there. */
function More({ asset, more }: { readonly asset: string; readonly more: readonly Shown[] }) {
  if (more.length === 0) return null;
  return (
    <p class="note besides">
      Also kept:{" "}
      {more.map((shown, place) => {
        const { title } = familyWords(shown.family);
        return (
          <>
            {place === 0 ? null : ", "}
            <a
              href={`${paths.siteInsights(asset)}#${partId({ provider: shown.provider, name: shown.family })}`}
            >
              {title.charAt(0).toLowerCase() + title.slice(1)}
            </a>
          </>
        );
      })}
    </p>
  );
}
