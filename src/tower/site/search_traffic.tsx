/**
 * The tab Search & traffic (`/sites/{asset}/insights`): what the archived reports of providers say of a site. First the totals,
 * then one report at a time, as a table that sorts and searches. Tower keeps the first 100 rows of a report to show; all of
 * them are in the archive.
 */

import type { ArchiveNote } from "../../archive/manifest_row.ts";
import type { KeptReport } from "../../archive/site_insights.ts";
import { capital, countWords as countOf } from "../../base/text.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import { isProvider, PROVIDER_NAMES } from "../../providers/adapter.ts";
import type { TermName } from "../../sites/glossary.ts";
import { issueTypeOf } from "../../sites/rule_catalogue.ts";
import { formatCount, formatDay, formatPercent } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { capabilityId } from "../integrations/acts.tsx";
import type { Child } from "../jsx/jsx-runtime.ts";
import { SearchForm } from "../kit/field.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told, Unseen } from "../kit/links.tsx";
import { Block, type Column, changeColumn, Empty, inOrder, List, Pager, pageOf } from "../kit/list.tsx";
import { DateOf, Moment, Term } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import {
  coverWords,
  dateWords,
  FAMILY_NAMES,
  familyWords,
  figureWords,
  rowsWords,
  weekOf,
} from "./family_words.ts";
import { Address, isAssistantReferral, KeyCell } from "./key_cell.tsx";
import { compared, figureText, HALF_WORDS, WHOLE_SITE } from "./lanes.ts";
import {
  CHANGE,
  type InsightQuery,
  insightAddress,
  NAME,
  type PanelReport,
  type PanelRow,
  type PanelSource,
  panelRows,
  readPanels,
  reportHref,
  reportKey,
  type SitePanels,
} from "./panel_state.ts";
import { type Lane, lanesOf, readSite } from "./site_days.tsx";

/** In this order on the page. */
const SHOWN = ["search-console", "analytics", "webmaster-tools"] as const;

/** The first report that has rows is shown where none is asked for. */
const placeOf = ({ family }: PanelReport): number => FAMILY_NAMES.indexOf(family.name);

interface TabProps {
  readonly site: SitePanels;
  readonly query: InsightQuery;
  /** The figures that providers give by day. */
  readonly lanes: readonly Lane[];
}

