/**
 * The one chart of all pages: figures by day over one time axis, drawn on the server, x in percent and y in pixels, so that its width is
 * fluid and its text keeps its size. Each day is drawn as what it is: final solid, not final hatched or dashed, without a value an empty
 * slot, ignored by rules a band with a cap. `public/days.js` adds the cursor and zooming by dragging; without it each day is a link that
 * says its values.
 */

import { scaleLinear } from "d3-scale";
import { countWords as countOf } from "../../base/text.ts";
import { daysBetween, type UtcDay } from "../../base/time.ts";
import type { SeriesState } from "../../reports/series_days.ts";
import { formatClock, formatCount, formatDay, formatShort } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import {
  ANNOTATION_KINDS,
  AnnotationLane,
  type ChartAnnotation,
  type ChartFlag,
  MarkSigns,
  markedPlaces,
  PENNANT_ROW,
  Pennants,
  type Place,
} from "./chart_marks.tsx";
import { here } from "./here.ts";
import { SEVERITIES, type Severity } from "./links.tsx";
import {
  Box,
  type ChartDays,
  dayTicks,
  Lane,
  Legend,
  Level,
  linePath,
  lonePoints,
  Pin,
  Plot,
  percent,
  placeOf,
  Stretch,
  Upright,
} from "./plot.tsx";
import { Marked } from "./proof.tsx";

/** `none` is empty paper: nothing was due. */
export type DayState = SeriesState | "none";

/** A day of a figure. A figure that is told now and then has the days of its reports alone. */
export interface ChartDay {
  readonly day: UtcDay;
  readonly state: DayState;
  /** Null where there is no value, which is never 0. */
  readonly value: number | null;
}

/** The counts that raise no flag; no upper end where none could raise one. */
export interface Range {
  readonly low: number;
  readonly high: number | null;
}

export interface ChartLane {
  readonly label: string;
  /** What stands beside the plot: its name and its value. */
  readonly aside?: Child;
  readonly form: "bars" | "line";
  /** 1 stands at the top. */
  readonly lowIsBetter?: boolean;
  readonly height: number;
  readonly format: (value: number) => string;
  readonly days: readonly ChartDay[];
  readonly expected?: ReadonlyMap<UtcDay, Range>;
  /** The days that a flag is about, in its colour. */
  readonly flagged?: ReadonlyMap<UtcDay, Severity>;
  /** The days that those were compared with: all others are pale. */
  readonly compared?: ReadonlySet<UtcDay>;
  /** Days to which no line leads from the one before, and why. */
  readonly breaks?: ReadonlySet<UtcDay>;
  readonly broken?: string;
  readonly flags?: readonly ChartFlag[];
}

interface ChartProps {
  readonly days: ChartDays;
  readonly lanes: readonly ChartLane[];
  readonly annotations: readonly ChartAnnotation[];
  /** Flags that stand over no lane of these. */
  readonly flags?: readonly ChartFlag[];
  /** Where a day leads. */
  readonly hrefOf?: (day: UtcDay) => string;
  /** The address that takes `from` and `to`: what is dragged over is shown alone. */
  readonly zoom?: string;
  /** Whether it has no names beside its plots. */
  readonly isAlone?: boolean;
  readonly children?: Child;
}

/** Height of a day without a value, and of the slot that says so. */
const SLOT = 10;
/** Least height of a bar: one event beside a thousand is no zero. */
const LOWEST = 2;
/** Share of a day's width that its bar takes. */
const BAR = 0.74;
/** Units of the drawing for one day: bars and bands are drawn in units and stretched to the width. */
const UNITS = 100;
const TOP = 8;
/** Up to so many points of a line each gets a dot of its own. */
const DOTTED = 60;
/** A range that reaches further than this many times the highest value would flatten what is drawn. */
const MOST_HEADROOM = 2;
/** From this height on an axis names more than its ends. */
const TALL = 160;

/** The states as they are said. */
export const STATE_WORDS: Readonly<Record<DayState, string>> = {
  final: "final",
  provisional: "not final yet",
  missing: "no data",
  excluded: "ignored by rules",
  none: "none due",
};

