/**
 * Stacked lanes over one time axis, drawn on the server: x in percent, y in pixels, so the width is fluid and the
 * text keeps its size. A native title on every point gives its value without a script.
 */
import { formatDate, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { AnnotationLane, type ChartAnnotation, type ChartFlag, Pennants } from "./chart_marks.tsx";
import {
  type ChartDays,
  type ChartPoint,
  dayTicks,
  extentOf,
  heightOf,
  linePath,
  lonePoints,
  placeOf,
  stack,
} from "./chart_scale.ts";

export interface Lane {
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
  readonly lanes: readonly Lane[];
  /** Days whose report was made with other tools than the one before. */
  readonly toolChanges: readonly ChartPoint["date"][];
  readonly annotations: readonly ChartAnnotation[];
  readonly now: number;
  readonly children?: Child;
}

const LANE_HEIGHT = 76;
const TOP = 20;
/** Up to so many points each gets a dot of its own; more would run into each other. */
const DOTTED = 60;
/** Most points with a title of their own; of more, every so many-th has one. */
const TITLED = 60;
/** Width of "Measuring tools updated" in percent of a chart of middle width. */
const LABEL_GAP = 24;
const TOOLS_UPDATED = "Measuring tools updated";

const percent = (value: number): string => `${value}%`;

/** Words near an edge of the chart grow away from it; `edge` is half their width in percent. */
function anchor(x: number, edge: number): "end" | "mid" | undefined {
  if (x > 100 - edge) return "end";
  return x < edge ? undefined : "mid";
}

/** At most about `limit` of the points, the first and the last among them. */
function evenly(points: readonly ChartPoint[], limit: number): readonly ChartPoint[] {
  const step = Math.ceil(points.length / limit);
  return points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

function ToolLines({
  places,
  from,
  to,
}: {
  readonly places: readonly number[];
  readonly from: number;
  readonly to: number;
}) {
  return (
    <>
      {places.map((x) => (
        <line class="tool" x1={percent(x)} x2={percent(x)} y1={from} y2={to} />
      ))}
    </>
  );
}

/** The words above the lanes, one for each change of tools, stacked when they stand close. */
function ToolLabels({ places }: { readonly places: readonly number[] }) {
  if (places.length === 0) return null;
  const rows = stack(places, LABEL_GAP, 3);
  const height = 17 + 14 * Math.max(0, ...rows.map((row) => row ?? 0));
  return (
    <div class="track axis">
      <div />
      <svg
        class="plot"
        height={height}
        role="img"
        aria-label={`${TOOLS_UPDATED}: ${places.length} in these days`}
      >
        {places.map((x, index) => {
          const row = rows[index];
          const last = index === places.length - 1;
          return (
            <>
              {row === undefined ? null : (
                <svg x={percent(x)} overflow="visible">
                  <text class={["strong", anchor(x, 22), last ? "" : "minor"].join(" ")} y={11 + 14 * row}>
                    {TOOLS_UPDATED}
                  </text>
                </svg>
              )}
              <line class="tool" x1={percent(x)} x2={percent(x)} y1={15 + 14 * (row ?? 2)} y2={height} />
            </>
          );
        })}
      </svg>
    </div>
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

function Plot({
  lane,
  props,
  places,
}: {
  readonly lane: Lane;
  readonly props: ChartProps;
  readonly places: readonly number[];
}) {
  const extent = extentOf(lane.points);
  if (extent === undefined) {
    return (
      <p class="lane-empty">
        <span class="nm">Not measured</span> in the reports of these days
      </p>
    );
  }
  const { days, now } = props;
  const place = placeOf(days);
  const foot = LANE_HEIGHT - 6;
  const y = heightOf(extent, TOP, foot);
  const dots =
    lane.points.length <= DOTTED
      ? lane.points.filter((point) => point.value !== undefined)
      : lonePoints(lane.points);
  const missing = lane.points.filter((point) => point.value === undefined);
  const titled = evenly(lane.points, TITLED);
  const scale =
    extent.low === extent.high
      ? `${lane.format(extent.low)} throughout`
      : `${lane.format(extent.high)} at the top, ${lane.format(extent.low)} at the foot`;
  return (
    <svg class="plot" height={LANE_HEIGHT} role="img" aria-label={`${lane.label} by report: ${scale}`}>
      <line class="grid" x1="0" x2="100%" y1={TOP} y2={TOP} />
      <line class="grid" x1="0" x2="100%" y1={foot} y2={foot} />
      {props.annotations.map((annotation) => {
        const x = percent(place(annotation.date));
        return <line class="ann" x1={x} x2={x} y1="0" y2={LANE_HEIGHT} />;
      })}
      <ToolLines places={places} from={0} to={LANE_HEIGHT} />
      <svg width="100%" height={LANE_HEIGHT} viewBox={`0 0 100 ${LANE_HEIGHT}`} preserveAspectRatio="none">
        <path class="ln" d={linePath(lane.points, place, y)} />
      </svg>
      {missing.map((point) => (
        <svg x={percent(place(point.date))} y={foot - 7} overflow="visible">
          <rect class="none" x="-3" width="6" height="7" />
        </svg>
      ))}
      {dots.map((point) => (
        <circle class="dot" cx={percent(place(point.date))} cy={y(point.value ?? 0)} r="2.5" />
      ))}
      <text x="0" y="10">
        {scale}
      </text>
      {titled.map((point, index) => {
        const { x, width } = strip(titled, index, place);
        const value = point.value === undefined ? "Not measured" : lane.format(point.value);
        return (
          <rect class="hit" x={percent(x)} width={percent(width)} height={LANE_HEIGHT}>
            <title>{`${formatDay(point.date, now)}: ${value}${point.broken ? `. ${TOOLS_UPDATED}` : ""}`}</title>
          </rect>
        );
      })}
      <Pennants flags={lane.flags} place={place} />
    </svg>
  );
}

function Track({
  lane,
  props,
  places,
}: {
  readonly lane: Lane;
  readonly props: ChartProps;
  readonly places: readonly number[];
}) {
  return (
    <div class="track">
      <div>
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
      </div>
      <Plot lane={lane} props={props} places={places} />
    </div>
  );
}

/** The days below the lanes. */
export function Axis({ days, now }: { readonly days: ChartDays; readonly now: number }) {
  return (
    <div class="track axis">
      <div />
      <svg class="plot" height="22" aria-hidden="true">
        {dayTicks(days, 8).map(({ at, x }, index) => (
          <>
            <line class="base" x1={percent(x)} x2={percent(x)} y1="0" y2="5" />
            <text class={[anchor(x, 1.5), index % 2 === 1 ? "minor" : ""].join(" ")} x={percent(x)} y="17">
              {formatDate(at, now)}
            </text>
          </>
        ))}
      </svg>
    </div>
  );
}

/** The whole figure. `children` stand below it: the legend and the table of the numbers. */
export function Chart(props: ChartProps) {
  const place = placeOf(props.days);
  const places = props.toolChanges.map(place);
  return (
    <figure class="tracks">
      <ToolLabels places={places} />
      {props.lanes.map((lane) => (
        <Track lane={lane} props={props} places={places} />
      ))}
      {props.annotations.length === 0 ? null : (
        <AnnotationLane annotations={props.annotations} place={place} now={props.now} />
      )}
      <Axis days={props.days} now={props.now} />
      {props.children}
    </figure>
  );
}

/** What the signs of the chart mean. */
export function ChartLegend({
  toolChanges,
  missing,
}: {
  readonly toolChanges: boolean;
  readonly missing: boolean;
}) {
  return (
    <ul class="legend">
      <li>
        <svg aria-hidden="true" class="plot">
          <path class="ln" d="M2 6h16" />
          <circle class="dot" cx="10" cy="6" r="3" />
        </svg>
        One report
      </li>
      {toolChanges ? (
        <li>
          <svg aria-hidden="true" class="plot">
            <path class="tool" d="M10 0v12" />
          </svg>
          {TOOLS_UPDATED}: the line is not drawn across it
        </li>
      ) : null}
      {missing ? (
        <li>
          <svg aria-hidden="true" class="plot">
            <rect class="none" x="7" y="3" width="6" height="7" />
          </svg>
          Report without this figure
        </li>
      ) : null}
    </ul>
  );
}
