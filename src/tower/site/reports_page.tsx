/** `/sites/{asset}/reports`: every report that a site sent, in the order received, and those that were refused. */

import { countWords as countOf } from "../../base/text.ts";
import { addDays, type UtcDay, utcDayOf } from "../../base/time.ts";
import { listRefused, REPORT_ROUTES, type RefusedReport } from "../../health/refusals.ts";
import { CODEBASE } from "../../reports/codebase.ts";
import { isNearMidnight, type NightlySummary, nightlySummary, STRIP_NIGHTS } from "../../reports/nights.ts";
import { PULSE } from "../../reports/pulse.ts";
import { type LogFilter, type LoggedReport, MOST_LOGGED, reportLog } from "../../reports/report_log.ts";
import { listFirstNights, listNights } from "../../reports/shown_day.ts";
import type { Db } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { address, DAY, instantsOf, oneOf, PAGE } from "../kit/address.tsx";
import { Kept, TextField } from "../kit/field.tsx";
import { Chips, Go, Told } from "../kit/links.tsx";
import { Block, Empty, List, Pager, type Paging, pagingOf } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type SiteHeadDeps, siteHead } from "../site_head.ts";
import { faultWords, missedText, NightTicks } from "./latest_nightly.tsx";
import { REPORT_PLACES, type ReportKind, Superseded } from "./report_page.tsx";
import { type Destination, MIDNIGHT_HINT, NightlyWay } from "./ways.tsx";

const REPORT_KINDS = ["nightly", "codebase"] as const satisfies readonly ReportKind[];
export type Logged = LoggedReport<ReportKind>;
export type Narrowed = LogFilter<ReportKind>;

export const REPORT_LOG = reportLog<ReportKind>({ nightly: PULSE, codebase: CODEBASE });

/** A kind of report, and the days of receiving, both included. */
export const logAddress = address({ kind: oneOf(REPORT_KINDS, null), from: DAY, to: DAY, page: PAGE });

type LogQuery = typeof logAddress.usual;

export function logHref(asset: string, query: Partial<LogQuery>): string {
  return `${paths.reports(asset)}${logAddress.search(query)}`;
}

const LOG_PAGE = 50;

export function reportLogRoutes(
  deps: PageDeps & SiteHeadDeps & { readonly destinationOf: (asset: string) => Destination },
) {
  const { db } = deps;
  return mounted(deps, [
    get(
      paths.reports,
      { query: logAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, now, found: site }) => {
        const { asset } = site;
        const filter = { asset, kind: query.kind, ...instantsOf(query) };
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
      },
    ),
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

interface LogPageProps {
  readonly site: SiteHead;
  readonly query: LogQuery;
  readonly reports: readonly Logged[];
  readonly paging: Paging;
  readonly summary: Pick<NightlySummary, "nights" | "missed">;
  readonly destination: Destination;
  readonly refused: readonly RefusedReport[];
}

const KIND_WORDS: Readonly<Record<ReportKind, string>> = { nightly: "Nightly", codebase: "Codebase" };

export function LogPage(props: LogPageProps) {
  const { site, query, reports, paging, summary, refused } = props;
  const { asset } = site;
  const isWhole = query.kind === null && query.from === null && query.to === null;
  const times = refused.reduce((sum, { count }) => sum + count, 0);
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
            {times === 0 ? null : <a href="#refused">{formatCount(times)} refused</a>}
          </span>
        }
      >
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
        {reports.some(({ kind, generatedAt }) => kind === "nightly" && isNearMidnight(generatedAt)) ? (
          <Callout tone="stale">
            <p>Some of these nightly reports were made close to midnight. {MIDNIGHT_HINT}</p>
          </Callout>
        ) : null}
        <List
          of="Reports, newest received first"
          items={reports}
          empty={
            isWhole ? (
              <Empty heading="No report yet">
                <p>Each report is listed here as it arrives.</p>
                <NightlyWay destination={props.destination} />
              </Empty>
            ) : (
              <Empty heading="No matching reports">
                <p>No report of this kind was received on these days.</p>
                <Go to={logHref(asset, {})} words="Show all reports" />
              </Empty>
            )
          }
          columns={[
            [
              "Received",
              ({ kind, date, revision, receivedAt }) => (
                <a data-row href={REPORT_PLACES[kind](asset, date, revision)}>
                  <Moment at={receivedAt} />
                </a>
              ),
            ],
            ["Kind", ({ kind }) => KIND_WORDS[kind]],
            ["Day", ({ date }) => <Day day={date} />],
            [
              "Revision",
              // Most days have one report, of which there is nothing to say.
              ({ revision, revisions }) =>
                revisions === 1 ? (
                  "1"
                ) : (
                  <>
                    {formatCount(revision)} of {formatCount(revisions)}{" "}
                    <Superseded superseded={revision !== revisions} />
                  </>
                ),
            ],
            [
              "Made",
              ({ kind, generatedAt }) => (
                <>
                  <Moment at={generatedAt} />
                  {kind === "nightly" && isNearMidnight(generatedAt) ? (
                    <span class="tag">near midnight</span>
                  ) : null}
                </>
              ),
            ],
          ]}
        />
        <Pager paging={paging} what="reports" href={(page) => logHref(asset, { ...query, page })} />
      </Block>
      {times === 0 ? null : <Refused refused={refused} times={times} />}
    </Page>
  );
}

const ROUTE_WORDS: Readonly<Record<string, string>> = {
  [REPORT_ROUTES.nightly]: "Nightly",
  [REPORT_ROUTES.codebase]: "Codebase",
};

/** Every kind of refusal that is kept of a site, the latest first. */
function Refused({ refused, times }: { readonly refused: readonly RefusedReport[]; readonly times: number }) {
  return (
    <Block id="refused" heading="Refused reports" note={formatCount(times)}>
      <List
        of="Refused reports, one row for each reason, the latest first"
        items={refused}
        columns={[
          ["Latest", ({ lastAt }) => <Moment at={lastAt} />],
          ["Kind", ({ route }) => ROUTE_WORDS[route] ?? route],
          [
            "Answer",
            ({ status, code }) => (
              <>
                {status} <span class="dim">{code}</span>
              </>
            ),
          ],
          [
            "Why",
            ({ faults, code, more }) => (
              <>
                {faults.map((fault, place) => (
                  <>
                    {place === 0 ? null : <br />}
                    <Told class="wrap">{faultWords(code, fault)}</Told>
                  </>
                ))}
                {more === 0 ? null : <small> and {countOf(more, "more rule")}</small>}
              </>
            ),
            { class: "all" },
          ],
          ["Times", ({ count }) => formatCount(count), { numeric: true }],
          ["First", ({ firstAt }) => <Moment at={firstAt} />],
        ]}
      />
      <p class="note">
        Nothing of a refused report is stored. The newest reasons of each kind are kept. A report without a
        known token belongs to no site and is not listed.
      </p>
    </Block>
  );
}