export function SearchTraffic({ site, query, lanes }: TabProps) {
  const kept = SHOWN.flatMap((provider) => site.sources[provider].reports)
    .filter(({ shown }) => shown !== undefined)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  const isBare =
    kept.length + lanes.length === 0 &&
    Object.values(site.sources).every(({ property }) => property === undefined);
  if (isBare) return <NothingConnected asset={site.asset} />;
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
              <SourceLine asset={site.asset} source={site.sources[provider]} />
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

function NothingConnected({ asset }: { readonly asset: string }) {
  return (
    <Block id="reports" heading="Reports">
      <Empty heading="No reports yet">
        <p>Once an account is connected, its reports are archived every day at 12:15 UTC and show here.</p>
        <a class="btn" href={paths.siteIntegrations(asset)}>
          Connect an account
        </a>
      </Empty>
    </Block>
  );
}

/** One provider over its reports: whose they are, how far they reach, and how many failed, which Integrations says the reason of. */
function SourceLine({ asset, source }: { readonly asset: string; readonly source: PanelSource }) {
  const { now } = here();
  const { provider, property, reports } = source;
  const failed = reports.filter((report) => report.failed !== undefined);
  const kept = reports
    .flatMap((report) => (report.shown === undefined ? [] : [{ report, insight: report.shown.insight }]))
    .toSorted((one, other) => (one.insight.date < other.insight.date ? 1 : -1));
  const [newest] = kept;
  return (
    <div class="source" id={`insights-${provider}`}>
      <b>{PROVIDER_NAMES[provider]}</b>{" "}
      {newest !== undefined ? (
        <span>
          {dateWords(newest.report, newest.insight.date as UtcDay, now)}, read{" "}
          <Moment at={Math.max(...kept.map(({ insight }) => insight.observedAt))} />
        </span>
      ) : property === undefined ? (
        <a href={paths.siteIntegrations(asset)}>not connected</a>
      ) : (
        <span>no report yet</span>
      )}{" "}
      <Told class="wrap dim">{newest?.report.property ?? property ?? ""}</Told>
      {failed.length === 0 ? null : (
        <a
          class="state"
          data-state="failing"
          href={`${paths.siteIntegrations(asset)}#${capabilityId(`${provider}.archive`)}`}
        >
          <Glyph name="s-failing" />
          {countOf(failed.length, "report")} failed or incomplete
        </a>
      )}
      {reports.map(({ family, leftOut }) =>
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

/** The reports of a provider as links; one without rows is a valid zero. */
function ReportLinks(props: {
  readonly site: SitePanels;
  readonly reports: readonly PanelReport[];
  readonly chosen: PanelReport | undefined;
}) {
  const { site, reports, chosen } = props;
  if (reports.length === 0) return null;
  return (
    <nav
      class="chips"
      aria-label={`Reports of ${PROVIDER_NAMES[reports[0]?.family.provider ?? "analytics"]}`}
    >
      {reports.map((report) => (
        <a
          href={`${reportHref(site.asset, report.family)}#report`}
          aria-current={report === chosen ? "true" : undefined}
        >
          {familyWords(report.family.name).title}{" "}
          <b>{formatCount(report.shown?.insight.among ?? report.shown?.insight.rows ?? 0)}</b>
        </a>
      ))}
    </nav>
  );
}

/** Days that are added up and compared with as many before. */
const PERIOD = 28;

/** Each count that providers give by day: its last final days, and those before. */
function Totals({ lanes }: { readonly lanes: readonly Lane[] }) {
  const totals = lanes.flatMap((lane) => {
    const period = lane.unit === "count" ? compared(lane.days, PERIOD) : undefined;
    if (period === undefined) return [];
    if (lane.metric !== "active_users") return [{ lane, period }];
    // Who visits on two days is one visitor: such days have a mean, and no sum.
    const daily = { now: Math.round(period.now / PERIOD), before: Math.round(period.before / PERIOD) };
    return [{ lane: { ...lane, label: `${lane.label} a day` }, period: { ...period, ...daily } }];
  });

  return (
    <Block heading="Totals" note={`the last ${PERIOD} final days, and the ${PERIOD} before`}>
      <List
        of="Totals"
        items={totals}
        empty={<p>No figure has {2 * PERIOD} final days in a row yet.</p>}
        columns={[
          [
            "Figure",
            ({ lane: { half, label, href } }) => (
              <>
                <a href={href}>{label}</a> <small>{HALF_WORDS[half]}</small>
              </>
            ),
          ],
          [
            "Total",
            ({ period }) => (
              <>
                <b>{figureText("count", period.now)}</b> <small>to {formatDay(period.to)}</small>
              </>
            ),
            { numeric: true },
          ],
          ["Before", ({ period }) => figureText("count", period.before), { numeric: true }],
          changeColumn("Change", ({ period }: (typeof totals)[number]) => period),
        ]}
      />
    </Block>
  );
}

/** The days of both periods, with those that providers are behind. */
const DAYS_READ = 90;

export function insightRoutes(deps: PageGround) {
  return mounted(deps, [
    get(
      paths.siteInsights,
      { query: insightAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, found: head, now }) =>
        wholeOrDamage({ site: head, tab: "insights" }, () => {
          const { attachments, days } = readSite(deps, head, { ...WHOLE_SITE, range: DAYS_READ }, now);
          const site = readPanels(deps.db, { ...head, attachments, now });
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

// One archived report: what it is, of which day and attempt, how much it covers, and the rows that are kept of it.

interface PartProps {
  readonly report: PanelReport;
  readonly site: SitePanels;
  readonly query: InsightQuery;
}

/** Rows on one page of the table. */
const PAGE_ROWS = 25;

/** One report with the rows that are kept of it: searched, sorted and paged as the address says. */
function ReportPart({ report, site, query }: PartProps) {
  const { family, shown } = report;
  if (shown === undefined) return null;
  if (family.name === "crawl-issues") return <CrawlIssues report={report} shown={shown} site={site} />;
  const { title } = familyWords(family.name);
  const kept = panelRows(report);
  const wanted = query.q.toLowerCase();
  const found = kept.filter(({ keys }) => keys.some((key) => key.toLowerCase().includes(wanted)));
  const columns = columnsOf(report, site.hosts);
  // As it is kept: the largest first, or the newest day.
  const isOfDays = family.dimensions.length === 1 && family.dimensions[0] === "date";
  const sort = query.sort === "" && !isOfDays ? (family.metrics[0] ?? "") : query.sort;
  const { items, paging } = pageOf(inOrder(found, columns, query.sort), query.page, PAGE_ROWS);
  const chosen = { ...query, report: reportKey(family) };
  const href = (changes: Partial<InsightQuery>) =>
    `${insightAddress.at(paths.siteInsights(site.asset))({ ...chosen, ...changes })}#report`;
  // Where the rows stand that are not kept to be shown.
  const beyond = (shown.insight.among ?? shown.insight.rows) - kept.length;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      {kept.length < 2 || isOfDays ? null : (
        <SearchForm
          action={paths.siteInsights(site.asset)}
          words={`Search ${title.toLowerCase()}`}
          value={query.q}
          keep={insightAddress.search({ ...chosen, q: "", page: 1 })}
        />
      )}
      <List
        of={title}
        class="figures-of"
        items={items}
        empty={
          kept.length === 0 ? (
            <p>None counted.</p>
          ) : (
            <p>
              None of the {formatCount(kept.length)} rows that are kept holds <Told>{query.q}</Told>.
            </p>
          )
        }
        columns={columns}
        sort={{ by: sort, href: (by) => href({ sort: by, page: 1 }) }}
      />
      <Pager paging={paging} what="rows" href={(page) => href({ page })} />
      {beyond <= 0 ? null : (
        <p class="note">
          The other {formatCount(beyond)} are in <a href={paths.archiveReport(shown.manifest)}>the report</a>.
        </p>
      )}
    </section>
  );
}

/** That a report is provisional stands beside its date. */
const MARKS: Readonly<Record<Exclude<ArchiveNote, "provisional">, readonly [name: TermName, words: string]>> =
  {
    sampled: ["sampled", "sampled"],
    thresholded: ["thresholded", "thresholded"],
    other_row: ["other-row", "rest in one row"],
    top_rows: ["top-rows", "top rows"],
  };

/** What it is called, the day it is of (which leads to where it is from), and what is known of it beside its rows. */
function PartHead(props: { readonly report: PanelReport; readonly shown: KeptReport }) {
  const { now } = here();
  const { report, shown } = props;
  const { family, coverage } = report;
  const { insight, manifest, notes } = shown;
  const week = parseUtcDay(weekOf(family, insight) ?? "");
  // What rows cover would be a claim about the assistants' visits among them, too.
  const hasAssistants = insight.top.some(({ keys }) => isAssistantReferral(family, keys));
  const [before, after] = coverWords(coverage)?.split("rows cover") ?? [];
  return (
    <header>
      <h2>{familyWords(family.name).title}</h2>
      <a class="from" href={paths.archiveReport(manifest)} title="Where these figures are from">
        {dateWords(report, insight.date as UtcDay, now)}
        <Unseen>: where these figures are from</Unseen>
      </a>
      {notes.map((note) =>
        note === "provisional" ? null : (
          <span class="tag">
            <Term name={MARKS[note][0]}>{MARKS[note][1]}</Term>
          </span>
        ),
      )}
      <p class="note">
        {rowsWords(family, insight.among ?? insight.rows)}.{" "}
        {week === undefined ? null : `The week of ${formatDay(week, now)}. `}
        {hasAssistants ? (
          "Assistant referrals are a lower bound."
        ) : after === undefined ? (
          before
        ) : (
          <>
            {before}
            <Term name="coverage">rows cover</Term>
            {after}
          </>
        )}
      </p>
    </header>
  );
}

/** Crawl issues by their type, each with its flag: the provider's own findings, which no rule on figures is mixed with. */
function CrawlIssues(props: {
  readonly report: PanelReport;
  readonly shown: KeptReport;
  readonly site: SitePanels;
}) {
  const { report, shown, site } = props;
  return (
    <section class="block" id="report">
      <PartHead report={report} shown={shown} />
      <List
        of="Crawl issues by type"
        class="columns"
        fold={false}
        items={shown.insight.issues ?? []}
        columns={[
          [
            "Issue",
            ({ type, urls, of }) => (
              <details class="items">
                <summary>{issueTypeOf(type)?.name ?? capital(type.replaceAll("_", " "))}</summary>
                <ul>
                  {urls.map((url) => (
                    <li>
                      <Address address={url} hosts={site.hosts} />
                    </li>
                  ))}
                </ul>
                {of > urls.length ? (
                  <p class="note">{formatCount(of - urls.length)} more are in the report.</p>
                ) : null}
              </details>
            ),
            { class: "key" },
          ],
          ["Addresses", ({ of }) => formatCount(of), { numeric: true }],
          [
            "Flag",
            ({ type }) => {
              const flag = site.issueFlags.find(({ subject }) => subject === type);
              if (flag === undefined) return <span class="dim">none open</span>;
              const { id, severity, firstSeen } = flag;
              return (
                <a class="sev" data-sev={severity} href={paths.flag(id)}>
                  <Glyph name={`f-${severity}`} />
                  <Unseen>{severity}: </Unseen>
                  {firstSeen === undefined ? "View flag" : `since ${formatDay(firstSeen)}`}
                </a>
              );
            },
          ],
        ]}
      />
    </section>
  );
}

function columnsOf(
  { family, before }: PanelReport,
  hosts: readonly string[],
): readonly (Column<PanelRow> | null)[] {
  const [lead = "", ...others] = family.metrics;
  const { beside, row } = familyWords(family.name);
  const figure = (metric: string, unusual: Column<PanelRow>[2]): Column<PanelRow> => [
    figureWords(metric).words,
    ({ figures }) => textOf(metric, figures[metric]),
    { numeric: true, sort: [metric, ({ figures }) => figures[metric]], ...unusual },
  ];
  return [
    [
      capital(row),
      ({ keys }) => <KeyCell family={family} keys={keys} hosts={hosts} />,
      { class: "key", sort: [NAME, ({ keys }) => keys.join(" ")] },
    ],
    figure(lead, { class: "main" }),
    before === undefined
      ? null
      : [
          formatDay(before.insight.date as UtcDay),
          // What is not among the rows that are kept of that report is not known.
          ({ earlier }) => textOf(lead, earlier),
          { numeric: true, class: "before" },
        ],
    before === undefined
      ? null
      : changeColumn<PanelRow>("Change", (row) => ({ now: row.lead, before: row.earlier }), CHANGE),
    ...beside.filter((metric) => others.includes(metric)).map((metric) => figure(metric, { class: "aside" })),
  ];
}

/** A figure as text; a dash where the provider tells none. Below 1 there is no position: it is what a provider writes for none. */
function textOf(metric: string, value: number | null | undefined): Child {
  const { unit } = figureWords(metric);
  if (metric === "last_crawled")
    return typeof value === "number" ? <DateOf at={value} /> : <span class="dim">never</span>;
  const isNone = value === null || value === undefined || (unit === "position" && value < 0);
  if (isNone) return <span class="dim">–</span>;
  return unit === "share" && value >= 0.01 ? formatPercent(value * 100) : figureText(unit, value);
}
