import type { UtcDay } from "../../lib/utc_day.ts";
import {
  type FigureChange,
  isNearMidnight,
  isSame,
  type NamesChange,
  type Pulse,
  type PulseDifference,
} from "../../pulse/mod.ts";
import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import { SeverityMark } from "../component/severity.tsx";
import { type SiteHead, SiteHeader } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Day, Moment } from "../component/time.tsx";
import { countOf, formatCount, formatDay, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { MIDNIGHT_HINT } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import type { ReportKind } from "./log.ts";
import { REPORT_PLACES, Superseded } from "./revision.tsx";

/** Where one report stands. */
export interface ReportPlace {
  readonly kind: ReportKind;
  readonly date: UtcDay;
  readonly revision: number;
  /** Whether a newer revision of the day exists. */
  readonly superseded: boolean;
  readonly receivedAt: number;
  readonly generatedAt: number;
}

export interface ReportPageProps {
  readonly shell: Shell;
  readonly site: SiteHead;
  readonly place: ReportPlace;
  /** What differs from the revision before; undefined for the first of its day. */
  readonly difference: PulseDifference | undefined;
  /** A nightly report as it was sent; undefined for a codebase report, which has a tab of its own. */
  readonly report: Pulse | undefined;
}

/** Rows of a list on the page; the whole report is read over the API. */
const MOST_ROWS = 200;

/** One report, and what it says otherwise than the revision before. */
export function ReportPage({ shell, site, place, difference, report }: ReportPageProps) {
  const { asset } = site;
  const { kind, date, revision } = place;
  return (
    <Page shell={shell} title={`${asset}, ${kind} report of ${formatDay(date, shell.now)}`} current="sites">
      <SiteHeader site={site} current="overview" />
      <p class="crumb">
        <a href={paths.reports(asset)}>Reports</a> / {kind}, <Day day={date} now={shell.now} />, revision{" "}
        {revision}
      </p>
      <Block heading={`${kind === "nightly" ? "Nightly" : "Codebase"} report`}>
        <Facts facts={factsOf(asset, place, report, shell.now)} />
        {kind === "nightly" && isNearMidnight(place.generatedAt) ? (
          <p class="note">Made within 30 minutes of midnight. {MIDNIGHT_HINT}</p>
        ) : null}
      </Block>
      <Block
        heading="Difference"
        note={difference === undefined ? undefined : `revision ${revision} against revision ${revision - 1}`}
      >
        {difference === undefined ? (
          <p>The first report of its day.</p>
        ) : (
          <Difference difference={difference} isWhole={report !== undefined} />
        )}
      </Block>
      {report === undefined ? null : <Sent report={report} />}
    </Page>
  );
}

function factsOf(asset: string, place: ReportPlace, report: Pulse | undefined, now: number) {
  const { kind, date, revision, superseded } = place;
  const other = REPORT_PLACES[kind];
  const api = kind === "nightly" ? paths.apiPulses : paths.apiCodebaseReports;
  const facts: (readonly [string, Child])[] = [
    ["Received", <Moment at={place.receivedAt} now={now} />],
    ["Made", <Moment at={place.generatedAt} now={now} />],
    ["Day", <Day day={date} now={now} />],
    [
      "Revision",
      <span class="row">
        {formatCount(revision)} <Superseded superseded={superseded} />
        {revision > 1 ? <a href={other(asset, date, revision - 1)}>Revision {revision - 1}</a> : null}
        {superseded ? <a href={other(asset, date, revision + 1)}>Revision {revision + 1}</a> : null}
      </span>,
    ],
  ];
  if (report !== undefined) {
    const { capabilities } = report;
    facts.push([
      "Capabilities",
      capabilities === undefined ? (
        <span class="nm">Not sent</span>
      ) : capabilities.length === 0 ? (
        "none"
      ) : (
        <Told class="mono wrap">{capabilities.join(", ")}</Told>
      ),
    ]);
  }
  const href = `${api(asset)}?${new URLSearchParams({ from: date, to: date, revisions: "all" })}`;
  facts.push(["As sent", <a href={href}>JSON of the day's revisions</a>]);
  return facts;
}

function sent(figure: number | undefined): Child {
  return figure === undefined ? <span class="nm">Not sent</span> : formatNarrow(figure);
}

function Figures(props: { readonly caption: string; readonly changes: readonly FigureChange[] }) {
  const { caption, changes } = props;
  if (changes.length === 0) return null;
  return (
    <DataTable
      caption={caption}
      showCaption
      items={changes.slice(0, MOST_ROWS)}
      columns={[
        { words: "Figure", names: true, class: "mono wrap", cell: ({ name }) => <Told>{name}</Told> },
        { words: "Before", numeric: true, class: "dim", cell: ({ before }) => sent(before) },
        { words: "Here", numeric: true, cell: ({ after }) => sent(after) },
      ]}
    />
  );
}

function Names({ words, change }: { readonly words: string; readonly change: NamesChange }) {
  const lines = [
    ...change.added.map((name) => ["added", name] as const),
    ...change.removed.map((name) => ["no longer sent", name] as const),
  ];
  if (lines.length === 0) return null;
  return (
    <ul class="plain">
      {lines.slice(0, MOST_ROWS).map(([what, name]) => (
        <li>
          {words} {what}: <Told class="wrap">{name}</Told>
        </li>
      ))}
    </ul>
  );
}

/** `isWhole` where everything that was sent was compared; of a codebase report only its measures are. */
function Difference(props: { readonly difference: PulseDifference; readonly isWhole: boolean }) {
  const { difference, isWhole } = props;
  const { metrics, pages, capabilities, flags, unchanged } = difference;
  const more = Math.max(0, metrics.length - MOST_ROWS) + Math.max(0, pages.length - MOST_ROWS);
  return (
    <div class="stack tight">
      {isSame(difference) ? (
        <p>{isWhole ? "Nothing differs in what was sent." : "No figure differs."}</p>
      ) : null}
      <Figures caption="Figures that differ" changes={metrics} />
      <Figures caption="Negative events that differ, by page" changes={pages} />
      <Names words="Capability" change={capabilities} />
      <Names words="Flag" change={flags} />
      <p class="note">
        {countOf(unchanged, "figure")} unchanged.
        {more === 0 ? null : ` ${countOf(more, "more difference is", "more differences are")} not listed.`}
        {isWhole ? null : " Findings, tools and notes are not compared here."}
      </p>
    </div>
  );
}

function Sent({ report }: { readonly report: Pulse }) {
  const metrics = Object.entries(report.metrics).sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <>
      <Block heading="Metrics" note={countOf(metrics.length, "metric")}>
        <DataTable
          fold
          caption="Metrics of the report"
          items={metrics.slice(0, MOST_ROWS)}
          columns={[
            { words: "Metric", names: true, class: "mono wrap", cell: ([name]) => <Told>{name}</Told> },
            { words: "Last 24 h", label: true, numeric: true, cell: ([, { last24h }]) => sent(last24h) },
            { words: "Total", label: true, numeric: true, cell: ([, { total }]) => sent(total) },
            {
              words: "Sender's 7-day average (diagnostic)",
              label: "Sender's 7-day average",
              numeric: true,
              class: "dim",
              cell: ([, { avg7d }]) => sent(avg7d),
            },
          ]}
          empty={<p>The report holds no metric.</p>}
        />
        {metrics.length > MOST_ROWS ? (
          <p class="note">
            {countOf(metrics.length - MOST_ROWS, "more metric is", "more metrics are")} in the JSON.
          </p>
        ) : null}
      </Block>
      <SentFlags flags={report.flags} />
    </>
  );
}

function SentFlags({ flags }: { readonly flags: Pulse["flags"] }) {
  if (flags === undefined || flags.length === 0) {
    return (
      <Block heading="Flags sent">
        <p>{flags === undefined ? "The report names no flags." : "None."}</p>
      </Block>
    );
  }
  return (
    <Block heading="Flags sent" note={countOf(flags.length, "flag")}>
      <ul class="list raised">
        {flags.slice(0, MOST_ROWS).map(({ severity, kind, metric, msg }) => (
          <li data-sev={severity}>
            <span />
            <div>
              <p class="said">
                <Told>{msg}</Told>
              </p>
              <p class="note">
                <SeverityMark severity={severity} /> {kind}
                {metric === undefined ? null : (
                  <>
                    {" "}
                    · <Told class="mono wrap">{metric}</Told>
                  </>
                )}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}