/** The whole figure. `children` stand below it. */
export function Chart(props: ChartProps) {
  const { days, lanes, annotations, flags = [], children } = props;
  const place = placeOf(days);
  const marked = markedPlaces(annotations, place);
  return (
    <figure class={props.isAlone === true ? "tracks alone" : "tracks"}>
      <div class="lanes" data-zoom={props.zoom}>
        <Days {...props} />
        {lanes.map((lane) => (
          <Track lane={lane} days={days} marked={marked} />
        ))}
        {flags.length === 0 ? null : (
          <Lane narrow aside={<small>Other flags</small>}>
            <Plot height={18} label={countOf(flags.length, "flag")}>
              <Pennants flags={flags} place={place} y={1} />
            </Plot>
          </Lane>
        )}
        {annotations.length === 0 ? null : <AnnotationLane annotations={annotations} place={place} />}
        <Axis days={days} />
      </div>
      <Signs
        lanes={lanes}
        flags={[...lanes.map((lane) => lane.flags ?? []), flags]}
        annotations={annotations}
        place={place}
      />
      {children}
    </figure>
  );
}

/** A strip of the width for each day, half way to its neighbours: it says the values and leads to the day. */
function Days({ days, lanes, annotations, hrefOf }: ChartProps) {
  const x = placeOf(days);
  // Every lane has all days that the chart has.
  const known = (lanes[0]?.days ?? []).map(({ day }) => day);
  const byLane = lanes.map((lane) => new Map(lane.days.map((day) => [day.day, day])));
  const edges = known.slice(1).map((day, before) => (x(day) + x(known[before] ?? day)) / 2);
  return (
    <svg class="daystrips" data-days>
      {known.map((day, place) => {
        const words = formatDay(day);
        const [from, to] = [edges[place - 1] ?? 0, edges[place] ?? 100];
        const title = [
          words,
          ...lanes.flatMap((lane, of) => {
            const said = saidOf(lane, byLane[of]?.get(day));
            return said === "" ? [] : [lanes.length === 1 ? said : `${lane.label}: ${said}`];
          }),
          ...annotations
            .filter(({ date }) => date === day)
            .map(({ kind, at, words: told }) => {
              const time = at === undefined ? "" : ` ${formatClock(at)} UTC`;
              return `${ANNOTATION_KINDS[kind][1]}${time}: ${told}`;
            }),
        ].join("\n");
        const strip = (
          <rect x={percent(from)} width={percent(to - from)} height="100%">
            <title>{title}</title>
          </rect>
        );
        if (hrefOf === undefined) return strip;
        return (
          <a
            id={`day-${day}`}
            href={hrefOf(day)}
            tabindex={place === known.length - 1 ? undefined : -1}
            aria-label={words}
            data-day={day}
          >
            {strip}
          </a>
        );
      })}
    </svg>
  );
}

function saidOf(lane: ChartLane, day: ChartDay | undefined): string {
  if (day === undefined || (day.value === null && day.state === "none")) return "";
  const range = lane.expected?.get(day.day);
  return [
    day.value === null ? "" : lane.format(day.value),
    day.state === "final" ? "" : STATE_WORDS[day.state],
    range === undefined ? "" : `expected ${rangeWords(range, lane.format)}`,
    lane.breaks?.has(day.day) === true ? (lane.broken ?? "") : "",
  ]
    .filter((words) => words !== "")
    .join(", ");
}

/** "317–469", "from 88". */
export function rangeWords({ low, high }: Range, format: (value: number) => string): string {
  if (high === null) return `from ${format(low)}`;
  return low === high ? format(low) : `${format(low)}–${format(high)}`;
}

interface Field {
  readonly lane: ChartLane;
  readonly place: (day: UtcDay) => number;
  /** Where the highest value is drawn, and the base. */
  readonly top: number;
  readonly foot: number;
  /** The width of a day, in percent. */
  readonly step: number;
  /** Whether every day is told of, and not those of reports alone. */
  readonly isDense: boolean;
  readonly y: (value: number) => number;
}

