/**
 * One figure over the days: bars from 0 for counts, a line for levels. Each day is drawn as what it is, told by its shape: final solid,
 * provisional hatched or dashed, missing an empty slot, excluded a band with a cap. Where nothing is due there is empty paper.
 */

import { countWords as countOf } from "../../base/text.ts";
import { Pennants, pennantRow } from "../kit/chart_marks.tsx";
import {
  type ChartDays,
  type ChartPoint,
  extentOf,
  linePath,
  lonePoints,
  placeOf,
} from "../kit/chart_scale.tsx";
import { Box, Level, Pin, Plot, percent, Stretch, Upright } from "../kit/plot.tsx";
import type { FigureDay } from "./day_words.ts";
import { CODE, figureText } from "./lanes.ts";
import type { Lane } from "./site_days.tsx";

const HEIGHT = 46;
const TOP = 14;
/** Height of a day without a value, and of the slot that says so. */
const SLOT = 10;
/** Least height of a bar: one event beside a thousand is no zero. */
const LOWEST = 2;
/** Share of a day's width that its bar takes. */
const BAR = 0.74;
/** Units of the drawing for one day: the bars are drawn in units and stretched to the width. */
const UNITS = 100;
/** Up to so many points of a line each gets a dot of its own. */
const DOTTED = 40;

/** A figure as it is drawn. */
export type PlottedLane = Pick<Lane, "half" | "label" | "unit" | "days" | "breaks" | "flags"> & {
  /** What stands at a day, and does not happen on it: a line. */
  readonly isLevel?: boolean;
};

interface Field {
  readonly lane: PlottedLane;
  /** Where the highest value is drawn, and the base. */
  readonly top: number;
  readonly foot: number;
  /** The width of a day, in percent. */
  readonly step: number;
  readonly height: (value: number) => number;
}

/** Runs of neighbouring days that hold something, as places from and to. */
function runs(days: readonly FigureDay[], holds: (day: FigureDay) => boolean): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (const [place, day] of days.entries()) {
    if (!holds(day)) continue;
    const last = found.at(-1);
    if (last !== undefined && last[1] === place) found[found.length - 1] = [last[0], place + 1];
    else found.push([place, place + 1]);
  }
  return found;
}

const isDrawn = ({ value }: FigureDay): boolean => value !== null;

function Bars({ lane, top, foot, step, height }: Field) {
  const inset = ((1 - BAR) / 2) * UNITS;
  const width = BAR * UNITS;
  const bars: string[] = [];
  const zeros: string[] = [];
  for (const [place, { state, value }] of lane.days.entries()) {
    if (value === null) continue;
    const x = place * UNITS + inset;
    if (value === 0) zeros.push(`M${x} ${foot - 1}h${width}`);
    else if (state === "final") {
      const tall = foot - height(value);
      bars.push(`M${x} ${foot}v${-tall}h${width}v${tall}z`);
    }
  }
  return (
    <>
      <svg
        width="100%"
        height={foot}
        viewBox={`0 0 ${lane.days.length * UNITS} ${foot}`}
        preserveAspectRatio="none"
      >
        {bars.length === 0 ? null : <path class="v" d={bars.join("")} />}
        {zeros.length === 0 ? null : <path class="zero" d={zeros.join("")} />}
      </svg>
      {lane.days.map(({ state, value }, place) =>
        value === null || value === 0 || state === "final" ? null : (
          <Box
            class={state === "provisional" ? "prov" : "out"}
            x={(place + (1 - BAR) / 2) * step}
            width={step * BAR}
            y={height(value)}
            height={foot - height(value)}
          />
        ),
      )}
      {lane.days.map(({ day }, place) =>
        lane.breaks.has(day) ? <Upright class="tool" x={place * step} from={top} to={foot} /> : null,
      )}
      {runs(lane.days, isDrawn).map(([from, to]) => (
        <Stretch class="base" from={from * step} to={to * step} y={foot} />
      ))}
    </>
  );
}

/** The days of a line as points: those a line may run through, and undefined where it stops. */
function pointsOf(lane: PlottedLane, drawn: (day: FigureDay, place: number) => boolean): ChartPoint[] {
  // Codebase reports are weeks apart: a day without one is no gap.
  const days = lane.half === CODE ? lane.days.filter(({ state }) => state !== "none") : lane.days;
  return days.map((day, place) => ({
    date: day.day,
    value: day.value !== null && drawn(day, place) ? day.value : undefined,
    broken: lane.breaks.has(day.day),
  }));
}

