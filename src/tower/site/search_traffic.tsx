/**
 * The tab Search & traffic (`/sites/{asset}/insights`): what the archived reports of providers say of a site. First the totals,
 * then one report at a time, as a table that sorts and searches. Tower keeps the first 100 rows of a report to show; all of
 * them are in the archive.
 */

import { dayOfNumber, type UtcDay } from "../../base/time.ts";
import { isProvider, PROVIDER_NAMES, type PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { countOf, formatCount, formatDay } from "../format.ts";
import { capabilityId } from "../integrations/acts.tsx";
import type { PageDeps } from "../keyboard.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Block, changeColumn, Empty, List } from "../kit/list.tsx";
import { Moment, Term } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { type Comparison, compared, comparisonWords, lastValued, stateAfter } from "./day_words.ts";
import { dateWords, familyWords } from "./family_words.ts";
import { figureText, HALF_WORDS } from "./lanes.ts";
import {
  type InsightQuery,
  insightAddress,
  type PanelDeps,
  type PanelReport,
  type PanelSource,
  readPanels,
  reportHref,
  reportKey,
  reportOf,
  type SitePanels,
} from "./panel_state.ts";
import { WHOLE_SITE } from "./range.ts";
import { ReportPart } from "./report_part.tsx";
import { type Lane, lanesOf } from "./site_days.tsx";
import { readSite, type SiteReadDeps } from "./site_days_read.ts";

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
      <Totals lanes={lanes} />
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
      {chosen === undefined ? null : <ReportPart site={site} query={query} report={chosen} />}
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
          <a class="btn" href={paths.siteIntegrations(site.asset)}>
            Connect an account
          </a>
        )}
      </Empty>
    </Block>
  );
}

/** One provider over its reports: whose they are, how far they reach, and how many failed, which Integrations says the reason of. */
function SourceLine({ site, provider }: { readonly site: SitePanels; readonly provider: Provider }) {
  const source = site.sources[provider];
  const failed = source.reports.filter((report) => report.failed !== undefined);
  return (
    <div class="source" id={`insights-${provider}`}>
      <b>{PROVIDER_NAMES[provider]}</b> <Reach site={site} source={source} isFailing={failed.length > 0} />{" "}
      {source.property === undefined ? null : <Told class="wrap dim">{source.property}</Told>}
      {failed.length === 0 ? null : (
        <a
          class="state"
          data-state="failing"
          href={`${paths.siteIntegrations(site.asset)}#${capabilityId(`${provider}.archive`)}`}
        >
          <Glyph name="s-failing" />
          {countOf(failed.length, "report")} failed or incomplete
        </a>
      )}
      {source.reports.map(({ family, leftOut }) =>
        leftOut === undefined ? null : (
          <span class="whole">
            {familyWords(family.name).title} are left out:{" "}
            {leftOut.reason === "parameter_unregistered"
              ? "the property has not registered the parameters of its error events as custom dimensions."
              : "the property is not set up for them."}
          </span>
        ),
      )}
    </div>
  );
}

/** To which day the reports reach and when they were read; or why there are none, and what comes next. */
function Reach(props: {
  readonly site: SitePanels;
  readonly source: PanelSource;
  /** Something keeps its reports from coming, which is said beside this: no next run is promised to bring them. */
  readonly isFailing: boolean;
}) {
  const { now } = here();
  const { site, source, isFailing } = props;
  const { property, reports, provider } = source;
  const { isRetired, nextRun } = site;
  const kept = reports.flatMap((report) =>
    report.shown === undefined ? [] : [{ report, insight: report.shown.insight }],
  );
  const [newest] = kept.toSorted((one, other) => (one.insight.date < other.insight.date ? 1 : -1));
  const attach = isRetired ? null : (
    <>
      : <a href={paths.siteIntegrations(site.asset)}>attach a property</a>
    </>
  );
  const behind = reports.flatMap(({ latest }) => (latest?.outcome === "source_lag" ? [latest.date] : []));
  // Nothing is wrong with a provider that has no final figures of a day yet.
  const lag =
    behind.length === 0 ? null : (
      <>
        ; <Term name="source-lag">no final figures</Term> of{" "}
        {formatDay(dayOfNumber(Math.max(...behind)), now)} yet
      </>
    );
  if (newest === undefined) {
    if (property === undefined) return <span>not connected{attach}</span>;
    const isTried = reports.some(({ latest }) => latest !== undefined);
    return (
      <span>
        {isTried ? "no report to show yet" : "nothing archived yet"}
        {isTried ? lag : null}
        {isRetired ? (
          ". This site is retired: its reports are not requested"
        ) : isFailing || nextRun === undefined ? null : (
          <>
            . The next run, on <Moment at={nextRun} />, brings{" "}
            {provider === "webmaster-tools" ? "what the provider holds then" : "the last four completed days"}
          </>
        )}
      </span>
    );
  }
  const [date = "", after] = dateWords(newest.report, newest.insight.date as UtcDay, now).split(
    "provisional",
  );
  const { property: own } = newest.report;
  return (
    <>
      <span>
        {date}
        {after === undefined ? null : <Term name="provisional">provisional</Term>}
        {after}, read <Moment at={Math.max(...kept.map(({ insight }) => insight.observedAt))} />
        {lag}
      </span>
      {isRetired ? (
        <span>This site is retired: its reports are not requested any more</span>
      ) : property === undefined ? (
        <span>no longer connected{attach}</span>
      ) : own !== undefined && own !== property ? (
        <span>
          of <Told class="wrap">{own}</Told>, which was attached before
        </span>
      ) : null}
    </>
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
            <Page title={siteTitle(head, "search and traffic")} current="sites">
              <SiteHeader site={head} current="insights" />
              <SearchTraffic
                site={site}
                query={query}
                lanes={lanesOf(days).filter(({ half }) => isProvider(half))}
              />
            </Page>
          );
        }),
    ),
  ]);
}
