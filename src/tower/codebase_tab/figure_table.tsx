import type {
  Detail,
  Figure,
  PassCount,
  Reading,
  SeriesPoint,
  Track,
  UnitClass,
} from "../../codebase/mod.ts";
import type { ChartPoint } from "../component/chart_scale.ts";
import { NotMeasured } from "../component/not_measured.tsx";
import { Sparkline } from "../component/sparkline.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { formatCount, formatNarrow } from "../format.ts";
import { formatUnit } from "./unit.ts";

/** The latest value of a figure, or the slot that says it was not measured. */
export function Value({ unit, reading }: { readonly unit: UnitClass; readonly reading: Reading }) {
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

function With({ figure }: { readonly figure: Figure }) {
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

function FigureRow(props: {
  readonly figure: Figure;
  readonly track: Track | undefined;
  readonly before: string;
}) {
  const { figure, track } = props;
  return (
    <Row>
      <RowHead>{figure.label}</RowHead>
      <Cell numeric>
        <Value unit={figure.unit} reading={figure.latest} />
      </Cell>
      <Cell numeric class="dim" label={props.before}>
        {figure.before === null ? (
          <span class="dim">–</span>
        ) : (
          <Before unit={figure.unit} reading={figure.before} />
        )}
      </Cell>
      <Cell class="line">
        {track === undefined ? null : (
          <Sparkline points={track.drawn.map(chartPoint)} label={`${figure.label} by report`} />
        )}
      </Cell>
      <Cell class="all">
        <With figure={figure} />
      </Cell>
    </Row>
  );
}

/** The value of the comparison report. */
export function Before({ unit, reading }: { readonly unit: UnitClass; readonly reading: Reading }) {
  return reading.measured ? <span>{formatUnit(unit, reading.value)}</span> : <NotMeasured />;
}

/** The figures with their values then, their line and what stands beside them. */
export function FigureTable(props: {
  readonly caption: string;
  readonly figures: readonly Figure[];
  readonly tracks: readonly Track[];
  /** Heading of the comparison column. */
  readonly before: string;
  readonly days: string;
}) {
  return (
    <Table
      class="figs"
      fold
      caption={props.caption}
      columns={[
        { words: "Figure" },
        { words: "Latest", numeric: true },
        { words: props.before, numeric: true },
        { words: props.days },
        { words: "With" },
      ]}
    >
      {props.figures.map((figure) => (
        <FigureRow
          figure={figure}
          track={props.tracks.find((track) => track.id === figure.id)}
          before={props.before}
        />
      ))}
    </Table>
  );
}
