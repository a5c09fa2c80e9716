/** What a codebase report says: its figures, its lists, what its repository left out and what it was measured with. */

import { entryOf } from "../../base/contract.ts";
import { commitAddress, repositoryAddress, withoutUser } from "../../base/repository.ts";
import { capital, countWords as countOf, countText } from "../../base/text.ts";
import { parseInstant } from "../../base/time.ts";
import type { MeasureReading } from "../../reports/codebase_rules.ts";
import type { Detail, Dismissal, Figure, Remark, ReportView, Track } from "../../reports/codebase_view.ts";
import type { UnitClass } from "../../reports/measures.ts";
import { formatCount, formatNarrow, formatRatio } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import type { ChartLane } from "../kit/chart.tsx";
import { Code, joined, NotMeasured, OutsideLink, Told } from "../kit/links.tsx";
import { Block, type Column, List } from "../kit/list.tsx";
import { Meter } from "../kit/plot.tsx";
import { type Fact, Facts, Marked, Moment } from "../kit/proof.tsx";

/** A value in the way of its unit: "47,894", "8.6%", "0.71", "Passed". */
export function formatUnit(unit: UnitClass, value: number): string {
  switch (unit) {
    case "count":
      return formatNarrow(value);
    case "percent":
      // 7.99 is not the 8 at which a rule fires.
      return `${countText(value)}%`;
    case "ratio":
      return formatRatio(value);
    case "pass":
      return value === 1 ? "Passed" : "Failed";
  }
}

/** A figure over time, a point for each report. */
export function trackLane({ label, unit, points }: Track): ChartLane {
  return {
    label,
    form: "line",
    height: 64,
    format: (value) => formatUnit(unit, value),
    days: points.map(({ date, value }) => ({
      day: date,
      state: value === undefined ? "missing" : "final",
      value: value ?? null,
    })),
    breaks: new Set(points.flatMap(({ date, toolsChanged }) => (toolsChanged ? [date] : []))),
    broken: "Measuring tools updated",
  };
}

/** The figures of a report; `before` heads those of the comparison report, where there may be one. */
export function FigureTable(props: {
  readonly caption: string;
  readonly figures: readonly Figure[];
  readonly before?: string;
}) {
  const { before } = props;
  return (
    <List
      class="figs"
      of={props.caption}
      items={props.figures}
      columns={[
        ["Figure", ({ label }) => <Marked>{label}</Marked>],
        [
          before === undefined ? "Value" : "Latest",
          ({ unit, latest }) => <Value unit={unit} reading={latest} />,
          { numeric: true, label: false },
        ],
        before === undefined
          ? null
          : [
              before,
              ({ unit, before: reading }) =>
                reading === null ? (
                  <span class="dim">–</span>
                ) : reading.measured ? (
                  formatUnit(unit, reading.value)
                ) : (
                  <NotMeasured />
                ),
              { numeric: true, class: "dim" },
            ],
        ["Measured by", (figure) => <ToolOf figure={figure} />, { class: "by", label: false }],
        ["With", (figure) => <With figure={figure} before={before} />, { class: "all" }],
      ]}
    />
  );
}

function Value({ unit, reading }: { readonly unit: UnitClass; readonly reading: MeasureReading }) {
  if (!reading.measured) return <NotMeasured />;
  const failed = unit === "pass" && reading.value === 0;
  return (
    <b class={failed ? "bad" : undefined} title={unit === "count" ? formatCount(reading.value) : undefined}>
      {formatUnit(unit, reading.value)}
    </b>
  );
}

/** The version of the tool that measured a figure, and the one that measured it in the comparison report where that was another. */
function ToolOf({ figure: { tool, toolBefore } }: { readonly figure: Figure }) {
  if (tool === null) return null;
  return (
    <>
      <Code>{tool}</Code>
      {toolBefore === null ? null : (
        <small class="block-sm">
          before: <Code>{toolBefore}</Code>
        </small>
      )}
    </>
  );
}

function With({ figure, before }: { readonly figure: Figure; readonly before: string | undefined }) {
  const { details, passes } = figure;
  const lone = !figure.latest.measured && details.every(({ reading }) => !reading.measured);
  return (
    <>
      {lone
        ? null
        : joined(
            details.map((detail) => (
              <span class="nowrap">
                <DetailText detail={detail} />
              </span>
            )),
            " · ",
          )}
      {passes === null || passes.carried === 0
        ? null
        : `${formatCount(passes.passed)} of ${formatCount(passes.carried)} reports passed in 30 days`}
      <Remarks remarks={figure.remarks} />
      <Remarks remarks={figure.remarksBefore} from={before} />
      {reasonsOf(figure).map((reason) => (
        <small class="reason">
          <Told>{reason}</Told>
        </small>
      ))}
    </>
  );
}

