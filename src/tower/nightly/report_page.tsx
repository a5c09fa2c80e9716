import type { ReportView } from "../../codebase/mod.ts";
import { isNearMidnight, type Pulse, type PulseDifference } from "../../pulse/mod.ts";
import type { Ignored } from "../../reports/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Facts } from "../component/facts.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Code, Told } from "../component/text.tsx";
import { Day, Moment } from "../component/time.tsx";
import { DamageNote, type Read } from "../damage.tsx";
import { countOf, formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { MIDNIGHT_HINT } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { AsSent } from "./as_sent.tsx";
import type { OneReport, Revision } from "./one_report.ts";
import { Difference } from "./report_difference.tsx";
import { REPORT_PLACES, Superseded } from "./revision.tsx";
import { commitFact, SentCodebase } from "./sent_codebase.tsx";
import { SentPulse } from "./sent_pulse.tsx";

/** What a report says, by its kind. */
export type ReportSays =
  | { readonly kind: "nightly"; readonly report: Pulse }
  | { readonly kind: "codebase"; readonly view: ReportView };

export interface ReportPageProps {
  readonly shell: Shell;
  readonly site: SiteHead;
  readonly one: OneReport;
  /** What it says, or which row is damaged. */
  readonly says: Read<ReportSays>;
  /** What differs from the revision before, or which row is damaged; null for the first of its day. */
  readonly difference: Read<PulseDifference> | null;
}

/** One report: what it says, what became of it, and what it says otherwise than the revision before. */
export function ReportPage({ shell, site, one, says, difference }: ReportPageProps) {
  const { kind, row } = one;
  const { now } = shell;
  const { date, revision } = row;
  return (
    <Page shell={shell} title={siteTitle(site, `${kind} report of ${formatDay(date, now)}`)} current="sites">
      <SiteHeader site={site} current={kind === "nightly" ? "overview" : "codebase"} />
      <p class="crumb">
        <a href={paths.reports(site.asset)}>Reports</a> / {kind}, <Day day={date} now={now} />, revision{" "}
        {revision}
      </p>
      <TakenPlaceOf one={one} now={now} />
      {says.ok ? null : <DamageNote what="What this report says" damage={says.damage} />}
      <Block heading={`${kind === "nightly" ? "Nightly" : "Codebase"} report`}>
        <Facts facts={factsOf(row, says, now)} />
        {kind === "nightly" && isNearMidnight(row.generatedAt) ? (
          <p class="note">Made within 30 minutes of midnight. {MIDNIGHT_HINT}</p>
        ) : null}
      </Block>
      {says.ok ? <Says says={says.value} now={now} /> : null}
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
      <Revisions one={one} now={now} />
      {one.body.ok ? <AsSent one={one} body={one.body.value} /> : null}
    </Page>
  );
}

/** That a later revision counts, where one does. */
function TakenPlaceOf({ one, now }: { readonly one: OneReport; readonly now: number }) {
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

function factsOf(row: Revision, says: Read<ReportSays>, now: number): readonly (readonly [string, Child])[] {
  const facts: (readonly [string, Child])[] = [
    ["Received", <Moment at={row.receivedAt} now={now} />],
    ["Made", <Moment at={row.generatedAt} now={now} />],
    ["Day", <Day day={row.date} now={now} />],
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

function Says({ says, now }: { readonly says: ReportSays; readonly now: number }) {
  return says.kind === "nightly" ? (
    <SentPulse report={says.report} />
  ) : (
    <SentCodebase view={says.view} now={now} />
  );
}

/** Every revision of the day, the newest first. */
function Revisions({ one, now }: { readonly one: OneReport; readonly now: number }) {
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
          { words: "Received", label: true, cell: ({ receivedAt }) => <Moment at={receivedAt} now={now} /> },
          { words: "Made", label: true, cell: ({ generatedAt }) => <Moment at={generatedAt} now={now} /> },
        ]}
      />
    </Block>
  );
}
