import { addDays, type UtcDay, utcDayOf } from "../../base/time.ts";
import { REPORT_ROUTES, type RefusedReport } from "../../health/refusals.ts";
import { listRefused } from "../../health/refusals_store.ts";
import { reportView } from "../../reports/codebase_view.ts";
import { type CodebaseReport, MEASURE_KEYS, type Measures } from "../../reports/measures.ts";
import { isNearMidnight, type NightlySummary, nightlySummary, STRIP_NIGHTS } from "../../reports/nights.ts";
import type { Pulse } from "../../reports/pulse_contract.ts";
import { type PulseDifference, pulseDifference } from "../../reports/pulse_difference.ts";
import { MOST_LOGGED } from "../../reports/report_log.ts";
import { listFirstNights, listNights } from "../../reports/shown_day.ts";
import type { Db } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { TextField } from "../kit/field.tsx";
import { Chips, DataTable } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Pager, type Paging, pagingOf } from "../kit/pager.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { get, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { Kept } from "../kit/search_form.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { both, mapped, Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { countRefused, missedText, NightTicks, RefusedBlock } from "./latest_nightly.tsx";
import { REPORT_PLACES, ReportPage, Superseded } from "./report_page.tsx";
import {
  CODEBASE,
  type Kept as KeptOfOneReport,
  type Logged,
  type LogQuery,
  logAddress,
  logFilter,
  logHref,
  type NamedReport,
  NIGHTLY,
  oneReport,
  REPORT_KINDS,
  REPORT_LOG,
  type ReportKind,
  type Revision,
  sentText,
} from "./reports.ts";
import { type Destination, MIDNIGHT_HINT, NightlyWay } from "./ways.tsx";

interface LogPageProps {
  readonly site: SiteHead;
  readonly query: LogQuery;
  readonly reports: readonly Logged[];
  readonly paging: Paging;
  readonly summary: Pick<NightlySummary, "nights" | "missed">;
  readonly destination: Destination;
  readonly refused?: readonly RefusedReport[];
}

const KIND_WORDS: Readonly<Record<ReportKind, string>> = { nightly: "Nightly", codebase: "Codebase" };

/** Every report a site sent, in the order received. */
export function LogPage(props: LogPageProps) {
  const { site, query, reports, paging, summary, refused = [] } = props;
  const whole = query.kind === null && query.from === null && query.to === null;
  return (
    <Page title={siteTitle(site, "reports")} current="sites">
      <SiteHeader site={site} current="overview" />
      <Block
        heading="Reports received"
        note={
          paging.total >= MOST_LOGGED ? `the newest ${formatCount(MOST_LOGGED)}` : formatCount(paging.total)
        }
        tools={
          <span class="row">
            <NightTicks nights={summary.nights} />
            {missedText(summary)}
            {refused.length === 0 ? null : (
              <a href="#refused">{formatCount(countRefused(refused))} refused</a>
            )}
          </span>
        }
      >
        <Filters asset={site.asset} query={query} />
        {reports.some(({ kind, generatedAt }) => kind === "nightly" && isNearMidnight(generatedAt)) ? (
          <Callout tone="stale">
            <p>Some of these nightly reports were made close to midnight. {MIDNIGHT_HINT}</p>
          </Callout>
        ) : null}
        {reports.length > 0 ? (
          <Log asset={site.asset} reports={reports} />
        ) : whole ? (
          <Empty heading="No report yet">
            <p>Every report of this site is listed here as it arrives, with each revision of its day.</p>
            <NightlyWay destination={props.destination} />
          </Empty>
        ) : (
          <Empty heading="No report fits">
            <p>No report of this kind was received on these days.</p>
            <a class="btn" href={logHref(site.asset, {})}>
              Show all reports
            </a>
          </Empty>
        )}
        <Pager paging={paging} what="reports" href={(page) => logHref(site.asset, { ...query, page })} />
      </Block>
      <RefusedBlock refused={refused} />
    </Page>
  );
}

function Filters({ asset, query }: { readonly asset: string; readonly query: LogQuery }) {
  return (
    <div class="filters">
      <Chips
        label="Kind"
        choices={([null, ...REPORT_KINDS] as const).map((kind) => ({
          words: kind === null ? "All" : KIND_WORDS[kind],
          href: logHref(asset, { ...query, kind, page: 1 }),
          chosen: query.kind === kind,
        }))}
      />
      <form method="get" action={paths.reports(asset)} class="inline">
        <Kept search={logAddress.search({ kind: query.kind })} />
        <TextField name="from" label="Received from" type="date" value={query.from ?? ""} />
        <TextField name="to" label="to" type="date" value={query.to ?? ""} />
        <button class="btn">Filter</button>
      </form>
    </div>
  );
}

function Log(props: { readonly asset: string; readonly reports: readonly Logged[] }) {
  const { asset } = props;
  return (
    <DataTable
      fold
      caption="Reports, newest received first"
      items={props.reports}
      columns={[
        {
          words: "Received",
          names: true,
          cell: ({ kind, date, revision, receivedAt }) => (
            <a data-row href={REPORT_PLACES[kind](asset, date, revision)}>
              <Moment at={receivedAt} />
            </a>
          ),
        },
        { words: "Kind", label: true, cell: ({ kind }) => KIND_WORDS[kind] },
        { words: "Day", label: true, cell: ({ date }) => <Day day={date} /> },
        {
          words: "Revision",
          label: true,
          // Most days have one report, of which there is nothing to say.
          cell: ({ revision, revisions }) =>
            revisions === 1 ? (
              "1"
            ) : (
              <>
                {formatCount(revision)} of {formatCount(revisions)}{" "}
                <Superseded superseded={revision !== revisions} />
              </>
            ),
        },
        {
          words: "Made",
          label: true,
          cell: ({ kind, generatedAt }) => (
            <>
              <Moment at={generatedAt} />
              {kind === "nightly" && isNearMidnight(generatedAt) ? (
                <span class="tag">near midnight</span>
              ) : null}
            </>
          ),
        },
      ]}
    />
  );
}

/** Reports on one page of the log. */

const LOG_PAGE = 50;

/** `/sites/{asset}/reports`, and one report below it: `/{date}/{revision}`, `/codebase/{date}/{revision}`. */
export function nightlyRoutes(
  deps: PageDeps & SiteHeadDeps & { readonly destinationOf: (asset: string) => Destination },
) {
  const { db } = deps;
  const find = ({ asset }: { readonly asset: string }, at: MomentOfRoute) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.reports, { query: logAddress, find }, ({ query, now, found: site }) => {
      const { asset } = site;
      const filter = logFilter(asset, query);
      const paging = pagingOf(REPORT_LOG.count(db, filter), query.page, LOG_PAGE);
      return (
        <LogPage
          site={site}
          query={{ ...query, page: paging.page }}
          reports={REPORT_LOG.list(db, filter, LOG_PAGE, (paging.page - 1) * LOG_PAGE)}
          paging={paging}
          summary={summaryOf(db, site, now)}
          destination={deps.destinationOf(asset)}
          refused={listRefused(db, asset, query.kind === null ? undefined : REPORT_ROUTES[query.kind])}
        />
      );
    }),
    get(paths.nightlyReport, { find }, ({ params, found: site }) => {
      const one = oneReport(db, NIGHTLY, params);
      const report = mapped(one.body, pulseOf);
      return (
        <ReportPage
          site={site}
          one={one}
          says={mapped(report, (report) => ({ kind: "nightly", report }) as const)}
          difference={
            one.before === undefined
              ? null
              : both(mapped(one.before.body, pulseOf), report, (before, after) =>
                  pulseDifference(before, after),
                )
          }
        />
      );
    }),
    get(paths.codebaseReport, { find }, ({ params, found: site }) => {
      const one = oneReport(db, CODEBASE, params);
      const { row, before } = one;
      return (
        <ReportPage
          site={site}
          one={one}
          says={mapped(one.body, (body) => {
            const report = JSON.parse(body) as CodebaseReport;
            return { kind: "codebase", view: reportView(row, report) } as const;
          })}
          difference={
            before === undefined
              ? null
              : { ok: true, value: measuresDifference(before.row.measures, row.measures) }
          }
        />
      );
    }),
    get(paths.nightlyJson, { find }, ({ params }) => download(db, NIGHTLY, params)),
    get(paths.codebaseJson, { find }, ({ params }) => download(db, CODEBASE, params)),
  ]);
}

