import { isNearMidnight, type NightlySummary } from "../../pulse/mod.ts";
import type { RefusedReport } from "../../refusals/mod.ts";
import { MOST_LOGGED } from "../../reports/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Empty } from "../component/empty.tsx";
import { TextField } from "../component/field.tsx";
import { Pager, type Paging } from "../component/pager.tsx";
import { type SiteHead, SiteHeader } from "../component/site_header.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Day, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { MIDNIGHT_HINT, NightlyWay } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import type { Logged, ReportKind } from "./log.ts";
import { type LogQuery, logHref, WHOLE_LOG } from "./log_query.ts";
import { missedText, NightTicks } from "./nights.tsx";
import { countRefused, RefusedBlock } from "./refused.tsx";

export interface LogPageProps {
  readonly shell: Shell;
  readonly site: SiteHead;
  readonly query: LogQuery;
  readonly reports: readonly Logged[];
  readonly paging: Paging;
  readonly summary: Pick<NightlySummary, "nights" | "missed" | "latest">;
  readonly destination: Destination;
  readonly refused?: readonly RefusedReport[];
}

const KIND_WORDS: Readonly<Record<ReportKind, string>> = { nightly: "Nightly", codebase: "Codebase" };

/** Every report a site sent, in the order received. */
export function LogPage(props: LogPageProps) {
  const { shell, site, query, reports, paging, summary, refused = [] } = props;
  const whole = query.kind === null && query.from === null && query.to === null;
  return (
    <Page shell={shell} title={`${site.asset}, reports`} current="sites">
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
            <a class="btn" href={logHref(site.asset, WHOLE_LOG)}>
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
  const kinds: readonly (ReportKind | null)[] = [null, "nightly", "codebase"];
  return (
    <div class="filters">
      <nav class="chips" aria-label="Kind">
        {kinds.map((kind) => (
          <a
            href={logHref(asset, { ...query, kind, page: 1 })}
            aria-current={query.kind === kind ? "true" : undefined}
          >
            {kind === null ? "All" : KIND_WORDS[kind]}
          </a>
        ))}
      </nav>
      <form method="get" action={paths.reports(asset)} class="inline">
        {query.kind === null ? null : <input type="hidden" name="kind" value={query.kind} />}
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
    <Table
      fold
      caption="Reports, newest received first"
      columns={[
        { words: "Received" },
        { words: "Kind" },
        { words: "Day" },
        { words: "Revision" },
        { words: "Made" },
        { words: "Size", numeric: true },
      ]}
    >
      {props.reports.map((report) => {
        const { kind, date, revision, revisions, receivedAt, generatedAt, size } = report;
        const href = kind === "nightly" ? paths.nightlyReport : paths.codebaseReport;
        return (
          <Row>
            <RowHead>
              <a data-row href={href(asset, date, revision)}>
                <Moment at={receivedAt} now={now} />
              </a>
            </RowHead>
            <Cell label="Kind">{KIND_WORDS[kind]}</Cell>
            <Cell label="Day">
              <Day day={date} now={now} />
            </Cell>
            <Cell label="Revision">
              {formatCount(revision)} of {formatCount(revisions)}{" "}
              {revision === revisions ? (
                <span class="tag">current</span>
              ) : (
                <span class="dim">superseded</span>
              )}
            </Cell>
            <Cell label="Made">
              <Moment at={generatedAt} now={now} />
              {kind === "nightly" && isNearMidnight(generatedAt) ? (
                <span class="tag">near midnight</span>
              ) : null}
            </Cell>
            <Cell numeric label="Size">
              {formatCount(Math.max(1, Math.round(size / 1024)))} KiB
            </Cell>
          </Row>
        );
      })}
    </Table>
  );
}
