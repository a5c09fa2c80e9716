/** The four panels of a site: what its archived reports tell, each of its own date. */
import type { UtcDay } from "../../lib/utc_day.ts";
import type { Provider } from "../../provider/contract.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { paths } from "../paths.ts";
import { CrawlIssues } from "./crawl_issues.tsx";
import { CrawlStats } from "./crawl_stats.tsx";
import { familyWords } from "./family_words.ts";
import { Feeds } from "./feeds.tsx";
import { reportOf, type SitePanels } from "./panel_report.ts";
import { SourceLine } from "./panel_source.tsx";
import { partId, ReportPart, type ROWS } from "./report_part.tsx";
import { dateWords } from "./report_words.ts";
import { LEADING, PANELS, type PanelName, SHARES, type Shown } from "./shown.ts";

interface PanelProps {
  readonly site: SitePanels;
  readonly now: number;
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
  const { site, now, heading, sources, columns, more, isWhole = false } = props;
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
          now={now}
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

function Part({ site, now, isWhole = false, shown }: PanelProps & { readonly shown: Shown }) {
  const { hosts, issueFlags } = site;
  const report = reportOf(site.sources[shown.provider], shown.family);
  switch (shown.family) {
    case "crawl-stats":
      return <CrawlStats report={report} now={now} isWhole={isWhole} />;
    case "crawl-issues":
      return <CrawlIssues report={report} hosts={hosts} flags={issueFlags} now={now} isWhole={isWhole} />;
    case "feeds":
      return <Feeds report={report} hosts={hosts} now={now} />;
  }
  const rows: keyof typeof ROWS = isWhole ? "all" : LEADING.has(shown.family) ? "leading" : "short";
  return (
    <ReportPart report={report} hosts={hosts} rows={rows} asShares={SHARES.has(shown.family)} now={now} />
  );
}

/** Reports that came without rows: nothing was counted, which is no gap. */
function Zeros({ site, now, reports }: PanelProps & { readonly reports: readonly Shown[] }) {
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
