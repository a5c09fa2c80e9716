/** The latest value of a figure, or the slot that says it was not measured. */

import { capital } from "../../base/text.ts";
import type { Detail, Figure, PassCount, Remark } from "../../reports/codebase_figures.ts";
import type { MeasureReading } from "../../reports/codebase_rules.ts";
import type { SeriesPoint, Track } from "../../reports/codebase_view.ts";
import type { UnitClass } from "../../reports/measures.ts";
import { formatCount, formatNarrow, formatPercent, formatRatio } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { type ChartPoint, Sparkline } from "../kit/chart_scale.tsx";
import { Code, type ColumnOf, DataTable, NotMeasured, Told } from "../kit/links.tsx";
import { Marked } from "../kit/term.tsx";

/** A value in the way of its unit: "47,894", "8.6%", "0.71", "Passed". */

export function formatUnit(unit: UnitClass, value: number): string {
  switch (unit) {
    case "count":
      return formatNarrow(value);
    case "percent":
      return formatPercent(value);
    case "ratio":
      return formatRatio(value);
    case "pass":
      return value === 1 ? "Passed" : "Failed";
  }
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

function DetailText({ detail }: { readonly detail: Detail }) {
  const { reading } = detail;
  if (!reading.measured) {
    return (
      <>
        {detail.many} <NotMeasured />
      </>
    );
  }
  const value =
    detail.unit === "ratio" ? formatNarrow(reading.value) : formatUnit(detail.unit, reading.value);
  if (detail.lead) return <>{`${detail.one} ${value}`}</>;
  return <>{`${value} ${reading.value === 1 ? detail.one : detail.many}`}</>;
}

/** The sentence of Build and Tests (spec, Presentation). */
function passWords({ passed, carried }: PassCount): string {
  return `${formatCount(passed)} of ${formatCount(carried)} reports passed in 30 days`;
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
export function Remarks({
  remarks,
  about: whole,
  from,
}: {
  readonly remarks: readonly Remark[];
  /** What a remark on the figure itself is about, where that does not stand beside it. */
  readonly about?: string;
  /** The report that says so, where it is not the latest. */
  readonly from?: string;
}) {
  return (
    <>
      {remarks.map(({ about, words }) => (
        <small class="block-sm">
          {from === undefined ? null : `${from}: `}
          {aboutWords(about ?? whole)}
          <Told class="wrap">{words}</Told>
        </small>
      ))}
    </>
  );
}

function aboutWords(about: string | undefined): string | null {
  return about === undefined ? null : `${capital(about)}: `;
}

/** The version of the tool that measured a figure, and the one that measured it in the comparison report where that was another. */
function ToolOf({ figure: { tool, toolBefore } }: { readonly figure: Figure }) {
  if (tool === null) return null;
  return (
    <>
      <Code>{tool}</Code>
      {toolBefore === null ? null : (
        <small class="block-sm">
          then <Code>{toolBefore}</Code>
        </small>
      )}
    </>
  );
}

function With({ figure, before }: { readonly figure: Figure; readonly before: string }) {
  const reasons = reasonsOf(figure);
  const lone = !figure.latest.measured && figure.details.every((detail) => !detail.reading.measured);
  return (
    <>
      {lone
        ? null
        : figure.details.map((detail, index) => (
            <>
              {index === 0 ? null : " · "}
              <span class="nowrap">
                <DetailText detail={detail} />
              </span>
            </>
          ))}
      {figure.passes === null || figure.passes.carried === 0 ? null : passWords(figure.passes)}
      <Remarks remarks={figure.remarks} />
      <Remarks remarks={figure.remarksBefore} from={before} />
      {reasons.map((reason) => (
        <small class="reason">
          <Told>{reason}</Told>
        </small>
      ))}
    </>
  );
}

/** A series point as the charts take it. */
export function chartPoint(point: SeriesPoint): ChartPoint {
  return { date: point.date, value: point.value, broken: point.toolsChanged };
}

/** The value of the comparison report. */
function Before({ unit, reading }: { readonly unit: UnitClass; readonly reading: MeasureReading }) {
  return reading.measured ? <span>{formatUnit(unit, reading.value)}</span> : <NotMeasured />;
}

/** The reports beside the one whose figures are shown. */
interface Beside {
  readonly tracks: readonly Track[];
  /** Heading of the comparison column. */
  readonly before: string;
  readonly days: string;
}

/** The figures of a report with what stands beside them: their values then and their line, or nothing but their own report's words. */
export function FigureTable(props: {
  readonly caption: string;
  readonly figures: readonly Figure[];
  readonly beside: Beside | null;
}) {
  const { beside } = props;
  const before = beside?.before ?? "";
  return (
    <DataTable
      class="figs"
      fold
      caption={props.caption}
      items={props.figures}
      columns={[
        { words: "Figure", names: true, cell: ({ label }) => <Marked>{label}</Marked> },
        {
          words: beside === null ? "Value" : "Latest",
          numeric: true,
          cell: ({ unit, latest }) => <Value unit={unit} reading={latest} />,
        },
        ...(beside === null ? [] : besideColumns(beside)),
        { words: "Measured by", class: "by", cell: (figure) => <ToolOf figure={figure} /> },
        { words: "With", class: "all", cell: (figure) => <With figure={figure} before={before} /> },
      ]}
    />
  );
}

function besideColumns({ before: heading, days, tracks }: Beside): readonly ColumnOf<Figure>[] {
  return [
    {
      words: heading,
      label: true,
      numeric: true,
      class: "dim",
      cell: ({ unit, before }) =>
        before === null ? <span class="dim">–</span> : <Before unit={unit} reading={before} />,
    },
    { words: days, class: "line", cell: (figure) => lineOf(figure, tracks) },
  ];
}

function lineOf({ id, label }: Figure, tracks: readonly Track[]) {
  const track = tracks.find((known) => known.id === id);
  return track === undefined ? null : (
    <Sparkline points={track.drawn.map(chartPoint)} label={`${label} by report`} />
  );
}

/** The figures of the work of 30 days and of the packages; `since` is the day of the comparison report. */

export function WorkBlock(props: { readonly work: readonly Figure[]; readonly since: string | null }) {
  const { work, since } = props;
  return (
    <Block heading="Work and packages">
      <DataTable
        caption="Work and packages"
        items={work}
        columns={[
          { words: "Figure", names: true, cell: (figure) => <WorkName figure={figure} since={since} /> },
          {
            words: since === null ? "Value" : "Latest",
            numeric: true,
            cell: ({ unit, latest }) => <Value unit={unit} reading={latest} />,
          },
          since === null
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

function WorkName({ figure, since }: { readonly figure: Figure; readonly since: string | null }) {
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
      <Remarks remarks={figure.remarksBefore} from={`Report of ${since ?? "a month before"}`} />
    </>
  );
}