function Track(props: {
  readonly lane: ChartLane;
  readonly days: ChartDays;
  readonly marked: readonly number[];
}) {
  const { lane, days, marked } = props;
  const valued = lane.days.flatMap(({ value }) => (value === null ? [] : [value]));
  if (valued.length === 0) {
    return (
      <Lane aside={lane.aside}>
        <p class="lane-empty">
          <span class="nm">No data</span> on these days
        </p>
      </Lane>
    );
  }
  const { flags = [], format } = lane;
  const row = flags.length === 0 ? 0 : PENNANT_ROW;
  const [top, foot, height] = [TOP + row, lane.height + row - 2, lane.height + row];
  const { y, ticks } = scaleOf(lane, valued, top, foot);
  const count = daysBetween(days.from, days.to) + 1;
  const isDense = lane.days.length === count;
  const field: Field = { lane, place: placeOf(days), top, foot, step: 100 / count, isDense, y };
  const missing = lane.days.filter(({ state }) => state === "missing").length;
  const label = [
    `${lane.label} by day, ${format(Math.min(...valued))} to ${format(Math.max(...valued))}`,
    `${countOf(valued.length, "day")} with a value`,
    ...(missing === 0 ? [] : [`${missing} without`]),
  ].join(", ");
  const finals = lane.days.findLast(({ state, value }) => state === "final" && value !== null);
  const isOpen = lane.days.some(({ day, state }) => state === "provisional" && day > (finals?.day ?? ""));
  return (
    <Lane
      aside={lane.aside}
      axis={
        <svg class="plot y" height={height} aria-hidden="true">
          {ticks.map((tick) => (
            <text x="100%" y={y(tick) + 4}>
              {tickWords(tick, format)}
            </text>
          ))}
        </svg>
      }
    >
      <Plot height={height} label={label}>
        {ticks.map((tick) => (
          <Level class="grid" y={y(tick)} />
        ))}
        <Expected {...field} />
        {marked.map((x) => (
          <Upright class="ann" x={x} from={top} to={foot} />
        ))}
        <Gaps {...field} />
        {lane.form === "bars" ? <Bars {...field} /> : <Line {...field} />}
        {finals !== undefined && isOpen ? (
          <Upright class="settled" x={field.place(finals.day) + field.step / 2} from={row} to={foot} />
        ) : null}
        <Pennants flags={flags} place={field.place} y={0} />
      </Plot>
    </Lane>
  );
}

/** Heights of values, and the values an axis names: bars stand on 0, a line spans what it shows. */
function scaleOf(
  { form, expected, lowIsBetter, height }: ChartLane,
  valued: readonly number[],
  top: number,
  foot: number,
) {
  const highest = Math.max(...valued);
  const ranges = [...(expected?.values() ?? [])].map(({ high }) => high ?? 0);
  const most = Math.max(highest, Math.min(Math.max(0, ...ranges), MOST_HEADROOM * highest));
  const lowest = form === "bars" ? 0 : Math.min(...valued);
  const isLevel = lowest === most;
  const [low, high] = isLevel ? [Math.min(0, lowest), most === 0 ? 1 : 2 * most] : [lowest, most];
  const count = height >= TALL ? 4 : 2;
  const scale = scaleLinear([low, high], lowIsBetter === true ? [top, foot] : [foot, top]).nice(4);
  const ends = scale.domain();
  const ticks = count > 2 ? scale.ticks(count) : isLevel ? [most] : ends;
  scale.clamp(true);
  return { y: (value: number) => Math.round(scale(value) * 100) / 100, ticks };
}

/** From a million on in short: on a phone the first digits would lie outside, "500,000" of 1,500,000. */
function tickWords(tick: number, format: ChartLane["format"]): string {
  const words = format(tick);
  return tick >= 1e6 && words === formatCount(tick) ? formatShort(tick) : words;
}

/** The expected range as a band behind the days. */
function Expected({ lane, foot, step, place, y, top }: Field) {
  const { expected } = lane;
  if (expected === undefined || expected.size === 0) return null;
  const x = (day: UtcDay, side: number) => Math.round((place(day) + side * (step / 2)) * UNITS);
  const band = lane.days.map(({ day }) => {
    const range = expected.get(day);
    if (range === undefined) return "";
    const upper = range.high === null ? top : y(range.high);
    return `M${x(day, -1)} ${upper}H${x(day, 1)}V${y(range.low)}H${x(day, -1)}z`;
  });
  return (
    <svg width="100%" height={foot} viewBox={`0 0 ${100 * UNITS} ${foot}`} preserveAspectRatio="none">
      <path class="band" d={band.join("")} />
    </svg>
  );
}

