/** A site's codebase tab: its figures against a report of a month before, findings, dismissals and flags. */

import { entryOf } from "../../base/contract.ts";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, dayOfNumber, daysBetween } from "../../base/time.ts";
import { COMPARISON_SPAN } from "../../reports/codebase.ts";
import type { ToolChange } from "../../reports/codebase_rules.ts";
import { WINDOW_DAYS } from "../../reports/codebase_sentence.ts";
import type { CodebaseView, Dismissal } from "../../reports/codebase_view.ts";
import { formatCount, formatDay, formatNarrow } from "../format.ts";
import { Block } from "../kit/block.tsx";
import type { ChartAnnotations } from "../kit/chart_marks.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { Code, DataTable, SEVERITIES, snoozedWords, Told } from "../kit/links.tsx";
import { ListedFlags } from "../kit/listed_flags.tsx";
import { Age, Day, Moment } from "../kit/proof.tsx";
import { type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { Difference } from "./difference.tsx";
import { FigureTable, WorkBlock } from "./figure_table.tsx";
import { Findings } from "./findings.tsx";
import { Commit, MeasuredWith, toolWords } from "./measured_with.tsx";
import { OverTime } from "./over_time.tsx";
import { CodebaseWays, type Destination, IngestNote } from "./ways.tsx";

const KIND_WORDS: Readonly<Record<string, string>> = {
  path: "Files",
  "unused-file": "Unused file",
  "unused-export": "Unused export",
  duplicate: "Repeated block",
  "complex-function": "Hard-to-change function",
};

/** An entry that leaves files out counts files; every other one counts findings. */
const FILES = "path";

/**
 * What the repository's own list leaves out of the figures above, with its reasons. An entry that left nothing out is told as well: it
 * may be for what is gone.
 */
export function Dismissed({ entries }: { readonly entries: readonly Dismissal[] }) {
  if (entries.length === 0) return null;
  const stale = entries.filter(({ count }) => count === 0).length;
  return (
    <Block heading="Left out by the repository" note={leftOut(entries)}>
      <details class="items">
        <summary>
          {countOf(entries.length, "entry", "entries")} of <Code>.tower-measure</Code>
          {stale === 0 ? null : `, ${formatNarrow(stale)} matched nothing`}
        </summary>
        <DataTable
          caption="Left out by the repository"
          items={entries}
          columns={[
            { words: "What and why", names: true, cell: (entry) => <What entry={entry} /> },
            { words: "Left out", numeric: true, cell: ({ count }) => formatNarrow(count) },
          ]}
        />
      </details>
    </Block>
  );
}

function leftOut(entries: readonly Dismissal[]): string {
  const sum = (ofFiles: boolean) =>
    entries.reduce((total, { kind, count }) => ((kind === FILES) === ofFiles ? total + count : total), 0);
  const [files, findings] = [sum(true), sum(false)];
  const words = [
    files === 0 ? [] : [countOf(files, "file")],
    findings === 0 && files > 0 ? [] : [countOf(findings, "finding")],
  ].flat();
  return `${words.join(" and ")} left out`;
}

function What({ entry: { kind, path, name, reason, count } }: { readonly entry: Dismissal }) {
  return (
    <>
      <Told class="wrap">{entryOf(KIND_WORDS, kind) ?? kind}</Told>
      <span class="block-sm">
        {name === undefined ? null : (
          <>
            <Code>{name}</Code> in{" "}
          </>
        )}
        <Code>{path}</Code>
      </span>
      <small class="block-sm">
        <Told class="wrap">{reason}</Told>
      </small>
      {count === 0 ? <small class="block-sm">It matched nothing.</small> : null}
    </>
  );
}

interface CodebasePageProps {
  readonly site: SiteHead;
  /** Undefined while the site has sent no codebase report. */
  readonly view: CodebaseView | undefined;
  readonly annotations: ChartAnnotations;
  readonly destination: Destination;
}

/** The Codebase tab of a site: counts and passes, side by side. No score, no grade, no cause. */
export function CodebasePage(props: CodebasePageProps) {
  const { site, view } = props;
  return (
    <Page title={siteTitle(site, "codebase")} current="sites">
      <SiteHeader site={site} current="codebase" />
      {view === undefined ? <Waiting site={site} /> : <Measured props={props} view={view} />}
      <Block heading="Ways to send a codebase report">
        <CodebaseWays destination={props.destination} />
        <IngestNote destination={props.destination} />
      </Block>
    </Page>
  );
}

function Waiting({ site }: { readonly site: SiteHead }) {
  return (
    <Empty alone heading="No codebase report yet">
      <p>
        A codebase report is one measurement of the repository at one commit. The first one shows its figures
        here; the comparison starts with one that is {COMPARISON_SPAN.nearest} days older or more.
      </p>
      <div class="row">
        <a class="btn primary" href="#way-local">
          Show the command
        </a>
        <a class="btn" href={paths.siteTokens(site.asset)}>
          Tokens of this site
        </a>
      </div>
    </Empty>
  );
}

/** What the codebase rules hold open, worst first; what is snoozed is counted and not listed. */
function OpenFlags(props: { readonly asset: string; readonly flags: CodebaseView["openFlags"] }) {
  const { asset, flags } = props;
  if (flags.length === 0) return null;
  const awake = SEVERITIES.flatMap((severity) =>
    flags.filter((flag) => flag.snoozed !== true && flag.severity === severity),
  );
  const snoozed = flags.length - awake.length;
  return (
    <Block
      heading="Open flags of the codebase rules"
      note={
        awake.length === 0 ? undefined : `${formatCount(awake.length)}${snoozedWords(snoozed, awake.length)}`
      }
      tools={<a href={paths.siteFlags(asset)}>All flags</a>}
    >
      {awake.length === 0 ? <p>No flag is open{snoozedWords(snoozed, 0)}.</p> : <ListedFlags flags={awake} />}
    </Block>
  );
}

function Measured({ props, view }: { readonly props: CodebasePageProps; readonly view: CodebaseView }) {
  const { now } = here();
  const { site } = props;
  const since = view.comparison === null ? "–" : formatDay(view.comparison.date, now);
  const days = `${formatDay(view.charts.range.from, now)} to ${formatDay(view.charts.range.to, now)}`;
  return (
    <>
      <div class="stack tight">
        <p class="lede">{view.sentence}</p>
        <SentenceNote view={view} />
      </div>
      <OpenFlags asset={site.asset} flags={view.openFlags} />
      <Block heading="Figures" note={<ReportNote view={view} />}>
        <FigureTable
          caption="Codebase figures"
          figures={view.figures}
          beside={{
            tracks: view.charts.tracks,
            before: view.comparison === null ? "A month before" : `Report of ${since}`,
            days,
          }}
        />
      </Block>
      <OverTime asset={site.asset} view={view} annotations={props.annotations} />
      <div class="columns">
        {view.difference === null ? null : <Difference difference={view.difference} since={since} />}
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <WorkBlock work={view.work} since={view.comparison === null ? null : since} />
        <MeasuredWith report={view} />
      </div>
      {view.pastFlags.length === 0 ? null : (
        <Block heading="Past flags" note={countOf(view.pastFlags.length, "flag")}>
          <ListedFlags flags={view.pastFlags} />
        </Block>
      )}
    </>
  );
}

/** Which two reports the sentence holds against each other, and what it does not say. */
function SentenceNote({ view }: { readonly view: CodebaseView }) {
  const { latest, comparison, visitors } = view;
  if (comparison === null) {
    const soonest = addDays(latest.date, COMPARISON_SPAN.nearest);
    return (
      <p class="note">
        {view.reportCount === 1 ? "The first report is of " : "The earliest report is of "}
        <Day day={view.first} />. A comparison needs a report {COMPARISON_SPAN.nearest} to{" "}
        {COMPARISON_SPAN.farthest} days older than the latest
        {view.reportCount === 1 ? (
          <>
            , so the first is possible with a report of <Day day={soonest} />
          </>
        ) : null}
        . Growth and complexity rules start then.
      </p>
    );
  }
  return (
    <p class="note">
      Report of <Day day={latest.date} /> against the report of <Day day={comparison.date} />,{" "}
      {countOf(daysBetween(comparison.date, latest.date), "day")} earlier.{" "}
      <VisitorsNote visitors={visitors} />
      <CounterUpdated changes={view.counterUpdated} />
      Two counts side by side; no cause is claimed for either.
    </p>
  );
}

/** What the visitors' change is made of, or why there is none. */
function VisitorsNote({ visitors }: { readonly visitors: CodebaseView["visitors"] }) {
  if ("notMeasured" in visitors) {
    return (
      <>
        Visitors: <Told>{visitors.notMeasured}</Told>{" "}
      </>
    );
  }
  if (visitors.windows === undefined) return null;
  const [latest, before] = visitors.windows;
  return (
    <>
      Visitors by day: {formatCount(latest.visits)} in the {WINDOW_DAYS} settled days to{" "}
      <Day day={dayOfNumber(latest.to)} />, {formatCount(before.visits)} in those to{" "}
      <Day day={dayOfNumber(before.to)} />.{" "}
    </>
  );
}

/** Lines that two versions of a counter counted are not one measure, so whoever reads the sentence has to know. */
function CounterUpdated({ changes }: { readonly changes: readonly ToolChange[] }) {
  if (changes.length === 0) return null;
  return (
    <>
      <b>Measuring tools updated</b> between the two, so a part of the change may be theirs:{" "}
      {changes.map(({ tool, before, now }, index) => (
        <>
          {index === 0 ? null : ", "}
          <Told>{toolWords(tool)}</Told> <Code>{now}</Code>, then <Code>{before}</Code>
        </>
      ))}
      .{" "}
    </>
  );
}

function ReportNote({ view }: { readonly view: CodebaseView }) {
  const { repository, latest } = view;
  const commit = repository?.commit;
  return (
    <>
      {commit === undefined ? null : (
        <>
          commit <Commit repository={repository} short />{" "}
          {repository?.ref === undefined ? null : (
            <>
              on <Told class="wrap">{repository.ref}</Told>
            </>
          )}{" "}
          ·{" "}
        </>
      )}
      measured <Moment at={latest.generatedAt} /> (<Age at={latest.generatedAt} />)
      {latest.revision > 1 ? ` · revision ${latest.revision} of the day` : null}
      {view.toolsChanged ? " · Measuring tools updated" : null}
    </>
  );
}
