/** `/sites/{asset}/reports`: every report that a site sent, in the order received, and those that were refused. */

import { countWords as countOf } from "../../base/text.ts";
import { listRefused, REPORT_ROUTES, type RefusedReport } from "../../health/refusals.ts";
import {
  countReceived,
  isNearMidnight,
  type LoggedReport,
  listReceived,
  MOST_LOGGED,
} from "../../reports/nights.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { address, oneOf, PAGE } from "../kit/address.tsx";
import { Chips, Go, joined, Told } from "../kit/links.tsx";
import { Block, Empty, List, Pager, type Paging, pagingOf } from "../kit/list.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { faultWords } from "./latest_nightly.tsx";
import { REPORT_PLACES, Superseded } from "./report_page.tsx";
import { type Destination, MIDNIGHT_HINT, NightlyWay } from "./ways.tsx";

const REPORT_KINDS = ["nightly", "codebase"] as const;

/** A kind of report, and the page. */
export const logAddress = address({ kind: oneOf(REPORT_KINDS, null), page: PAGE });

type LogQuery = typeof logAddress.usual;

export function logHref(asset: string, query: Partial<LogQuery>): string {
  return `${paths.reports(asset)}${logAddress.search(query)}`;
}

const LOG_PAGE = 50;

export function reportLogRoutes(deps: PageGround) {
  const { db } = deps;
  return mounted(deps, [
    get(
      paths.reports,
      { query: logAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, found: site }) => {
        const { asset } = site;
        const { kind } = query;
        const paging = pagingOf(countReceived(db, asset, kind), query.page, LOG_PAGE);
        return (
          <LogPage
            site={site}
            query={{ ...query, page: paging.page }}
            reports={listReceived(db, asset, kind, LOG_PAGE, (paging.page - 1) * LOG_PAGE)}
            paging={paging}
            destination={deps.destinationOf(asset)}
            refused={listRefused(db, asset, kind === null ? undefined : REPORT_ROUTES[kind])}
          />
        );
      },
    ),
  ]);
}

interface LogPageProps {
  readonly site: SiteHead;
  readonly query: LogQuery;
  readonly reports: readonly LoggedReport[];
  readonly paging: Paging;
  readonly destination: Destination;
  readonly refused: readonly RefusedReport[];
}

const KIND_WORDS: Readonly<Record<LoggedReport["kind"], string>> = {
  nightly: "Nightly",
  codebase: "Codebase",
};

const isNearMidnightNightly = ({ kind, generatedAt }: LoggedReport) =>
  kind === "nightly" && isNearMidnight(generatedAt);

function LogPage(props: LogPageProps) {
  const { site, query, reports, paging, refused } = props;
  const { asset } = site;
  const times = refused.reduce((sum, { count }) => sum + count, 0);
  return (
    <Page title={siteTitle(site, "reports")} current="sites">
      <SiteHeader site={site} current="overview" />
      <Block
        heading="Reports received"
        note={
          paging.total >= MOST_LOGGED ? `the newest ${formatCount(MOST_LOGGED)}` : formatCount(paging.total)
        }
        tools={times === 0 ? null : <a href="#refused">{formatCount(times)} refused</a>}
      >
        <Chips
          label="Kind"
          choices={([null, ...REPORT_KINDS] as const).map((kind) => ({
            words: kind === null ? "All" : KIND_WORDS[kind],
            href: logHref(asset, { kind }),
            chosen: query.kind === kind,
          }))}
        />
        {reports.some(isNearMidnightNightly) ? (
          <p class="note">Some of these nightly reports were made close to midnight. {MIDNIGHT_HINT}</p>
        ) : null}
        <List
          of="Reports, newest received first"
          items={reports}
          empty={
            query.kind === null ? (
              <Empty heading="No report yet">
                <p>Each report is listed here as it arrives.</p>
                <NightlyWay destination={props.destination} />
              </Empty>
            ) : (
              <Empty heading="No matching reports">
                <p>No report of this kind was received.</p>
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
              (report) => (
                <>
                  <Moment at={report.generatedAt} />
                  {isNearMidnightNightly(report) ? <span class="tag">near midnight</span> : null}
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
                {joined(
                  faults.map((fault) => <Told class="wrap">{faultWords(code, fault)}</Told>),
                  <br />,
                )}
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
