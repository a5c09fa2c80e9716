/** What a report says, by its kind. */

import { countWords as countOf } from "../../base/text.ts";
import type { ReportView } from "../../reports/codebase_view.ts";
import { isNearMidnight } from "../../reports/nights.ts";
import type { Pulse } from "../../reports/pulse_contract.ts";
import type { PulseDifference } from "../../reports/pulse_difference.ts";
import type { Ignored } from "../../reports/reports.ts";
import { formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Block } from "../kit/block.tsx";
import { here } from "../kit/here.ts";
import { Code, DataTable, Told } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Facts } from "../kit/term.tsx";
import { DamageNote, Page, type Read } from "../layout.tsx";
import { paths } from "../paths.ts";
import { Dismissed } from "./codebase_page.tsx";
import { FigureTable, WorkBlock } from "./figure_table.tsx";
import { Findings } from "./findings.tsx";
import { Commit, MeasuredWith } from "./measured_with.tsx";
import type { OneReport, ReportKind, Revision } from "./reports.ts";
import { Difference, SentPulse } from "./sent_pulse.tsx";
import { MIDNIGHT_HINT } from "./ways.tsx";

/** Where one report of a kind is read. */

export const REPORT_PLACES: Readonly<
  Record<ReportKind, (asset: string, date: string, revision: number) => string>
> = { nightly: paths.nightlyReport, codebase: paths.codebaseReport };

/** Where it is downloaded as JSON. */
const JSON_PLACES: typeof REPORT_PLACES = {
  nightly: paths.nightlyJson,
  codebase: paths.codebaseJson,
};

/** Whether a later revision took a report's place. */
export function Superseded({ superseded }: { readonly superseded: boolean }) {
  return superseded ? <span class="dim">superseded</span> : <span class="tag">current</span>;
}

/** Most characters shown on the page; the download has all. */

const MOST_SHOWN = 20_000;

/** The report as JSON: to be read here, set out in lines, or taken away as it is kept. */
function AsSent({ one, body }: { readonly one: OneReport; readonly body: string }) {
  const { kind, asset, row } = one;
  const { date, revision } = row;
  const lines = JSON.stringify(JSON.parse(body), null, 2);
  const days = new URLSearchParams({ from: date, to: date, revisions: "all" });
  const api = kind === "nightly" ? paths.apiPulses : paths.apiCodebaseReports;
  return (
    <Block
      heading="As sent"
      note={`${formatCount(Math.max(1, Math.round(Buffer.byteLength(body) / 1024)))} KiB`}
      tools={<a href={JSON_PLACES[kind](asset, date, revision)}>Download the JSON</a>}
    >
      <details>
        <summary>Show the JSON</summary>
        <div class="copy">
          <pre hx-ignore tabindex={0} role="group" aria-label="The report as JSON">
            {lines.slice(0, MOST_SHOWN)}
          </pre>
        </div>
        <p class="note">
          {lines.length > MOST_SHOWN
            ? `The first ${formatCount(MOST_SHOWN)} of ${formatCount(lines.length)} characters. `
            : ""}
          Set out in lines for reading; the download is what is kept, byte for byte: what was sent, without
          what was ignored.
        </p>
      </details>
      <p class="note">
        Programs read all revisions of the day at <code>{`${api(asset)}?${days}`}</code>
      </p>
    </Block>
  );
}

/** A codebase report as it was sent: its figures with what stands beside them, its findings and what it was measured with. */

/** The commit of a report, for its facts. */
function commitFact({ repository }: ReportView): readonly (readonly [string, Child])[] {
  if (repository?.commit === undefined) return [["Commit", <span class="nm">Not sent</span>]];
  return [
    [
      "Commit",
      <>
        <Commit repository={repository} />
        {repository.ref === undefined ? null : (
          <>
            {" "}
            on <Told class="wrap">{repository.ref}</Told>
          </>
        )}
      </>,
    ],
  ];
}

/** What the report says by itself: nothing here is compared with another report. */
function SentCodebase({ view }: { readonly view: ReportView }) {
  return (
    <>
      <Block heading="Figures">
        <FigureTable caption="Figures of the report" figures={view.figures} beside={null} />
      </Block>
      <div class="columns">
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <WorkBlock work={view.work} since={null} />
        <MeasuredWith report={view} />
      </div>
    </>
  );
}

type ReportSays =
  | { readonly kind: "nightly"; readonly report: Pulse }
  | { readonly kind: "codebase"; readonly view: ReportView };

interface ReportPageProps {
  readonly site: SiteHead;
  readonly one: OneReport;
  /** What it says, or which row is damaged. */
  readonly says: Read<ReportSays>;
  /** What differs from the revision before, or which row is damaged; null for the first of its day. */
  readonly difference: Read<PulseDifference> | null;
}

