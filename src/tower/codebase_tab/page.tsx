import { COMPARISON_SPAN, type CodebaseView, type ToolChange } from "../../codebase/mod.ts";
import { entryOf } from "../../lib/entry_of.ts";
import { addDays, daysBetween } from "../../lib/utc_day.ts";
import { Block } from "../component/block.tsx";
import type { ChartAnnotations } from "../component/chart_marks.tsx";
import { Empty } from "../component/empty.tsx";
import { Facts } from "../component/facts.tsx";
import { ListedFlags } from "../component/listed_flags.tsx";
import { snoozedWords } from "../component/severity.tsx";
import type { SiteHead } from "../component/site_header.tsx";
import { SiteHeader } from "../component/site_header.tsx";
import { DataTable } from "../component/table.tsx";
import { Code, OutsideLink, Told } from "../component/text.tsx";
import { Age, Day, Moment } from "../component/time.tsx";
import { countOf, formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, IngestNote } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { Difference } from "./difference.tsx";
import { Dismissed } from "./dismissed.tsx";
import { Before, FigureTable, Remarks, ToolOf, Value } from "./figure_table.tsx";
import { Findings } from "./findings.tsx";
import { OverTime } from "./over_time.tsx";

export interface CodebasePageProps {
  readonly shell: Shell;
  readonly site: SiteHead;
  /** Undefined while the site has sent no codebase report. */
  readonly view: CodebaseView | undefined;
  readonly annotations: ChartAnnotations;
  readonly destination: Destination;
}

/** The Codebase tab of a site: counts and passes, side by side. No score, no grade, no cause. */
export function CodebasePage(props: CodebasePageProps) {
  const { shell, site, view } = props;
  return (
    <Page shell={shell} title={`${site.asset}, codebase`} current="sites">
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
    <Empty heading="No codebase report yet">
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

/** What the codebase rules hold open; what is snoozed is counted and not listed. */
function OpenFlags(props: {
  readonly asset: string;
  readonly flags: CodebaseView["openFlags"];
  readonly now: number;
}) {
  const { asset, flags, now } = props;
  if (flags.length === 0) return null;
  const awake = flags.filter((flag) => flag.snoozed !== true);
  const snoozed = flags.length - awake.length;
  return (
    <Block
      heading="Open flags of the codebase rules"
      note={
        awake.length === 0 ? undefined : `${formatCount(awake.length)}${snoozedWords(snoozed, awake.length)}`
      }
      tools={<a href={paths.siteFlags(asset)}>All flags</a>}
    >
      {awake.length === 0 ? (
        <p>No flag is open{snoozedWords(snoozed, 0)}.</p>
      ) : (
        <ListedFlags flags={awake} now={now} />
      )}
    </Block>
  );
}

function Measured({ props, view }: { readonly props: CodebasePageProps; readonly view: CodebaseView }) {
  const { shell, site } = props;
  const { now } = shell;
  const since = view.comparison === null ? "–" : formatDay(view.comparison.date, now);
  const days = `${formatDay(view.charts.range.from, now)} to ${formatDay(view.charts.range.to, now)}`;
  return (
    <>
      <div class="stack tight">
        <p class="lede">{view.sentence}</p>
        <SentenceNote view={view} now={now} />
      </div>
      <OpenFlags asset={site.asset} flags={view.openFlags} now={now} />
      <Block heading="Figures" note={<ReportNote view={view} now={now} />}>
        <FigureTable
          caption="Codebase figures"
          figures={view.figures}
          tracks={view.charts.tracks}
          before={view.comparison === null ? "A month before" : `Report of ${since}`}
          days={days}
        />
      </Block>
      <OverTime asset={site.asset} view={view} annotations={props.annotations} now={now} />
      <div class="columns">
        {view.difference === null ? null : <Difference difference={view.difference} since={since} />}
        <Findings findings={view.findings} figures={view.figures} />
        <Dismissed entries={view.dismissed} />
        <WorkBlock view={view} since={since} />
        <MeasuredWith view={view} />
      </div>
      {view.pastFlags.length === 0 ? null : (
        <Block heading="Past flags" note={countOf(view.pastFlags.length, "flag")}>
          <ListedFlags flags={view.pastFlags} now={now} />
        </Block>
      )}
    </>
  );
}

/** Which two reports the sentence holds against each other, and what it does not say. */
function SentenceNote({ view, now }: { readonly view: CodebaseView; readonly now: number }) {
  const { latest, comparison, visitors } = view;
  if (comparison === null) {
    const soonest = addDays(latest.date, COMPARISON_SPAN.nearest);
    return (
      <p class="note">
        {view.reportCount === 1 ? "The first report is of " : "The earliest report is of "}
        <Day day={view.first} now={now} />. A comparison needs a report {COMPARISON_SPAN.nearest} to{" "}
        {COMPARISON_SPAN.farthest} days older than the latest
        {view.reportCount === 1 ? (
          <>
            , so the first is possible with a report of <Day day={soonest} now={now} />
          </>
        ) : null}
        . Growth and complexity rules start then.
      </p>
    );
  }
  return (
    <p class="note">
      Report of <Day day={latest.date} now={now} /> against the report of{" "}
      <Day day={comparison.date} now={now} />, {countOf(daysBetween(comparison.date, latest.date), "day")}{" "}
      earlier.{" "}
      {"notMeasured" in visitors ? (
        <>
          Visitors: <Told>{visitors.notMeasured}</Told>{" "}
        </>
      ) : null}
      <CounterUpdated changes={view.counterUpdated} />
      Two counts side by side; no cause is claimed for either.
    </p>
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
          <Told>{entryOf(TOOL_WORDS, tool) ?? tool}</Told> <Code>{now}</Code>, then <Code>{before}</Code>
        </>
      ))}
      .{" "}
    </>
  );
}

