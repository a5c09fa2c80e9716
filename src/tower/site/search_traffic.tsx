/**
 * The tab Search & traffic (`/sites/{asset}/insights`): what the archived reports of providers say of a site. First the totals,
 * then one report at a time, as a table that sorts and searches. Tower keeps the first 100 rows of a report to show; all of
 * them are in the archive.
 */

import type { UtcDay } from "../../base/time.ts";
import { isProvider, PROVIDER_NAMES } from "../../providers/adapter.ts";
import { countOf, formatCount, formatDay } from "../format.ts";
import { capabilityId } from "../integrations/acts.tsx";
import type { PageDeps } from "../keyboard.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Block, changeColumn, Empty, List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { type Comparison, compared } from "./day_words.ts";
import { dateWords, FAMILY_NAMES, familyWords } from "./family_words.ts";
import { figureText, HALF_WORDS } from "./lanes.ts";
import {
  type InsightQuery,
  insightAddress,
  type PanelReport,
  type PanelSource,
  readPanels,
  reportHref,
  reportKey,
  type SitePanels,
} from "./panel_state.ts";
import { WHOLE_SITE } from "./range.ts";
import { ReportPart } from "./report_part.tsx";
import { type Lane, lanesOf } from "./site_days.tsx";
import { readSite, type SiteReadDeps } from "./site_days_read.ts";

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

interface Total {
  readonly lane: Lane;
  readonly period: Comparison;
}

/** Each count that providers give by day: its last final days, and those before. */
function Totals({ lanes }: { readonly lanes: readonly Lane[] }) {
  const totals = lanes.flatMap((lane): Total[] => {
    const period = lane.unit === "count" ? compared(lane.days, PERIOD) : undefined;
    if (period === undefined) return [];
    if (lane.metric !== "active_users") return [{ lane, period }];
    // Who visits on two days is one visitor: such days have a mean, and no sum.
    const daily = { now: Math.round(period.now / PERIOD), before: Math.round(period.before / PERIOD) };
    return [{ lane: { ...lane, label: `${lane.label} a day` }, period: { ...period, ...daily } }];
  });
  const { now } = here();
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
                <b>{figureText("count", period.now)}</b> <small>to {formatDay(period.to, now)}</small>
              </>
            ),
            { numeric: true },
          ],
          ["Before", ({ period }) => figureText("count", period.before), { numeric: true }],
          changeColumn<Total>("Change", ({ period }) => period),
        ]}
      />
    </Block>
  );
}

/** The days of both periods, with those that providers are behind. */
const DAYS_READ = 90;

export function insightRoutes(deps: PageDeps & SiteReadDeps) {
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
