/**
 * `/sites/{asset}/reports/{date}/{revision}` and `/sites/{asset}/reports/codebase/{date}/{revision}`: one report as it was sent and what
 * became of it. Its row is read first, so that a body that cannot be read hides nothing else.
 */

import { orNotFound } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { parseUtcDay, type UtcDay } from "../../base/time.ts";
import { findReport, findReportBody, listReports, type StoredReport } from "../../reports/codebase.ts";
import { type ReportView, reportView } from "../../reports/codebase_view.ts";
import type { CodebaseReport } from "../../reports/measures.ts";
import { isNearMidnight, type ReportKindName } from "../../reports/nights.ts";
import {
  findPulseBody,
  findPulseRow,
  listRevisions,
  type Pulse,
  type PulseRow,
} from "../../reports/pulse.ts";
import type { Ignored, ReportRow } from "../../reports/reports.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDay, formatNarrow } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Code, joined, SeverityMark, ShortName, Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Day, type Fact, Facts, Moment } from "../kit/proof.tsx";
import { get, type Moment as MomentOfRoute, mounted } from "../kit/route.ts";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { DamageNote, Page, readWhole } from "../layout.tsx";
import { paths } from "../paths.ts";
import { fileAnswer } from "../session.ts";
import { siteHead } from "../site_head.ts";
import { commitOf, Dismissed, FigureTable, Findings, MeasuredWith } from "./codebase_parts.tsx";
import { figureText, unitOf } from "./lanes.ts";
import { MIDNIGHT_HINT } from "./ways.tsx";

/** Where one report of a kind is read, and where it is downloaded as JSON. */
export const REPORT_PLACES = { nightly: paths.nightlyReport, codebase: paths.codebaseReport };
const JSON_PLACES = { nightly: paths.nightlyJson, codebase: paths.codebaseJson };

/** Most revisions of a day that are listed. */
const MOST_REVISIONS = 100;
/** Rows of a list on the page; the download has all. */
const MOST_ROWS = 200;

/** A revision of a day, as its row says it. */
interface Revision extends Pick<ReportRow, "date" | "revision" | "receivedAt" | "generatedAt"> {
  /** What of it was not stored; null where the row says of nothing. */
  readonly ignored: Ignored | null;
}

/** How the reports of a kind are read and shown. */
interface Stored<Row extends Revision> {
  readonly kind: ReportKindName;
  row(db: Db, asset: string, date: UtcDay, revision: number): Row | undefined;
  /** The newest revisions of a day, newest first: the first of them is the current one. */
  day(db: Db, asset: string, date: UtcDay): readonly Row[];
  body(db: Db, row: Row): string;
  /** What a body says: a fact beside those of its row, and all else. */
  says(body: string, row: Row): { readonly fact: Fact; readonly shown: Child };
}

const NONE = <span class="nm">Not sent</span>;

const NIGHTLY: Stored<PulseRow> = {
  kind: "nightly",
  row: findPulseRow,
  day: (db, asset, date) => listRevisions(db, asset, date, MOST_REVISIONS),
  body: findPulseBody,
  says: (body) => {
    const report = JSON.parse(body) as Pulse;
    const { capabilities } = report;
    const named =
      capabilities?.length === 0 ? "none" : <Told class="mono wrap">{capabilities?.join(", ") ?? ""}</Told>;
    return {
      fact: ["Capabilities", capabilities === undefined ? NONE : named],
      shown: <SentPulse report={report} />,
    };
  },
};

const CODEBASE: Stored<StoredReport> = {
  kind: "codebase",
  row: findReport,
  day: (db, asset, date) =>
    listReports(db, { asset, from: date, to: date, allRevisions: true }, MOST_REVISIONS),
  body: findReportBody,
  says: (body, row) => {
    const view = reportView(row, JSON.parse(body) as CodebaseReport);
    return { fact: ["Commit", commitOf(view.repository) ?? NONE], shown: <SentCodebase view={view} /> };
  },
};

/** What an address names of a site's reports. */
interface NamedReport {
  readonly asset: string;
  readonly date: string;
  readonly revision: string;
}

