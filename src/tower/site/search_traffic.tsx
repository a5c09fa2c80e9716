/**
 * The tab Search & traffic (`/sites/{asset}/insights`): what the archived reports of providers say of a site. First the totals and what
 * changed most, then one report at a time, as a table that sorts and searches. Tower keeps the first 100 rows of a report to show; all of
 * them are in the archive.
 */

import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { type InsightReport, siteInsights } from "../../archive/site_insights.ts";
import { parseInstant, utcDayOf } from "../../base/time.ts";
import { listOpenSubjects } from "../../flags/queries.ts";
import { isProvider, PROVIDER_NAMES, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import type { Attachment } from "../../providers/credentials.ts";
import { PROVIDER_ISSUE } from "../../sites/rule_catalogue.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import { patternOf } from "../../store/timetable.ts";
import { formatCount, formatDay } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { changeColumn, List } from "../kit/list.tsx";
import { get, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { CrawlIssues, CrawlStats, Feeds } from "./crawl_stats.tsx";
import { type Comparison, compared, comparisonWords, lastValued, stateAfter } from "./day_words.ts";
import { FAMILY_WORDS, familyWords } from "./family_words.ts";
import { KeyCell, ownHosts } from "./key_cell.tsx";
import { figureText, HALF_WORDS } from "./lanes.ts";
import {
  type InsightQuery,
  type IssueFlag,
  insightAddress,
  type PanelReport,
  type PanelRow,
  type PanelSource,
  panelRows,
  reportHref,
  reportKey,
  reportOf,
  type SitePanels,
} from "./panel_state.ts";
import { SourceLine } from "./provider_line.tsx";
import { WHOLE_SITE } from "./range.ts";
import { ReportPart } from "./report_part.tsx";
import { type Lane, lanesOf } from "./site_days.tsx";
import { readSite, type SiteReadDeps } from "./site_days_read.ts";

const DAY_MS = 86_400_000;
/** A site without an attachment is asked about for as long as an account lists its address: so long after the last attempt it still is. */
const STILL_ASKED_MS = 3 * DAY_MS;

/** The reports of each provider, in the order of their links; the first one that has rows is shown where none is asked for. */
export const REPORTS = {
  "search-console": [
    "query",
    "page",
    "page-query",
    "country",
    "device",
    "search-appearance-pages",
    "image-page-query",
    "discover-page",
    "page-country",
    "page-device",
  ],
  analytics: [
    "traffic-acquisition",
    "traffic-sources",
    "landing-pages",
    "landing-page-acquisition",
    "pages-screens",
    "events",
    "page-events",
    "events-28d",
    "js-errors",
  ],
  "webmaster-tools": ["crawl-issues", "crawl-stats", "rank-traffic", "queries", "pages", "feeds"],
} as const satisfies Readonly<Record<(typeof PROVIDERS)[number], readonly string[]>>;

/** In this order on the page. */
const SHOWN = ["search-console", "analytics", "webmaster-tools"] as const;

export interface PanelDeps {
  readonly db: Db;
  readonly jobs: Pick<Jobs, "entries">;
}

/** What is known of a site before its reports are read. */
interface PanelSite {
  readonly asset: string;
  readonly url: string | null;
  readonly lifecycle: string;
  readonly attachments: readonly Attachment[];
  readonly now: number;
}

/** What is kept of a site's reports, how those stand, and the flags on its crawl issues. */
export function readPanels({ db, jobs }: PanelDeps, site: PanelSite): SitePanels {
  const { asset, url, lifecycle, attachments, now } = site;
  const reports = siteInsights(db, asset, now);
  const source = (provider: Provider): PanelSource => {
    const own = reports.filter(({ family }) => family.provider === provider);
    const attached = attachments.find((attachment) => attachment.provider === provider)?.property;
    return {
      provider,
      property: attached ?? (provider === "webmaster-tools" ? matchedBy(own, now) : undefined),
      reports: own,
    };
  };
  const sources = Object.fromEntries(
    PROVIDERS.map((provider) => [provider, source(provider)]),
  ) as SitePanels["sources"];
  const at = jobs.entries().find(({ name }) => name === ARCHIVE_JOB)?.at;
  const issues = reports.find(({ family }) => family.name === "crawl-issues")?.shown?.insight.issues ?? [];
  return {
    asset,
    hosts: ownHosts([url, ...Object.values(sources).map(({ property }) => property)]),
    isRetired: lifecycle === "retired",
    sources,
    nextRun: at === undefined ? undefined : patternOf(at).next(now),
    issueFlags: issues.length === 0 ? [] : issueFlags(db, asset),
  };
}

/** The property that an account's list matched the site with, while it is asked about. */
function matchedBy(reports: readonly InsightReport[], now: number): string | undefined {
  return reports.find(({ latest }) => latest !== undefined && now - latest.attemptedAt < STILL_ASKED_MS)
    ?.property;
}

function issueFlags(db: Db, asset: string): IssueFlag[] {
  return listOpenSubjects(db, PROVIDER_ISSUE, asset).map(({ id, subject, severity, inputs }) => {
    const first = inputs["first_seen"];
    const at = typeof first === "string" ? parseInstant(first) : undefined;
    return { id, subject, severity, firstSeen: at === undefined ? undefined : utcDayOf(at) };
  });
}

interface TabProps {
  readonly site: SitePanels;
  readonly query: InsightQuery;
  /** The figures that providers give by day. */
  readonly lanes: readonly Lane[];
}

export function SearchTraffic({ site, query, lanes }: TabProps) {
  const all = SHOWN.flatMap((provider) =>
    REPORTS[provider].map((name) => reportOf(site.sources[provider], name)),
  );
  const kept = all.filter(({ shown }) => shown !== undefined);
  const isBare =
    kept.length + lanes.length === 0 &&
    Object.values(site.sources).every(({ property }) => property === undefined);
  if (isBare) return <NothingConnected site={site} />;
  const chosen =
    kept.find(({ family }) => reportKey(family) === query.report) ??
    kept.find(({ shown }) => (shown?.insight.rows ?? 0) > 0);
  return (
    <>
      <div class="halves">
        <Totals lanes={lanes} />
        <Changes site={site} reports={kept} />
      </div>
      <Block
        id="reports"
        heading="Reports"
        tools={
          <>
            <a href={paths.panelsOf(site.asset)}>Search panels</a>
            <a href={paths.archiveOfSite(site.asset)}>Whole reports by date</a>
          </>
        }
      >
        <div class="stack">
          {SHOWN.map((provider) => (
            <div class="stack tight">
              <SourceLine site={site} provider={provider} />
              <ReportLinks
                site={site}
                chosen={chosen}
                reports={kept.filter(({ family }) => family.provider === provider)}
              />
            </div>
          ))}
        </div>
      </Block>
      {chosen === undefined ? null : <Report site={site} query={query} report={chosen} />}
    </>
  );
}

function NothingConnected({ site }: { readonly site: SitePanels }) {
  return (
    <Block id="reports" heading="Reports">
      <Empty heading="No reports yet">
        <p>
          {site.isRetired
            ? "This site is retired: no provider is asked about it."
            : "Once an account is connected, its reports are archived every day at 12:15 UTC and show here."}
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

/** Reports of a provider that have rows as links, and those without any: nothing was counted, which is no gap. */
function ReportLinks(props: {
  readonly site: SitePanels;
  readonly reports: readonly PanelReport[];
  readonly chosen: PanelReport | undefined;
}) {
  const { site, reports, chosen } = props;
  if (reports.length === 0) return null;
  const zeros = reports.filter(({ shown }) => shown?.insight.rows === 0);
  return (
    <>
      <nav
        class="chips"
        aria-label={`Reports of ${PROVIDER_NAMES[reports[0]?.family.provider ?? "analytics"]}`}
      >
        {reports
          .filter((report) => !zeros.includes(report))
          .map((report) => (
            <a
              href={`${reportHref(site.asset, report.family)}#report`}
              aria-current={report === chosen ? "true" : undefined}
            >
              {familyWords(report.family.name).title}{" "}
              <b>{formatCount(report.shown?.insight.among ?? report.shown?.insight.rows ?? 0)}</b>
            </a>
          ))}
      </nav>
      {zeros.length === 0 ? null : (
        <p class="note">
          None counted:{" "}
          {zeros.map((report, place) => (
            <>
              {place === 0 ? null : ", "}
              <a href={paths.archiveReport(report.shown?.manifest ?? 0)}>{inSentence(report)}</a>
            </>
          ))}
        </p>
      )}
    </>
  );
}

const inSentence = ({ family }: PanelReport): string => {
  const { title } = familyWords(family.name);
  return title.charAt(0).toLowerCase() + title.slice(1);
};

function Report({
  site,
  query,
  report,
}: Pick<TabProps, "site" | "query"> & { readonly report: PanelReport }) {
  switch (report.family.name) {
    case "crawl-stats":
      return <CrawlStats report={report} />;
    case "crawl-issues":
      return <CrawlIssues report={report} hosts={site.hosts} flags={site.issueFlags} />;
    case "feeds":
      return <Feeds report={report} hosts={site.hosts} />;
  }
  return <ReportPart report={report} site={site} query={query} />;
}

/** Days that are added up and compared with as many before. */
const PERIOD = 28;

interface Total {
  readonly lane: Lane;
  readonly period: Comparison;
}

/** Each figure that providers give by day: its last final days, and those before. */
function Totals({ lanes }: { readonly lanes: readonly Lane[] }) {
  const totals = lanes.map((lane): Total => {
    const { comparison, days, label, metric } = lane;
    const isNoSum = comparison.outcome === "not_compared" && comparison.reason === "no_sum";
    const period = isNoSum ? comparison : compared(days, PERIOD);
    // Who visits on two days is one visitor: such days have a mean, and no sum.
    if (metric !== "active_users" || period.outcome !== "compared") return { lane, period };
    const daily = { now: Math.round(period.now / PERIOD), before: Math.round(period.before / PERIOD) };
    return { lane: { ...lane, label: `${label} a day` }, period: { ...period, ...daily } };
  });
  return (
    <Block heading="Totals" note={`the last ${PERIOD} final days, and the ${PERIOD} before`}>
      <List
        of="Totals"
        items={totals}
        empty={<p>No daily figures yet.</p>}
        columns={[
          [
            "Figure",
            ({ lane: { half, label, href } }) => (
              <>
                <a href={href}>{label}</a> <small>{HALF_WORDS[half]}</small>
              </>
            ),
          ],
          ["Total", (total) => <Sum {...total} />, { numeric: true }],
          [
            "Before",
            ({ lane, period }) =>
              period.outcome === "compared" ? (
                figureText(lane.unit, period.before)
              ) : (
                <span class="dim">–</span>
              ),
            { numeric: true },
          ],
          changeColumn<Total>("Change", ({ period }) =>
            period.outcome === "compared" ? period : { now: 0, before: null },
          ),
        ]}
      />
    </Block>
  );
}

/** What does not add up, or lacks a day, shows its newest day in place of a sum. */
function Sum({ lane, period }: Total) {
  const { now } = here();
  const { unit, days } = lane;
  if (period.outcome === "compared") {
    return (
      <>
        <b>{figureText(unit, period.now)}</b> <small>to {formatDay(period.to, now)}</small>
      </>
    );
  }
  const last = lastValued(days);
  if (last === undefined || last.value === null) return <span class="dim">No data</span>;
  return (
    <span title={comparisonWords(period, unit, now)}>
      {figureText(unit, last.value)}{" "}
      <small>
        on {formatDay(last.day, now)}
        {stateAfter(last.state)}
      </small>
    </span>
  );
}

/** Reports whose rows a reader knows by name. */
const TELLING: ReadonlySet<string> = new Set([
  "query",
  "page",
  "country",
  "traffic-sources",
  "landing-pages",
  "pages-screens",
  "js-errors",
]);
const MOST_CHANGES = 6;
/** A change within this many square roots of the two counts is what chance makes. */
const LEAST_CHANGE = 3;

interface Changed {
  readonly report: PanelReport;
  readonly row: PanelRow;
  readonly before: number;
  readonly now: number;
}

/** The rows whose leading count changed the most from seven days before, beyond what two counts differ by chance. Pure. */
export function changesOf(reports: readonly PanelReport[]): Changed[] {
  const sizeOf = ({ now, before }: Changed) => Math.abs(now - before) / Math.sqrt(Math.max(1, now + before));
  return reports
    .filter(({ family, isProvisional }) => TELLING.has(family.name) && !isProvisional)
    .flatMap((report) =>
      panelRows(report).flatMap((row): Changed[] => {
        const { lead, earlier } = row;
        if (lead === null || earlier?.told !== "value") return [];
        return [{ report, row, before: earlier.value, now: lead }];
      }),
    )
    .filter((one) => sizeOf(one) >= LEAST_CHANGE)
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .slice(0, MOST_CHANGES);
}

function Changes({ site, reports }: { readonly site: SitePanels; readonly reports: readonly PanelReport[] }) {
  return (
    <Block heading="Biggest changes" note="from seven days before, final days alone">
      <List
        of="Biggest changes"
        items={changesOf(reports)}
        empty={
          <p>
            {reports.some(({ before }) => before !== undefined)
              ? "No row changed by more than chance explains."
              : "No earlier reports to compare yet."}
          </p>
        }
        columns={[
          [
            "What",
            ({ report: { family }, row }) => <KeyCell family={family} keys={row.keys} hosts={site.hosts} />,
            { class: "key" },
          ],
          [
            "Report",
            ({ report: { family } }) => (
              <a href={`${reportHref(site.asset, family)}#report`}>{FAMILY_WORDS[family.name]?.title}</a>
            ),
          ],
          ["Before", ({ before }) => formatCount(before), { numeric: true }],
          ["Now", ({ now }) => <b>{formatCount(now)}</b>, { numeric: true }],
          changeColumn<Changed>("Change", (changed) => changed),
        ]}
      />
    </Block>
  );
}

function InsightsPage(props: TabProps & { readonly head: SiteHead }) {
  return (
    <Page title={siteTitle(props.head, "search and traffic")} current="sites">
      <SiteHeader site={props.head} current="insights" />
      <SearchTraffic {...props} />
    </Page>
  );
}

/** The days of both periods, with those that providers are behind. */
const DAYS_READ = 90;

export function insightRoutes(deps: PageDeps & SiteReadDeps & PanelDeps) {
  return mounted(deps, [
    get(
      paths.siteInsights,
      { query: insightAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, found: head, now }) =>
        wholeOrDamage({ site: head, tab: "insights" }, () => {
          const { attachments, days } = readSite(deps, head, { ...WHOLE_SITE, range: DAYS_READ }, now);
          const site = readPanels(deps, { ...head, attachments, now });
          return (
            <InsightsPage
              head={head}
              site={site}
              query={query}
              lanes={lanesOf(days).filter(({ half }) => isProvider(half))}
            />
          );
        }),
    ),
  ]);
}