/** One report: what it says, what became of it, and what it says otherwise than the revision before. */
export function ReportPage({ site, one, says, difference }: ReportPageProps) {
  const { now } = here();
  const { kind, row } = one;
  const { date, revision } = row;
  return (
    <Page title={siteTitle(site, `${kind} report of ${formatDay(date, now)}`)} current="sites">
      <SiteHeader site={site} current={kind === "nightly" ? "overview" : "codebase"} />
      <p class="crumb">
        <a href={paths.reports(site.asset)}>Reports</a> / {kind}, <Day day={date} />, revision {revision}
      </p>
      <TakenPlaceOf one={one} />
      {says.ok ? null : <DamageNote what="What this report says" damage={says.damage} />}
      <Block heading={`${kind === "nightly" ? "Nightly" : "Codebase"} report`}>
        <Facts facts={factsOf(row, says)} />
        {kind === "nightly" && isNearMidnight(row.generatedAt) ? (
          <p class="note">Made within 30 minutes of midnight. {MIDNIGHT_HINT}</p>
        ) : null}
      </Block>
      {says.ok ? <Says says={says.value} /> : null}
      <Block
        heading="Difference"
        note={difference === null ? undefined : `revision ${revision} against revision ${revision - 1}`}
      >
        {difference === null ? (
          <p>The first report of its day.</p>
        ) : difference.ok ? (
          <Difference difference={difference.value} isWhole={kind === "nightly"} />
        ) : (
          <p>One of the two cannot be read, so nothing is said of what differs.</p>
        )}
      </Block>
      <Revisions one={one} />
      {one.body.ok ? <AsSent one={one} body={one.body.value} /> : null}
    </Page>
  );
}

/** That a later revision counts, where one does. */
function TakenPlaceOf({ one }: { readonly one: OneReport }) {
  const { now } = here();
  const [current] = one.revisions;
  if (current === undefined || current.revision <= one.row.revision) return null;
  const { date, revision, receivedAt } = current;
  return (
    <Callout tone="stale">
      <p>
        <b>Superseded.</b>{" "}
        <a href={REPORT_PLACES[one.kind](one.asset, date, revision)}>Revision {revision}</a> took its place on{" "}
        {formatMoment(receivedAt, now)}; rules, charts and totals read that one.
      </p>
    </Callout>
  );
}

function factsOf(row: Revision, says: Read<ReportSays>): readonly (readonly [string, Child])[] {
  const facts: (readonly [string, Child])[] = [
    ["Received", <Moment at={row.receivedAt} />],
    ["Made", <Moment at={row.generatedAt} />],
    ["Day", <Day day={row.date} />],
    ["Ignored", row.ignored === null ? null : <IgnoredWords ignored={row.ignored} />],
  ];
  if (!says.ok) return facts;
  if (says.value.kind === "codebase") return [...facts, ...commitFact(says.value.view)];
  const { capabilities } = says.value.report;
  return [
    ...facts,
    [
      "Capabilities",
      capabilities === undefined ? (
        <span class="nm">Not sent</span>
      ) : capabilities.length === 0 ? (
        "none"
      ) : (
        <Told class="mono wrap">{capabilities.join(", ")}</Told>
      ),
    ],
  ];
}

/** What of a report was not stored. */
function IgnoredWords({ ignored }: { readonly ignored: Ignored }) {
  const { pointers, more } = ignored;
  return (
    <>
      {pointers.map((pointer, index) => (
        <>
          {index === 0 ? null : ", "}
          <Code>{pointer}</Code>
        </>
      ))}
      {more === 0 ? null : ` and ${formatCount(more)} more`}
      <small class="block-sm">
        The contract does not know {pointers.length + more === 1 ? "it" : "them"}.
      </small>
    </>
  );
}

function Says({ says }: { readonly says: ReportSays }) {
  return says.kind === "nightly" ? <SentPulse report={says.report} /> : <SentCodebase view={says.view} />;
}

/** Every revision of the day, the newest first. */
function Revisions({ one }: { readonly one: OneReport }) {
  const { kind, asset, row, revisions } = one;
  const [current] = revisions;
  return (
    <Block
      heading="Revisions of the day"
      note={
        current === undefined || current.revision === revisions.length
          ? countOf(revisions.length, "revision")
          : `the newest ${revisions.length} of ${formatCount(current.revision)}`
      }
    >
      <DataTable
        fold
        caption="Revisions of the day, newest first"
        items={revisions}
        columns={[
          {
            words: "Revision",
            names: true,
            cell: ({ revision, date }) =>
              revision === row.revision ? (
                <b>{formatCount(revision)}, this one</b>
              ) : (
                <a href={REPORT_PLACES[kind](asset, date, revision)}>{formatCount(revision)}</a>
              ),
          },
          {
            words: "State",
            label: true,
            cell: ({ revision }) => <Superseded superseded={revision !== current?.revision} />,
          },
          { words: "Received", label: true, cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
          { words: "Made", label: true, cell: ({ generatedAt }) => <Moment at={generatedAt} /> },
        ]}
      />
    </Block>
  );
}