export function reportRoutes(deps: PageGround) {
  const { db } = deps;
  const find = ({ asset }: { readonly asset: string }, at: MomentOfRoute) => siteHead(deps, asset, at);
  return mounted(deps, [
    get(paths.nightlyReport, { find }, ({ params, found }) => reportPage(db, NIGHTLY, params, found)),
    get(paths.codebaseReport, { find }, ({ params, found }) => reportPage(db, CODEBASE, params, found)),
    get(paths.nightlyJson, { find }, ({ params }) => download(db, NIGHTLY, params)),
    get(paths.codebaseJson, { find }, ({ params }) => download(db, CODEBASE, params)),
  ]);
}

/** The row that an address names. Throws a `Problem` where it names none. */
function rowOf<Row extends Revision>(db: Db, stored: Stored<Row>, { asset, ...named }: NamedReport): Row {
  const date = parseUtcDay(named.date);
  const isNamed = date !== undefined && /^[1-9]\d{0,8}$/.test(named.revision);
  return orNotFound(
    isNamed ? stored.row(db, asset, date, Number(named.revision)) : undefined,
    "No such report.",
  );
}

/** What was sent as a file, byte for byte as it is kept. */
function download<Row extends Revision>(db: Db, stored: Stored<Row>, named: NamedReport): Response {
  const text = stored.body(db, rowOf(db, stored, named));
  const name = `${named.asset}-${stored.kind}-${named.date}-revision-${named.revision}.json`;
  return fileAnswer(name, "application/json; charset=utf-8", text);
}

function reportPage<Row extends Revision>(db: Db, stored: Stored<Row>, named: NamedReport, site: SiteHead) {
  const { kind } = stored;
  const { asset } = site;
  const row = rowOf(db, stored, named);
  const { date, revision, ignored } = row;
  const says = readWhole(() => stored.says(stored.body(db, row), row));
  return (
    <Page title={siteTitle(site, `${kind} report of ${formatDay(date)}`)} current="sites">
      <SiteHeader site={site} current={kind === "nightly" ? "overview" : "codebase"} />
      <p class="crumb">
        <a href={paths.reports(asset)}>Reports</a> / {kind}, <Day day={date} />, revision {revision}
      </p>
      {says.ok ? null : <DamageNote what="What this report says" damage={says.damage} />}
      <Block
        heading={`${kind === "nightly" ? "Nightly" : "Codebase"} report`}
        tools={<a href={JSON_PLACES[kind](asset, date, revision)}>Download JSON</a>}
      >
        <Facts
          facts={[
            ["Received", <Moment at={row.receivedAt} />],
            ["Made", <Moment at={row.generatedAt} />],
            ["Ignored", ignored === null ? null : <IgnoredWords ignored={ignored} />],
            ...(says.ok ? [says.value.fact] : []),
          ]}
        />
        {kind === "nightly" && isNearMidnight(row.generatedAt) ? (
          <p class="note">Made within 30 minutes of midnight. {MIDNIGHT_HINT}</p>
        ) : null}
      </Block>
      {says.ok ? says.value.shown : null}
      <Revisions kind={kind} asset={asset} row={row} revisions={stored.day(db, asset, date)} />
    </Page>
  );
}

/** Whether a later revision took a report's place. */
export function Superseded({ superseded }: { readonly superseded: boolean }) {
  return superseded ? <span class="dim">superseded</span> : <span class="tag">current</span>;
}

/** What of a report was not stored as it was sent. */
function IgnoredWords({ ignored: { pointers, more } }: { readonly ignored: Ignored }) {
  return (
    <>
      {joined(pointers.map((pointer) => <Code>{pointer}</Code>))}
      {more === 0 ? null : ` and ${formatCount(more)} more`}
      <small class="block-sm">Unknown fields are not stored. A milestone is always info.</small>
    </>
  );
}

/** A figure of a metric in its unit, or that none was sent. */
function sent(metric: string, figure: number | undefined): Child {
  return figure === undefined ? NONE : figureText(unitOf(SENT, metric), figure);
}