function Bars({ lane, top, foot, step, place, y }: Field) {
  const { flagged, breaks, compared } = lane;
  const width = Math.round(step * BAR * UNITS);
  const paths = new Map<Severity | "v" | "pmf" | "zero", string>();
  const add = (name: Severity | "v" | "pmf" | "zero", stroke: string) =>
    paths.set(name, (paths.get(name) ?? "") + stroke);
  const heightOf = (value: number) => Math.max(LOWEST, foot - y(value));
  const left = (day: UtcDay) => place(day) - (step * BAR) / 2;
  for (const { day, state, value } of lane.days) {
    if (value === null) continue;
    const x = Math.round(left(day) * UNITS);
    const flag = flagged?.get(day);
    if (value === 0 && flag === undefined) add("zero", `M${x} ${foot - 1}h${width}`);
    else if (state === "final") {
      const tall = heightOf(value);
      const usual = compared === undefined || compared.has(day) ? "v" : "pmf";
      add(flag ?? usual, `M${x} ${foot}v${-tall}h${width}v${tall}z`);
    }
  }
  return (
    <>
      <svg width="100%" height={foot} viewBox={`0 0 ${100 * UNITS} ${foot}`} preserveAspectRatio="none">
        {[...paths].map(([name, d]) =>
          name === "v" || name === "pmf" || name === "zero" ? (
            <path class={name} d={d} />
          ) : (
            <path class="seen" data-sev={name} d={d} />
          ),
        )}
      </svg>
      {lane.days.map(({ day, state, value }) =>
        value === null || value === 0 || state === "final" ? null : (
          <Box
            class={state === "provisional" ? "prov" : "out"}
            x={left(day)}
            width={step * BAR}
            y={foot - heightOf(value)}
            height={heightOf(value)}
          />
        ),
      )}
      {lane.days.map(({ day }) =>
        breaks?.has(day) === true ? (
          <Upright class="tool" x={place(day) - step / 2} from={top} to={foot} />
        ) : null,
      )}
      {runs(lane.days, ({ value }) => value !== null).map(([from, to]) => (
        <Stretch class="base" from={place(from) - step / 2} to={place(to) + step / 2} y={foot} />
      ))}
    </>
  );
}

function Line({ lane, place, y, top, foot, isDense }: Field) {
  const { days, breaks } = lane;
  const points = (drawn: (day: ChartDay, at: number) => boolean) =>
    days.map((day, at) => ({
      date: day.day,
      value: day.value !== null && drawn(day, at) ? day.value : undefined,
      broken: breaks?.has(day.day) === true,
    }));
  const final = points(({ state }) => state === "final");
  const isOpen = (at: number): boolean => days[at]?.state === "provisional";
  const open = points(
    ({ state }, at) => state === "provisional" || (state === "final" && (isOpen(at + 1) || isOpen(at - 1))),
  );
  const valued = final.filter(({ value }) => value !== undefined);
  const dots = isDense || valued.length > DOTTED ? lonePoints(final) : valued;
  const dot = (name: string, day: UtcDay, value: number) => (
    <circle class={name} cx={percent(place(day))} cy={y(value)} r="2.5" />
  );
  return (
    <>
      <svg width="100%" height={foot} viewBox={`0 0 100 ${foot}`} preserveAspectRatio="none">
        <path class="ln" d={linePath(final, place, y)} />
        {days.some(({ state, value }) => state === "provisional" && value !== null) ? (
          <path class="ln prov" d={linePath(open, place, y)} />
        ) : null}
      </svg>
      {days.map(({ day }) =>
        breaks?.has(day) === true ? <Upright class="tool" x={place(day)} from={top} to={foot} /> : null,
      )}
      {dots.map(({ date, value = 0 }) => dot("dot", date, value))}
      {days.map(({ day, state, value }) =>
        value === null || state === "final" ? null : dot(state === "excluded" ? "out" : "dot", day, value),
      )}
    </>
  );
}

/** A slot for days that are missing, a band over those that rules ignore. */
function Gaps({ lane, foot, top, step, place, isDense }: Field) {
  const inset = (step * (1 - BAR)) / 2;
  return (
    <>
      {runs(lane.days, ({ state }) => state === "excluded").map(([from, to]) => {
        const [x, end] = [place(from) - step / 2, place(to) + step / 2];
        return (
          <>
            {["odd", "dots"].map((name) => (
              <Box class={name} x={x} width={end - x} y={top - 3} height={foot - top + 3} />
            ))}
            <Stretch class="cap" from={x} to={end} y={top - 3} />
          </>
        );
      })}
      {isDense
        ? runs(lane.days, ({ state }) => state === "missing").map(([from, to]) => (
            <Box
              class="none"
              x={place(from) - step / 2 + inset}
              width={place(to) - place(from) + step - 2 * inset}
              y={foot - SLOT}
              height={SLOT}
            />
          ))
        : lane.days.map(({ day, state }) =>
            state === "missing" ? (
              <Pin x={place(day)} y={foot - 7}>
                <rect class="none" x="-3" width="6" height="7" />
              </Pin>
            ) : null,
          )}
    </>
  );
}

