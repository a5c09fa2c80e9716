import { isNearMidnight, type NightlySummary } from "../../pulse/mod.ts";
import type { RefusedReport } from "../../refusals/mod.ts";
import { MOST_LOGGED } from "../../reports/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Empty } from "../component/empty.tsx";
import { TextField } from "../component/field.tsx";
import { Chips } from "../component/links.tsx";
import { Pager, type Paging } from "../component/pager.tsx";
import { Kept } from "../component/search_form.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Day, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { MIDNIGHT_HINT, NightlyWay } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { type Logged, REPORT_KINDS, type ReportKind } from "./log.ts";
import { type LogQuery, logAddress, logHref } from "./log_query.ts";
import { missedText, NightTicks } from "./nights.tsx";
import { countRefused, RefusedBlock } from "./refused.tsx";
import { REPORT_PLACES, Superseded } from "./revision.tsx";

export interface LogPageProps {
  readonly shell: Shell;
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
  const { shell, site, query, reports, paging, summary, refused = [] } = props;
  const whole = query.kind === null && query.from === null && query.to === null;
  return (
    <Page shell={shell} title={siteTitle(site, "reports")} current="sites">
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
          <Log asset={site.asset} reports={reports} now={shell.now} />
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
      <RefusedBlock refused={refused} now={shell.now} />
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

function Log(props: { readonly asset: string; readonly reports: readonly Logged[]; readonly now: number }) {
  const { asset, now } = props;
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
              <Moment at={receivedAt} now={now} />
            </a>
          ),
        },
        { words: "Kind", label: true, cell: ({ kind }) => KIND_WORDS[kind] },
        { words: "Day", label: true, cell: ({ date }) => <Day day={date} now={now} /> },
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
              <Moment at={generatedAt} now={now} />
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
