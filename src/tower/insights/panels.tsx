/** The four panels of a site: what its archived reports tell, each of its own date. */
import type { Provider } from "../../provider/contract.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { CrawlIssues, CrawlStats, Feeds } from "./crawl_part.tsx";
import { familyWords } from "./family_words.ts";
import { type PanelReport, reportOf, type SitePanels } from "./panel_report.ts";
import { SourceLine } from "./panel_source.tsx";
import { ReportPart } from "./report_part.tsx";

interface PanelProps {
  readonly site: SitePanels;
  readonly now: number;
}

/** All four; one place that says so where nothing is connected. */
export function SitePanelsView(props: PanelProps) {
  const { site } = props;
  const sources = Object.values(site.sources);
  const isBare = sources.every(
    ({ property, reports }) => property === undefined && reports.every(({ shown }) => shown === undefined),
  );
  if (isBare) return <NothingConnected site={site} />;
  return (
    <>
      <Search {...props} />
      <Pages {...props} />
      <Traffic {...props} />
      <Crawl {...props} />
    </>
  );
}

function NothingConnected({ site }: { readonly site: SitePanels }) {
  return (
    <Block id="search" heading="Search, pages, traffic and crawl">
      <Empty heading="No report to archive">
        <p>
          {site.isRetired
            ? "This site is retired: no provider is asked about it."
            : "With an account connected, the reports of the last four completed days are archived every day at 12:15 UTC, and their first rows stand here."}
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

/** Families of a panel by provider: those that are seen at once, and those that open. */
interface Shows {
  readonly provider: Provider;
  readonly open: readonly string[];
  readonly more: readonly string[];
}

const SEARCH: Shows = {
  provider: "search-console",
  open: ["query", "device", "country"],
  more: ["page-query", "search-appearance-pages", "image-page-query"],
};
const SEARCH_PAGES: Shows = {
  provider: "search-console",
  open: ["page"],
  more: ["discover-page", "page-country", "page-device"],
};
const VIEWED_PAGES: Shows = {
  provider: "analytics",
  open: ["pages-screens", "landing-pages"],
  more: ["page-events"],
};
const TRAFFIC: Shows = {
  provider: "analytics",
  open: ["traffic-acquisition", "traffic-sources", "events", "js-errors"],
  more: ["landing-page-acquisition", "events-28d"],
};
const CRAWL: Shows = {
  provider: "webmaster-tools",
  open: ["crawl-stats", "crawl-issues", "feeds", "queries", "pages"],
  more: ["rank-traffic"],
};

/** Every family stands in one panel. */
export const SHOWN: readonly Shows[] = [SEARCH, SEARCH_PAGES, VIEWED_PAGES, TRAFFIC, CRAWL];

function Search(props: PanelProps) {
  const part = partsOf(props, SEARCH);
  return (
    <Panel {...props} heading="Search" sources={[SEARCH]}>
      {part("query")}
      <div class="stack">
        {part("device", true)}
        {part("country")}
      </div>
    </Panel>
  );
}

function Pages(props: PanelProps) {
  const [searched, viewed] = [partsOf(props, SEARCH_PAGES), partsOf(props, VIEWED_PAGES)];
  return (
    <Panel {...props} heading="Pages" sources={[SEARCH_PAGES, VIEWED_PAGES]}>
      {searched("page")}
      {viewed("pages-screens")}
      {viewed("landing-pages")}
    </Panel>
  );
}

function Traffic(props: PanelProps) {
  const part = partsOf(props, TRAFFIC);
  return (
    <Panel {...props} heading="Traffic" sources={[TRAFFIC]}>
      {part("traffic-acquisition", true)}
      {part("traffic-sources")}
      {part("events")}
      {part("js-errors")}
    </Panel>
  );
}

function Crawl(props: PanelProps) {
  const { site, now } = props;
  const { hosts, issueFlags } = site;
  const report = (name: string) => reportOf(site.sources["webmaster-tools"], name);
  const part = partsOf(props, CRAWL);
  return (
    <Panel {...props} heading="Crawl" sources={[CRAWL]}>
      <CrawlStats report={report("crawl-stats")} hosts={hosts} now={now} />
      <CrawlIssues report={report("crawl-issues")} hosts={hosts} flags={issueFlags} now={now} />
      <Feeds report={report("feeds")} hosts={hosts} now={now} />
      {part("queries")}
      {part("pages")}
    </Panel>
  );
}

type Part = (name: string, asShares?: boolean) => Child;

function partsOf({ site, now }: PanelProps, { provider }: Shows): Part {
  return (name, asShares = false) => (
    <ReportPart
      report={reportOf(site.sources[provider], name)}
      hosts={site.hosts}
      asShares={asShares}
      now={now}
    />
  );
}

/** One panel: whose reports they are and how they stand, the parts that are seen at once, and the others behind a summary. */
function Panel(
  props: PanelProps & {
    readonly heading: string;
    readonly sources: readonly Shows[];
    readonly children: Child;
  },
) {
  const { site, now, heading, sources } = props;
  const shows = (names: readonly string[], provider: Provider) =>
    names.map((name) => reportOf(site.sources[provider], name)).filter(({ shown }) => shown !== undefined);
  const isShown = sources.some(({ open, provider }) => shows(open, provider).length > 0);
  return (
    <Block
      id={`insights-${heading.toLowerCase()}`}
      heading={heading}
      tools={isShown ? <a href={paths.archiveOfSite(site.asset)}>Its reports</a> : undefined}
    >
      {sources.map(({ provider, open, more }) => (
        <SourceLine site={site} provider={provider} families={[...open, ...more]} now={now} />
      ))}
      {isShown ? <div class="parts">{props.children}</div> : null}
      {sources.map(({ provider, more }) => (
        <More {...props} provider={provider} reports={shows(more, provider)} />
      ))}
    </Block>
  );
}

/** Reports that open: their titles are said, so that nobody has to look what is there. */
function More(props: PanelProps & { readonly provider: Provider; readonly reports: readonly PanelReport[] }) {
  const { site, now, reports } = props;
  if (reports.length === 0) return null;
  const [first = "", ...others] = reports.map(({ family }) => familyWords(family.name).title);
  const titles = [first, ...others.map((title) => title.charAt(0).toLowerCase() + title.slice(1))];
  return (
    <details class="items more" id={`more-${reports[0]?.family.provider}-${reports[0]?.family.name}`}>
      <summary>{titles.join(", ")}</summary>
      <div class="parts">
        {reports.map((report) => (
          <ReportPart report={report} hosts={site.hosts} now={now} />
        ))}
      </div>
    </details>
  );
}