/** Runs of neighbouring days that hold something: the first and the last day of each. */
function runs(days: readonly ChartDay[], holds: (day: ChartDay) => boolean): (readonly [UtcDay, UtcDay])[] {
  const found: (readonly [UtcDay, UtcDay])[] = [];
  let last: UtcDay | undefined;
  for (const day of days) {
    const isHeld = holds(day);
    const [run] = found.slice(-1);
    if (isHeld && run !== undefined && last === run[1]) found[found.length - 1] = [run[0], day.day];
    else if (isHeld) found.push([day.day, day.day]);
    last = day.day;
  }
  return found;
}

/** The days below the lanes, and what the day under the cursor says. */
function Axis({ days }: { readonly days: ChartDays }) {
  const { now } = here();
  return (
    <Lane narrow>
      <Plot height={22}>
        {dayTicks(days, now).map(({ x, words, minor, anchor }) => (
          <>
            <Upright class="base" x={x} from={0} to={5} />
            <text class={[anchor ?? "", minor ? "minor" : ""].join(" ")} x={percent(x)} y={17}>
              {words}
            </text>
          </>
        ))}
      </Plot>
      <p class="tip" data-day-read aria-live="polite" />
    </Lane>
  );
}

/** What is drawn, and what it means; nothing that is not on this chart. */
function Signs(props: {
  readonly lanes: readonly ChartLane[];
  /** Of each lane. */
  readonly flags: readonly (readonly ChartFlag[])[];
  readonly annotations: readonly ChartAnnotation[];
  readonly place: Place;
}) {
  const { lanes, ...marks } = props;
  const has = (state: DayState) => lanes.some((lane) => lane.days.some((day) => day.state === state));
  const bars = lanes.some(({ form }) => form === "bars");
  const isCompared = lanes.some(({ compared }) => compared !== undefined);
  const severities = new Set(lanes.flatMap(({ flagged }) => [...(flagged?.values() ?? [])]));
  const flagged = SEVERITIES.find((severity) => severities.has(severity));
  const broken = new Set(
    lanes.flatMap(({ breaks, broken: why }) => (breaks?.size && why !== undefined ? [why] : [])),
  );
  return (
    <Legend
      signs={[
        lanes.some(({ form, days }) => form === "bars" && days.some(({ state }) => state === "final"))
          ? [
              <rect class="v" x="6" y="1" width="8" height="11" />,
              isCompared ? "Compared with" : "Final; a short mark is 0",
            ]
          : null,
        isCompared ? [<rect class="pmf" x="6" y="1" width="8" height="11" />, "Other days"] : null,
        lanes.some(({ form }) => form === "line")
          ? [<path class="ln" d="M1 9L8 4l5 3 6-4" />, "Final, as a line"]
          : null,
        flagged === undefined
          ? null
          : [<rect class="seen" data-sev={flagged} x="6" y="1" width="8" height="11" />, "Flagged"],
        lanes.some(({ expected }) => expected !== undefined && expected.size > 0)
          ? [<rect class="band" width="20" height="12" />, <Marked>Expected range</Marked>]
          : null,
        has("provisional")
          ? [
              bars ? (
                <rect class="prov" x="6" y="1" width="8" height="11" />
              ) : (
                <>
                  <path class="ln prov" d="M1 6h18" />
                  <circle class="dot" cx="10" cy="6" r="2.5" />
                </>
              ),
              "Not final yet, may still change",
            ]
          : null,
        has("missing") ? [<rect class="none" x="6" y="2" width="8" height="9" />, "No data"] : null,
        has("excluded")
          ? [
              <>
                <rect class="odd" x="3" y="1" width="14" height="11" />
                <path class="cap" d="M3 1.5h14" />
              </>,
              "Ignored by rules",
            ]
          : null,
        ...[...broken].map((why) => [<path class="tool" d="M10 0v12" />, why] as const),
      ]}
    >
      <MarkSigns {...marks} />
    </Legend>
  );
}
