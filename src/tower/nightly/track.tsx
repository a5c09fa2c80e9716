/** A metric over time: one bar a day, zero-based, with a slot where a value is missing and empty paper where none is due. */
import type { DayPoint, NightlyDays } from "../../pulse/mod.ts";
import { Pennants, pennantRow } from "../component/chart_marks.tsx";
import { placeOf } from "../component/chart_scale.ts";
import { Box, Lane, Level, Plot, Stretch, Upright } from "../component/plot.tsx";
import { countOf, formatDay, formatNarrow } from "../format.ts";
import type { NightlyMetric, NightlyOverview } from "./overview.ts";
import { nightlyHref } from "./query.ts";
import { ShortName } from "./short_name.tsx";

const HEIGHT = 60;
const TOP = 15;
/** Height of a day without a value, and of the slot that says so. */
const SLOT = 12;
/** Least height of a bar: one event beside a thousand is no zero. */
const LOWEST = 2;
/** Share of a day's width that its bar takes. */
const BAR = 0.74;
/** Units of the drawing for one day: the bars are drawn in units and stretched to the width. */
const UNITS = 100;

/** One day in words, for the title of its place. */
function titleOf(point: DayPoint, day: string | undefined): string {
  if (point.state === "value") return `${day}: ${formatNarrow(point.value)}`;
  return point.state === "missing" ? `${day}: no value` : `${day}: none due`;
}

/** Runs of neighbouring days with a value, as places from and to: the base line lies under them and nowhere else. */
function runs(points: readonly DayPoint[]): (readonly [from: number, to: number])[] {
  const found: (readonly [number, number])[] = [];
  for (const [place, { state }] of points.entries()) {
    if (state !== "value") continue;
    const last = found.at(-1);
    if (last !== undefined && last[1] === place) found[found.length - 1] = [last[0], place + 1];
    else found.push([place, place + 1]);
  }
  return found;
}

function Bars(props: {
  readonly points: readonly DayPoint[];
  readonly highest: number;
  /** Where the highest bar ends, and all begin. */
  readonly top: number;
  readonly foot: number;
}) {
  const { points, highest, top, foot } = props;
  const inset = ((1 - BAR) / 2) * UNITS;
  const width = BAR * UNITS;
  const bars: string[] = [];
  const zeros: string[] = [];
  for (const [place, point] of points.entries()) {
    if (point.state !== "value") continue;
    const x = place * UNITS + inset;
    if (point.value === 0) {
      zeros.push(`M${x} ${foot - 1}h${width}`);
    } else {
      const height = Number(Math.max(LOWEST, (point.value / highest) * (foot - top)).toFixed(2));
      bars.push(`M${x} ${foot}v${-height}h${width}v${height}z`);
    }
  }
  return (
    <svg
      width="100%"
      height={foot}
      viewBox={`0 0 ${points.length * UNITS} ${foot}`}
      preserveAspectRatio="none"
    >
      {bars.length === 0 ? null : <path class="v" d={bars.join("")} />}
      {zeros.length === 0 ? null : <path class="zero" d={zeros.join("")} />}
    </svg>
  );
}

function MetricPlot(props: {
  readonly metric: NightlyMetric;
  readonly days: NightlyDays;
  /** Where annotations are marked. */
  readonly marked: readonly number[];
  readonly labels: readonly string[];
}) {
  const { metric, labels } = props;
  const { points } = metric;
  const values = points.flatMap((point) => (point.state === "value" ? [point.value] : []));
  const missing = points.filter(({ state }) => state === "missing").length;
  if (values.length === 0) {
    return (
      <p class="lane-empty">
        <span class="nm">No value</span> on these days
      </p>
    );
  }
  const highest = Math.max(...values);
  const place = placeOf(props.days);
  const step = 100 / points.length;
  const scale = highest === 0 ? "0 throughout" : formatNarrow(highest);
  const row = pennantRow(scale, metric.flags, place);
  const [top, foot] = [TOP + row, HEIGHT + row];
  const label = [
    `${metric.name} by day: ${formatNarrow(Math.min(...values))} to ${formatNarrow(highest)}`,
    `${countOf(values.length, "day")} with a value`,
    ...(missing === 0 ? [] : [`${missing} without`]),
  ].join(", ");
  return (
    <Plot height={foot} label={label}>
      {highest === 0 ? null : <Level class="grid" y={top} />}
      {props.marked.map((x) => (
        <Upright class="ann" x={x} from={top} to={foot} />
      ))}
      <Bars points={points} highest={highest} top={top} foot={foot} />
      {runs(points).map(([from, to]) => (
        <Stretch class="base" from={from * step} to={to * step} y={foot} />
      ))}
      {points.map((point, index) =>
        point.state === "missing" ? (
          <Box
            class="none"
            x={(index + (1 - BAR) / 2) * step}
            width={step * BAR}
            y={foot - SLOT}
            height={SLOT}
          />
        ) : null,
      )}
      <text x="0" y="11">
        {scale}
      </text>
      <svg width="100%" height={foot} viewBox={`0 0 ${points.length} 1`} preserveAspectRatio="none">
        {points.map((point, index) => (
          <path class="hit" d={`M${index} 0v1h1V0`}>
            <title>{titleOf(point, labels[index])}</title>
          </path>
        ))}
      </svg>
      <Pennants flags={metric.flags} place={place} y={row} />
    </Plot>
  );
}

/** The lane of one metric: its name, its latest value, its bars. */
export function MetricTrack(props: {
  readonly overview: NightlyOverview;
  readonly metric: NightlyMetric;
  /** Where annotations are marked, in percent. */
  readonly marked: readonly number[];
  /** The days of the chart in words. */
  readonly labels: readonly string[];
  readonly now: number;
}) {
  const { overview, metric, marked, labels, now } = props;
  const { asset, query, days } = overview;
  const last = metric.points.findLast((point) => point.state === "value");
  return (
    <Lane
      aside={
        <>
          <h3>
            <a class="wrap" href={nightlyHref(asset, { ...query, metric: metric.name, page: 1, q: "" })}>
              <ShortName name={metric.name} />
            </a>{" "}
            <span class="headline">{last?.state === "value" ? formatNarrow(last.value) : ""}</span>
          </h3>
          <small>{last === undefined ? "No value on these days" : formatDay(last.day, now)}</small>
        </>
      }
    >
      <MetricPlot metric={metric} days={days} marked={marked} labels={labels} />
    </Lane>
  );
}