function Line({ field, days }: { readonly field: Field; readonly days: ChartDays }) {
  const { lane, height, foot, top } = field;
  const place = placeOf(days);
  const final = pointsOf(lane, ({ state }) => state === "final");
  const isOpen = (at: number): boolean => lane.days[at]?.state === "provisional";
  const open = pointsOf(
    lane,
    ({ state }, at) => state === "provisional" || (state === "final" && (isOpen(at + 1) || isOpen(at - 1))),
  );
  const hasOpen = lane.days.some(({ state, value }) => state === "provisional" && value !== null);
  const valued = final.filter(({ value }) => value !== undefined);
  const dots = valued.length <= DOTTED && lane.half === CODE ? valued : lonePoints(final);
  const mark = (day: FigureDay, name: string) => (
    <circle class={name} cx={percent(place(day.day))} cy={height(day.value ?? 0)} r="2.5" />
  );
  return (
    <>
      <svg width="100%" height={foot} viewBox={`0 0 100 ${foot}`} preserveAspectRatio="none">
        <path class="ln" d={linePath(final, place, height)} />
        {hasOpen ? <path class="ln prov" d={linePath(open, place, height)} /> : null}
      </svg>
      {[...lane.breaks].map((day) => (
        <Upright class="tool" x={place(day)} from={top} to={foot} />
      ))}
      {dots.map(({ date, value }) => (
        <circle class="dot" cx={percent(place(date))} cy={height(value ?? 0)} r="2.5" />
      ))}
      {lane.days.map((day) => {
        if (day.value === null) return null;
        if (day.state === "provisional") return mark(day, "dot");
        return day.state === "excluded" ? mark(day, "out") : null;
      })}
    </>
  );
}

/** The gaps: a slot for days that are missing, a band over those that are left out. */
function Gaps({ lane, foot, top, step }: Field) {
  const inset = (step * (1 - BAR)) / 2;
  return (
    <>
      {runs(lane.days, ({ state }) => state === "excluded").map(([from, to]) => (
        <>
          {["odd", "dots"].map((name) => (
            <Box
              class={name}
              x={from * step}
              width={(to - from) * step}
              y={top - 3}
              height={foot - top + 3}
            />
          ))}
          <Stretch class="cap" from={from * step} to={to * step} y={top - 3} />
        </>
      ))}
      {lane.half === CODE
        ? lane.days.map(({ state }, place) =>
            state === "missing" ? (
              <Pin x={(place + 0.5) * step} y={foot - 7}>
                <rect class="none" x="-3" width="6" height="7" />
              </Pin>
            ) : null,
          )
        : runs(lane.days, ({ state }) => state === "missing").map(([from, to]) => (
            <Box
              class="none"
              x={from * step + inset}
              width={(to - from) * step - 2 * inset}
              y={foot - SLOT}
              height={SLOT}
            />
          ))}
    </>
  );
}

/** The height of each value between the top and the foot of the plot, and the words of the scale. */
function scaleOf(lane: PlottedLane, low: number, high: number, top: number, foot: number) {
  const { unit } = lane;
  const text = (value: number) => figureText(unit, value);
  const round = (value: number) => Math.round(value * 100) / 100;
  if (isBars(lane)) {
    return (value: number) =>
      high === 0 ? foot : round(foot - Math.max(value === 0 ? 0 : LOWEST, (value / high) * (foot - top)));
  }
  if (text(low) === text(high)) return () => round((top + foot - 4) / 2);
  // Lower is better: 1 stands at the top.
  const [upper, lower] = unit === "position" ? [low, high] : [high, low];
  return (value: number) => round(top + ((upper - value) / (upper - lower)) * (foot - 4 - top));
}

const isBars = ({ half, unit, isLevel = false }: PlottedLane): boolean =>
  half !== CODE && unit === "count" && !isLevel;

/** What the scale says: where a chart begins and ends. */
export function scaleWords(lane: PlottedLane): string | undefined {
  const extent = extentOf(
    lane.days.map(({ day, value }) => ({ date: day, value: value ?? undefined, broken: false })),
  );
  if (extent === undefined) return undefined;
  const [low, high] = [figureText(lane.unit, extent.low), figureText(lane.unit, extent.high)];
  if (isBars(lane)) return extent.high === 0 ? "0 throughout" : high;
  if (low === high) return `${high} throughout`;
  return lane.unit === "position" ? `${low} at the top, ${high} at the foot` : `${low} to ${high}`;
}

/** The plot of one figure; the words alone where no day has a value. */
export function LanePlot(props: {
  readonly lane: PlottedLane;
  readonly days: ChartDays;
  /** Where annotations are marked, in percent. */
  readonly marked: readonly number[];
}) {
  const { lane, days } = props;
  const scale = scaleWords(lane);
  if (scale === undefined) {
    return (
      <p class="lane-empty">
        <span class="nm">No value</span> on these days
      </p>
    );
  }
  const place = placeOf(days);
  const row = pennantRow(scale, lane.flags, place);
  const [top, foot] = [TOP + row, HEIGHT + row];
  const values = lane.days.flatMap(({ value }) => (value === null ? [] : [value]));
  const field: Field = {
    lane,
    top,
    foot,
    step: 100 / lane.days.length,
    height: scaleOf(lane, Math.min(...values), Math.max(...values), top, foot),
  };
  const missing = lane.days.filter(({ state }) => state === "missing").length;
  const label = [
    `${lane.label} by day: ${scale}`,
    `${countOf(values.length, "day")} with a value`,
    ...(missing === 0 ? [] : [`${missing} without`]),
  ].join(", ");
  return (
    <Plot height={foot} label={label}>
      <Level class="grid" y={top} />
      {props.marked.map((x) => (
        <Upright class="ann" x={x} from={top} to={foot} />
      ))}
      <Gaps {...field} />
      {isBars(lane) ? <Bars {...field} /> : <Line field={field} days={days} />}
      <text x="0" y="10">
        {scale}
      </text>
      <Pennants flags={lane.flags} place={place} y={row} />
    </Plot>
  );
}