function ReportNote({ view, now }: { readonly view: CodebaseView; readonly now: number }) {
  const { repository, latest } = view;
  const commit = repository?.commit;
  return (
    <>
      {commit === undefined ? null : (
        <>
          commit{" "}
          <code title={commit} hx-ignore>
            {commit.slice(0, 7)}
          </code>{" "}
          {repository?.ref === undefined ? null : (
            <>
              on <Told>{repository.ref}</Told>
            </>
          )}{" "}
          ·{" "}
        </>
      )}
      measured <Moment at={latest.generatedAt} now={now} /> (<Age at={latest.generatedAt} now={now} />)
      {latest.revision > 1 ? ` · revision ${latest.revision} of the day` : null}
      {view.toolsChanged ? " · Measuring tools updated" : null}
    </>
  );
}

function WorkBlock({ view, since }: { readonly view: CodebaseView; readonly since: string }) {
  return (
    <Block heading="Work and packages">
      <DataTable
        caption="Work and packages"
        items={view.work}
        columns={[
          { words: "Figure", names: true, cell: (figure) => <WorkName figure={figure} since={since} /> },
          {
            words: "Latest",
            numeric: true,
            cell: ({ unit, latest }) => <Value unit={unit} reading={latest} />,
          },
          view.comparison === null
            ? null
            : {
                words: since,
                numeric: true,
                class: "dim",
                cell: ({ unit, before }) =>
                  before === null ? null : <Before unit={unit} reading={before} />,
              },
        ]}
      />
    </Block>
  );
}

function WorkName(props: { readonly figure: CodebaseView["work"][number]; readonly since: string }) {
  const { figure } = props;
  const { label, latest } = figure;
  return (
    <>
      {label}
      {figure.tool === null ? null : (
        <small class="block-sm">
          <ToolOf figure={figure} />
        </small>
      )}
      {latest.measured ? null : (
        <small class="block-sm">
          <Told>{latest.reason}</Told>
        </small>
      )}
      <Remarks remarks={figure.remarks} />
      <Remarks remarks={figure.remarksBefore} from={`Report of ${props.since}`} />
    </>
  );
}

const TOOL_WORDS: Readonly<Record<string, string>> = {
  image: "Image",
  line_counter: "Line counter",
  duplication: "Duplication",
  complexity: "Complexity",
  unused: "Unused code",
  dependencies: "Packages",
  history: "History",
};

function MeasuredWith({ view }: { readonly view: CodebaseView }) {
  const { tools, repository, paths: measured } = view;
  const facts: (readonly [string, Child])[] = Object.entries(tools ?? {}).map(([name, version]) => [
    entryOf(TOOL_WORDS, name) ?? name,
    <Code>{version}</Code>,
  ]);
  if (facts.length === 0) facts.push(["Tools", "The report does not name its tools."]);
  if (measured !== undefined && measured.length > 0) {
    facts.push([
      "Paths",
      measured.map((path, index) => (
        <>
          {index === 0 ? null : ", "}
          <Code>{path}</Code>
        </>
      )),
    ]);
  }
  if (repository?.remote !== undefined)
    facts.push(["Repository", <OutsideLink address={repository.remote} />]);
  if (repository?.commit !== undefined) facts.push(["Commit", <Code>{repository.commit}</Code>]);
  return (
    <Block heading="Measured with">
      <div hx-ignore>
        <Facts facts={facts} />
      </div>
    </Block>
  );
}
