/**
 * Stacked lanes over one time axis, drawn on the server: x in percent, y in pixels, so the width is fluid and the
 * text keeps its size. A native title on every point gives its value without a script.
 */

import { formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import {
  AnnotationLane,
  type ChartAnnotation,
  type ChartFlag,
  MarkSigns,
  markedPlaces,
  Pennants,
  pennantRow,
} from "./chart_marks.tsx";
import {
  type ChartDays,
  type ChartPoint,
  extentOf,
  heightOf,
  linePath,
  lonePoints,
  placeOf,
  stackSpans,
} from "./chart_scale.tsx";
import { type DayTick, dayTicks, spanOf, WIDE_PX } from "./day_bars.tsx";
import { here } from "./here.ts";
import { anchor, Box, Lane, Legend, Level, Pin, Plot, percent, Upright, Words } from "./plot.tsx";

export interface ChartLane {
  readonly id: string;
  readonly label: string;
  /** The value at the end, beside the label. */
  readonly headline: string;
  readonly notes: readonly string[];
  /** Points that are drawn. */
  readonly points: readonly ChartPoint[];
  readonly format: (value: number) => string;
  readonly flags: readonly ChartFlag[];
}

export interface ChartProps {
  readonly days: ChartDays;
  readonly lanes: readonly ChartLane[];
  /** Days whose report was made with other tools than the one before. */
  readonly toolChanges: readonly ChartPoint["date"][];
  readonly annotations: readonly ChartAnnotation[];
  readonly children?: Child;
}

const LANE_HEIGHT = 76;
const TOP = 20;
/** Up to so many points each gets a dot of its own; more would run into each other. */
const DOTTED = 60;
/** Most points with a title of their own; of more, every so many-th has one. */
const TITLED = 60;
const TOOLS_UPDATED = "Measuring tools updated";
/** Half its width, in percent of a narrow chart. */
const LABEL_EDGE = 22;

/** At most about `limit` of the points, the first and the last among them. */
function evenly(points: readonly ChartPoint[], limit: number): readonly ChartPoint[] {
  const step = Math.ceil(points.length / limit);
  return points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

/** The words above the lanes, one for each change of tools, stacked when they stand close. */
function ToolLabels({ places }: { readonly places: readonly number[] }) {
  if (places.length === 0) return null;
  const rows = stackSpans(
    places.map((x) => spanOf({ x, words: TOOLS_UPDATED, anchor: anchor(x, LABEL_EDGE) }, WIDE_PX)),
    24,
    3,
  );
  const height = 17 + 14 * Math.max(0, ...rows.map((row) => row ?? 0));
  return (
    <Lane narrow>
      <Plot height={height} label={`${TOOLS_UPDATED}: ${places.length} in these days`}>
        {places.map((x, index) => {
          const row = rows[index];
          const last = index === places.length - 1;
          return (
            <>
              {row === undefined ? null : (
                <Pin x={x}>
                  <text
                    class={["strong", anchor(x, LABEL_EDGE), last ? "" : "minor"].join(" ")}
                    y={11 + 14 * row}
                  >
                    {TOOLS_UPDATED}
                  </text>
                </Pin>
              )}
              <Upright class="tool" x={x} from={15 + 14 * (row ?? 2)} to={height} />
            </>
          );
        })}
      </Plot>
    </Lane>
  );
}

/** The strip of the width that belongs to a point: half way to each neighbour. */
function strip(points: readonly ChartPoint[], index: number, place: (day: ChartPoint["date"]) => number) {
  const here = points[index];
  const before = points[index - 1];
  const after = points[index + 1];
  if (here === undefined) return { x: 0, width: 0 };
  const x = place(here.date);
  const left = before === undefined ? x - 2 : (place(before.date) + x) / 2;
  const right = after === undefined ? x + 2 : (x + place(after.date)) / 2;
  return { x: Number(Math.max(0, left).toFixed(2)), width: Number((right - Math.max(0, left)).toFixed(2)) };
}

function LanePlot({ lane, props, places, marked }: LaneProps) {
  const { points, format } = lane;
  const extent = extentOf(points);
  if (extent === undefined) {
    return (
      <p class="lane-empty">
        <span class="nm">Not measured</span> in the reports of these days
      </p>
    );
  }
  const place = placeOf(props.days);
  const measured = points.filter((point) => point.value !== undefined);
  const dots = points.length <= DOTTED ? measured : lonePoints(points);
  const scale =
    extent.low === extent.high
      ? `${format(extent.low)} throughout`
      : `${format(extent.high)} at the top, ${format(extent.low)} at the foot`;
  const row = pennantRow(scale, lane.flags, place);
  const [top, height] = [TOP + row, LANE_HEIGHT + row];
  const foot = height - 6;
  const y = heightOf(extent, top, foot);
  return (
    <Plot height={height} label={`${lane.label} by report: ${scale}`}>
      <Level class="grid" y={top} />
      <Level class="grid" y={foot} />
      {marked.map((x) => (
        <Upright class="ann" x={x} from={top} to={height} />
      ))}
      {places.map((x) => (
        <Upright class="tool" x={x} from={top} to={height} />
      ))}
      <svg width="100%" height={height} viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
        <path class="ln" d={linePath(points, place, y)} />
      </svg>
      {points.map(({ date, value }) =>
        value !== undefined ? null : (
          <Pin x={place(date)} y={foot - 7}>
            <rect class="none" x="-3" width="6" height="7" />
          </Pin>
        ),
      )}
      {dots.map((point) => (
        <circle class="dot" cx={percent(place(point.date))} cy={y(point.value ?? 0)} r="2.5" />
      ))}
      <text x="0" y="10">
        {scale}
      </text>
      <Titles lane={lane} place={place} height={height} />
      <Pennants flags={lane.flags} place={place} y={row} />
    </Plot>
  );
}

/** A strip over each point that says its value. */
function Titles(props: {
  readonly lane: ChartLane;
  readonly place: (day: ChartPoint["date"]) => number;
  readonly height: number;
}) {
  const { now } = here();
  const { lane, place, height } = props;
  const titled = evenly(lane.points, TITLED);
  return (
    <>
      {titled.map(({ date, value, broken }, index) => {
        const words = value === undefined ? "Not measured" : lane.format(value);
        const title = `${formatDay(date, now)}: ${words}${broken ? `. ${TOOLS_UPDATED}` : ""}`;
        return <Box class="hit" {...strip(titled, index, place)} height={height} title={title} />;
      })}
    </>
  );
}

interface LaneProps {
  readonly lane: ChartLane;
  readonly props: ChartProps;
  /** Where the measuring tools changed. */
  readonly places: readonly number[];
  /** Where annotations are marked. */
  readonly marked: readonly number[];
}

function Track({ lane, props, places, marked }: LaneProps) {
  const aside = (
    <>
      <h3>
        {lane.label} <span class="headline">{lane.headline}</span>
      </h3>
      <small>
        {lane.notes.map((note, index) => (
          <>
            {index === 0 ? null : <br />}
            {note}
          </>
        ))}
      </small>
    </>
  );
  return (
    <Lane aside={aside}>
      <LanePlot lane={lane} props={props} places={places} marked={marked} />
    </Lane>
  );
}

/** A day below a plot. */
export function TickMark({ tick, y }: { readonly tick: DayTick; readonly y: number }) {
  return (
    <>
      <Upright class="base" x={tick.x} from={y} to={y + 5} />
      <Words class={[tick.anchor ?? "", tick.minor ? "minor" : ""].join(" ")} x={tick.x} y={y + 17}>
        {tick.words}
      </Words>
    </>
  );
}

/** The days below the lanes. */
export function Axis({ days }: { readonly days: ChartDays }) {
  return (
    <Lane narrow>
      <AxisPlot days={days} />
    </Lane>
  );
}

/** The plot of the days alone. */
export function AxisPlot({ days }: { readonly days: ChartDays }) {
  const { now } = here();
  return (
    <Plot height={22}>
      {dayTicks(days, now).map((tick) => (
        <TickMark tick={tick} y={0} />
      ))}
    </Plot>
  );
}

/** The whole figure. `children` stand below it: the legend and the table of the numbers. */
export function Chart(props: ChartProps) {
  const place = placeOf(props.days);
  const places = props.toolChanges.map(place);
  const marked = markedPlaces(props.annotations, place);
  return (
    <figure class="tracks">
      <ToolLabels places={places} />
      {props.lanes.map((lane) => (
        <Track lane={lane} props={props} places={places} marked={marked} />
      ))}
      {props.annotations.length === 0 ? null : (
        <AnnotationLane annotations={props.annotations} place={place} />
      )}
      <Axis days={props.days} />
      {props.children}
    </figure>
  );
}

/** What the signs of the chart mean. */
export function ChartLegend(props: {
  readonly toolChanges: boolean;
  readonly missing: boolean;
  readonly flags: readonly ChartFlag[];
  readonly annotations: readonly ChartAnnotation[];
}) {
  return (
    <Legend
      signs={[
        [
          <>
            <path class="ln" d="M2 6h16" />
            <circle class="dot" cx="10" cy="6" r="3" />
          </>,
          "One report",
        ],
        props.toolChanges
          ? [<path class="tool" d="M10 0v12" />, `${TOOLS_UPDATED}: the line is not drawn across it`]
          : null,
        props.missing
          ? [<rect class="none" x="7" y="3" width="6" height="7" />, "Report without this figure"]
          : null,
      ]}
    >
      <MarkSigns flags={props.flags} annotations={props.annotations} />
    </Legend>
  );
}