function SentPulse({ report }: { readonly report: Pulse }) {
  const metrics = Object.entries(report.metrics).sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <>
      <Block heading="Metrics" note={countOf(metrics.length, "metric")}>
        <List
          of="Metrics of the report"
          items={metrics}
          empty={<p>The report holds no metric.</p>}
          columns={[
            ["Metric", ([name]) => <Told>{name}</Told>, { class: "mono wrap" }],
            ["Last 24 h", ([name, { last24h }]) => sent(name, last24h), { numeric: true }],
            ["Total", ([name, { total }]) => sent(name, total), { numeric: true }],
            [
              "Sender's 7-day average (diagnostic)",
              ([name, { avg7d }]) => sent(name, avg7d),
              { label: "Sender's 7-day average", numeric: true, class: "dim" },
            ],
          ]}
        />
      </Block>
      <SentPages pages={report.negativeByPage} />
      <SentFlags flags={report.flags} />
    </>
  );
}

/** Nothing named and nothing counted are not the same. */
function SentPages({ pages }: { readonly pages: Pulse["negativeByPage"] }) {
  if (pages === undefined) {
    return (
      <Block heading="Negative events per page">
        <p>
          <span class="nm">Not measured</span> <small>The report does not name any page.</small>
        </p>
      </Block>
    );
  }
  const highestFirst = pages.toSorted((one, other) => other.count - one.count);
  return (
    <Block heading="Negative events per page" note={countOf(pages.length, "page")}>
      <List
        of="Negative events per page"
        fold={false}
        items={highestFirst.slice(0, MOST_ROWS)}
        empty={<p>No negative event on any page.</p>}
        columns={[
          ["Page", ({ page }) => <ShortName name={page} longest={120} />, { class: "mono wrap" }],
          ["Count", ({ count }) => formatNarrow(count), { numeric: true }],
        ]}
      />
      {pages.length > MOST_ROWS ? (
        <p class="note">
          The highest {MOST_ROWS} of {countOf(pages.length, "page")}; the others are in the JSON.
        </p>
      ) : null}
    </Block>
  );
}

function SentFlags({ flags }: { readonly flags: Pulse["flags"] }) {
  return (
    <Block heading="Flags sent">
      <List
        of="Flags sent"
        items={flags ?? []}
        empty={<p>{flags === undefined ? "The report names no flags." : "None."}</p>}
        columns={[
          ["Message", ({ msg }) => <Told class="wrap">{msg}</Told>],
          ["Severity", ({ severity }) => <SeverityMark severity={severity} />],
          ["Kind", ({ kind }) => kind],
          ["Metric", ({ metric }) => <Told class="mono wrap">{metric ?? ""}</Told>],
        ]}
      />
    </Block>
  );
}

/** What the report says by itself: nothing here is compared with another report. */
function SentCodebase({ view }: { readonly view: ReportView }) {
  return (
    <>
      <Block heading="Figures">
        <FigureTable caption="Figures of the report" figures={[...view.figures, ...view.work]} />
      </Block>
      <div class="columns">
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <MeasuredWith report={view} />
      </div>
    </>
  );
}

/** Every revision of the day, the newest first. */
function Revisions(props: {
  readonly kind: ReportKindName;
  readonly asset: string;
  readonly row: Revision;
  readonly revisions: readonly Revision[];
}) {
  const { kind, asset, row, revisions } = props;
  const current = revisions[0]?.revision ?? 0;
  return (
    <Block
      heading="Revisions of the day"
      note={
        current <= revisions.length
          ? countOf(revisions.length, "revision")
          : `the newest ${revisions.length} of ${formatCount(current)}`
      }
    >
      <List
        of="Revisions of the day, newest first"
        items={revisions}
        columns={[
          [
            "Revision",
            ({ revision, date }) =>
              revision === row.revision ? (
                <b>{formatCount(revision)}, this one</b>
              ) : (
                <a href={REPORT_PLACES[kind](asset, date, revision)}>{formatCount(revision)}</a>
              ),
          ],
          ["State", ({ revision }) => <Superseded superseded={revision !== current} />],
          ["Received", ({ receivedAt }) => <Moment at={receivedAt} />],
          ["Made", ({ generatedAt }) => <Moment at={generatedAt} />],
        ]}
      />
    </Block>
  );
}