function DetailText({ detail: { one, many, unit, lead, reading } }: { readonly detail: Detail }) {
  if (!reading.measured) {
    return (
      <>
        {many} <NotMeasured />
      </>
    );
  }
  const value = unit === "ratio" ? formatNarrow(reading.value) : formatUnit(unit, reading.value);
  if (lead) return <>{`${one} ${value}`}</>;
  return <>{`${value} ${reading.value === 1 ? one : many}`}</>;
}

/** Why figures of the row have no value, each reason once. A sum without a value joins the reasons of its parts. */
function reasonsOf(figure: Figure): readonly string[] {
  const reasons = new Set(
    figure.details.flatMap(({ reading }) => (reading.measured ? [] : [reading.reason])),
  );
  if (!figure.latest.measured && figure.latest.reason !== [...reasons].join(" "))
    reasons.add(figure.latest.reason);
  return [...reasons];
}

/** What a report says beside figures, one line each. */
function Remarks(props: {
  readonly remarks: readonly Remark[];
  /** What a remark on the figure itself is about, where that does not stand beside it. */
  readonly about?: string;
  /** The report that says so, where it is not the latest. */
  readonly from?: string | undefined;
}) {
  return (
    <>
      {props.remarks.map(({ about, words }) => (
        <small class="block-sm">
          {props.from === undefined ? null : `${props.from}: `}
          {aboutWords(about ?? props.about)}
          <Told class="wrap">{words}</Told>
        </small>
      ))}
    </>
  );
}

const aboutWords = (about: string | undefined) => (about === undefined ? null : `${capital(about)}: `);

/** All five lists, each with what is said beside its figure. */
export function Findings(props: {
  readonly findings: ReportView["findings"];
  readonly figures: readonly Figure[];
}) {
  const { findings, figures } = props;
  const figure = (id: string) => figures.find((known) => known.id === id);
  const { duplicates, complexFunctions, unused, largestFiles, byLanguage } = findings;
  const most = Math.max(1, ...(largestFiles ?? []).map((file) => file.code_lines));
  return (
    <>
      <ListBlock
        heading="Repeated blocks"
        list={duplicates}
        figure={figure("repeated")}
        nothing="Nothing repeated found."
        note={noteOf(duplicates, 20, "blocks")}
        show={({ files }) => (
          <>
            {files.map(({ path, startLine, lines }) => (
              <div>
                <Code>{`${path}:${startLine}`}</Code>
                {lines === undefined ? null : <small class="nowrap dim"> {countOf(lines, "line")}</small>}
              </div>
            ))}
          </>
        )}
        columns={[["Lines", ({ lines }) => formatNarrow(lines), { numeric: true }]]}
      />
      <ListBlock
        heading="Hard-to-change functions"
        list={complexFunctions}
        figure={figure("complex")}
        nothing="No function with a complexity above 15 found."
        note="complexity above 15"
        show={({ name, path, line }) => <Named name={name} place={`${path}:${line}`} />}
        columns={[
          ["Complexity", ({ complexity }) => formatNarrow(complexity), { numeric: true }],
          ["Lines", ({ length }) => formatNarrow(length), { numeric: true }],
        ]}
      />
      <ListBlock
        heading="Unused code"
        list={unused}
        figure={figure("unused")}
        nothing="Nothing unused found."
        note={noteOf(unused, 50, "items")}
        show={({ path, name, line }) => (
          <Named name={name} place={line === undefined ? path : `${path}:${line}`} />
        )}
        columns={[["Kind", ({ kind }) => <Told class="wrap">{kind}</Told>, { class: "kind" }]]}
      />
      <ListBlock
        heading="Largest files"
        list={largestFiles}
        figure={figure("lines")}
        nothing="No file with code found."
        note="lines of code"
        class="bars"
        show={({ path }) => <Code>{path}</Code>}
        columns={[
          [
            "Share of the largest",
            ({ code_lines }) => <Meter share={code_lines / most} />,
            { unseen: true, class: "meter-cell" },
          ],
          ["Lines of code", ({ code_lines }) => formatNarrow(code_lines), { numeric: true }],
        ]}
      />
      <ListBlock
        heading="Languages"
        list={byLanguage}
        figure={figure("lines")}
        nothing="No language found."
        show={({ language }) => <Told class="wrap">{language}</Told>}
        columns={[
          ["Files", ({ files }) => formatNarrow(files), { numeric: true }],
          ["Lines of code", ({ code_lines }) => formatNarrow(code_lines), { numeric: true }],
        ]}
      />
    </>
  );
}

const noteOf = (list: readonly unknown[] = [], bound: number, what: string): string =>
  list.length < bound ? `${formatCount(list.length)} listed` : `a report lists ${bound} ${what} at most`;