/** The nights of a site before its log: which came, and which did not. */
function summaryOf(db: Db, { asset, lifecycle }: SiteHead, now: number): NightlySummary {
  const since = addDays(utcDayOf(now), -STRIP_NIGHTS);
  return nightlySummary({
    received: listNights(db, [asset], since).get(asset) ?? new Set<UtcDay>(),
    first: listFirstNights(db, [asset]).get(asset),
    live: lifecycle === "live",
    latest: undefined,
    families: [],
    now,
  });
}

/** A report as a file. Its name holds nothing but what an address may. */
function download<Row extends Revision>(db: Db, kept: KeptOfOneReport<Row>, named: NamedReport): Response {
  const text = sentText(db, kept, named);
  const name = `${named.asset}-${kept.kind}-${named.date}-revision-${named.revision}.json`;
  return new Response(text, {
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "private, no-cache",
    },
  });
}

function pulseOf(body: string): Pulse {
  return JSON.parse(body) as Pulse;
}

/** Measures of two codebase reports that differ; an absent one is unmeasured, not 0. */
function measuresDifference(before: Measures, after: Measures): PulseDifference {
  const named = MEASURE_KEYS.filter((key) => before[key] !== undefined || after[key] !== undefined);
  const changed = named.filter((key) => before[key] !== after[key]);
  const none = { added: [], removed: [] };
  return {
    metrics: changed.map((name) => ({ name, before: before[name], after: after[name] })),
    pages: [],
    capabilities: none,
    flags: none,
    unchanged: named.length - changed.length,
  };
}