/** One list under its heading. An omitted list is Not measured; an empty one means nothing found. */
function ListBlock<T>(props: {
  readonly heading: string;
  readonly list: readonly T[] | undefined;
  readonly nothing: string;
  readonly note?: string;
  readonly class?: string;
  /** The figure that counts what is listed: what is said beside it holds for the list as well. */
  readonly figure: Figure | undefined;
  /** What an item is, in its first column. */
  readonly show: (item: T) => Child;
  readonly columns: readonly Column<T>[];
}) {
  const { heading, list, figure, show } = props;
  if (list === undefined) {
    return (
      <Block heading={heading}>
        <div class="said">
          <NotMeasured
            reason={
              figure?.latest.measured === false ? figure.latest.reason : "The report carries no such list."
            }
          />
        </div>
      </Block>
    );
  }
  return (
    <Block heading={heading} note={list.length === 0 ? undefined : props.note}>
      <List
        of={heading}
        fold={false}
        class={props.class}
        items={list}
        empty={<p>{props.nothing}</p>}
        columns={[["Where", show], ...props.columns]}
      />
      <div class="besides">
        {/* A list of nothing would otherwise say more than was looked at. */}
        {(figure?.details ?? [])
          .filter(({ key, reading }) => LISTED.has(key) && !reading.measured)
          .map(({ many }) => (
            <small class="reason">{capital(many)}: Not measured</small>
          ))}
        {figure === undefined ? null : <Remarks remarks={figure.remarks} about={figure.label} />}
      </div>
    </Block>
  );
}

/** Measures that one list shares with another, so that one of them may be absent while the list is there. */
const LISTED: ReadonlySet<string> = new Set(["unused_files", "unused_exports"]);

/** A named piece with its place, or a file. */
function Named({ name, place }: { readonly name: string | undefined; readonly place: string }) {
  if (name === undefined) return <Code>{place}</Code>;
  return (
    <>
      <Code>{name}</Code>
      <small class="block-sm">
        <Code>{place}</Code>
      </small>
    </>
  );
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  path: "Files",
  "unused-file": "Unused file",
  "unused-export": "Unused export",
  duplicate: "Repeated block",
  "complex-function": "Hard-to-change function",
};

/** What the repository's own list leaves out of the figures above, with its reasons; an entry that left nothing out may be for what is gone. */
export function Dismissed({ entries }: { readonly entries: readonly Dismissal[] }) {
  if (entries.length === 0) return null;
  return (
    <Block heading="Left out by the repository" note={countOf(entries.length, "entry", "entries")}>
      <List
        of="Left out by the repository"
        fold={false}
        items={entries}
        columns={[
          [
            "What and why",
            ({ kind, path, name, reason }) => (
              <>
                <Told class="wrap">{entryOf(KIND_WORDS, kind) ?? kind}</Told>{" "}
                <Named name={name} place={path} />
                <small class="block-sm">
                  <Told class="wrap">{reason}</Told>
                </small>
              </>
            ),
          ],
          ["Left out", ({ count }) => formatNarrow(count), { numeric: true }],
        ]}
      />
    </Block>
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

/** A tool in words, where it is one of ours. */
const toolWords = (tool: string): string => entryOf(TOOL_WORDS, tool) ?? tool;

/** Tools with their versions, paths, repository and commit. */
export function MeasuredWith(props: { readonly report: Pick<ReportView, "tools" | "paths" | "repository"> }) {
  const { tools, repository, paths: measured = [] } = props.report;
  const committed = parseInstant(repository?.committedAt ?? "");
  const versions = Object.entries(tools ?? {}).map(
    ([name, version]): Fact => [toolWords(name), <Code>{version}</Code>],
  );
  return (
    <Block heading="Measured with">
      <div hx-ignore>
        <Facts
          facts={[
            ...(versions.length === 0
              ? [["Tools", "The report does not name its tools."] as const]
              : versions),
            ["Paths", measured.length === 0 ? null : <Code>{measured.join(", ")}</Code>],
            [
              "Repository",
              repository?.remote === undefined ? null : <Remote remote={withoutUser(repository.remote)} />,
            ],
            ["Ref", repository?.ref === undefined ? null : <Code>{repository.ref}</Code>],
            ["Commit", commitOf(repository)],
            ["Committed", committed === undefined ? null : <Moment at={committed} />],
          ]}
        />
      </div>
    </Block>
  );
}

/** The repository that was measured, as a link where its remote says a web address. */
function Remote({ remote }: { readonly remote: string }) {
  const address = repositoryAddress(remote);
  return address === undefined ? <Told class="wrap">{remote}</Told> : <OutsideLink address={address} />;
}

/** The commit that was measured, as a link where its repository's host is known to have one. */
export function commitOf({ commit, remote }: ReportView["repository"] = {}): Child {
  if (commit === undefined) return null;
  const address = remote === undefined ? undefined : commitAddress(withoutUser(remote), commit);
  const words = (
    <code class="wrap" hx-ignore>
      {commit}
    </code>
  );
  if (address === undefined) return words;
  return (
    <a href={address} rel="noreferrer noopener">
      {words}
    </a>
  );
}
