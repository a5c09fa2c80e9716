/**
 * The parts every plot is drawn from, on the server: x in percent, y in pixels, so the width is fluid and the text keeps its size.
 * A native title gives a place its value without a script.
 */

import { scaleUtc } from "d3-scale";
import { line } from "d3-shape";
import { countWords as countOf } from "../../base/text.ts";
import { addDays, daysBetween, startOfDay, type UtcDay, utcDayOf } from "../../base/time.ts";
import { EXCLUDED, FINAL, PROVISIONAL, type Stretch as StretchOfDays } from "../../reports/series_days.ts";
import { formatDay, formatNarrow } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";

// Where things stand on a chart: x in percent of its width, y in pixels from its top.

/** One value of a lane; undefined where the day's report did not measure it. */
interface ChartPoint {
  readonly date: UtcDay;
  readonly value: number | undefined;
  /** The line is not drawn from the point before to this one. */
  readonly broken: boolean;
}

/** Days of a chart, both included. */
export interface ChartDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

const NOON_MS = 43_200_000;

function short(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The middle of a day, in percent of the width. */
export function placeOf(days: ChartDays): (day: UtcDay) => number {
  const scale = scaleUtc([startOfDay(days.from), startOfDay(addDays(days.to, 1))], [0, 100]);
  return (day) => short(scale(startOfDay(day) + NOON_MS));
}

/** The line through the points. It stops where a value is missing and where the point says it is broken. */
export function linePath(
  points: readonly ChartPoint[],
  x: (day: UtcDay) => number,
  y: (value: number) => number,
): string {
  const steps: (ChartPoint | undefined)[] = [];
  for (const point of points) {
    if (point.broken) steps.push(undefined);
    steps.push(point);
  }
  const draw = line<ChartPoint | undefined>()
    .defined((step) => step?.value !== undefined)
    .x((step) => (step === undefined ? 0 : x(step.date)))
    .y((step) => (step?.value === undefined ? 0 : y(step.value)))
    .digits(2);
  return draw(steps) ?? "";
}

/** Points that no line touches: a line needs two neighbours with values and no break between them. */
export function lonePoints(points: readonly ChartPoint[]): readonly ChartPoint[] {
  return points.filter((point, index) => {
    const before = points[index - 1];
    const after = points[index + 1];
    const joinsBefore = !point.broken && before?.value !== undefined;
    const joinsAfter = after?.value !== undefined && !after.broken;
    return point.value !== undefined && !joinsBefore && !joinsAfter;
  });
}

/**
 * Rows for marks at these places, in their order, so that two nearer than `gap` percent do not lie on each other;
 * undefined for a mark that finds no room in any of the rows.
 */
export function stack(places: readonly number[], gap: number, rows: number): (number | undefined)[] {
  const ends: number[] = Array.from({ length: rows }, () => Number.NEGATIVE_INFINITY);
  return places.map((place) => {
    const row = ends.findIndex((end) => place - end >= gap);
    if (row === -1) return undefined;
    ends[row] = place;
    return row;
  });
}

/** Percent of a plot's width, in two digits at most. */
export function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}

/** Words near an edge of a plot grow away from it; `edge` is half their width in percent. */
function anchor(x: number, edge: number): "end" | "mid" | undefined {
  if (x > 100 - edge) return "end";
  return x < edge ? undefined : "mid";
}

/** A drawing of its own height; `label` says all of it in words, and one without is no more than decoration. It may hold links. */
export function Plot(props: { readonly height: number; readonly label?: string; readonly children: Child }) {
  const { height, label } = props;
  return (
    <svg
      class="plot"
      height={height}
      role={label === undefined ? undefined : "group"}
      aria-label={label}
      aria-hidden={label === undefined ? "true" : undefined}
    >
      {props.children}
    </svg>
  );
}

/** One lane of a figure: its name at the side, its axis, its plot. Narrow for what is no measure of its own. */
export function Lane(props: {
  readonly aside?: Child;
  readonly axis?: Child;
  readonly narrow?: boolean;
  readonly children: Child;
}) {
  return (
    <div class={props.narrow === true ? "track axis" : "track"}>
      <div>{props.aside}</div>
      <div>{props.axis}</div>
      {props.children}
    </div>
  );
}

/** Something at one place of the width, drawn around it in pixels. */
export function Pin(props: {
  readonly x: number;
  readonly y?: number;
  readonly class?: string;
  readonly children: Child;
}) {
  return (
    <svg class={props.class} x={percent(props.x)} y={props.y} overflow="visible">
      {props.children}
    </svg>
  );
}

/** The look of a part, and where it is drawn. */
type Drawn<Places extends string> = { readonly class: string } & Readonly<Record<Places, number>>;

/** A level across the whole width. */
export function Level({ class: name, y }: Drawn<"y">) {
  return <line class={name} x1="0" x2="100%" y1={y} y2={y} />;
}

/** A line down at one place of the width. */
export function Upright({ class: name, x, from, to }: Drawn<"x" | "from" | "to">) {
  return <line class={name} x1={percent(x)} x2={percent(x)} y1={from} y2={to} />;
}

/** A stretch of the width at one height. */
export function Stretch({ class: name, from, to, y }: Drawn<"from" | "to" | "y">) {
  return <line class={name} x1={percent(from)} x2={percent(to)} y1={y} y2={y} />;
}

/** A box over a stretch of the width, with what it says. */
export function Box(props: Drawn<"x" | "width" | "y" | "height"> & { readonly title?: string }) {
  const { class: name, x, width, y, height, title } = props;
  return (
    <rect class={name} x={percent(x)} width={percent(width)} y={y} height={height}>
      {title === undefined ? null : <title>{title}</title>}
    </rect>
  );
}

/** The meaning of a plot's signs; nothing where it has none. */
export function Legend(props: {
  readonly signs: readonly (readonly [sign: Child, words: Child] | null)[];
  /** Further entries. */
  readonly children?: Child;
}) {
  const entries = (
    <>
      {props.signs.map((entry) =>
        entry === null ? null : (
          <li>
            {entry[0] === null ? null : (
              <svg aria-hidden="true" class="plot">
                {entry[0]}
              </svg>
            )}
            {entry[1]}
          </li>
        ),
      )}
      {props.children}
    </>
  );
  return entries.toString() === "" ? null : <ul class="legend">{entries}</ul>;
}

/** A share of a whole as a bar beside its number. */

export function Meter({ share }: { readonly share: number }) {
  return (
    <svg class="meter" aria-hidden="true">
      <rect class="t" width="100%" height="8" />
      <rect width={percent(share * 100)} height="8" />
    </svg>
  );
}

// Days of a series, small, on a scale of their own: a bar a day, drawn as what is known of it.

const STEP = 4;
const HEIGHT = 19;
/** Least height of a bar: one visitor beside a thousand is no zero. */
const LOWEST = 1;

/**
 * Settled days are solid, unsettled ones open, days that are left out of rules pale under a dark cap; 0 is a short tick, and a day
 * without a value is a gap. Nothing is drawn where no day has a value.
 */
export function DayBars({ days }: { readonly days: Pick<StretchOfDays, "states" | "values"> }) {
  const { states, values } = days;
  const valued = [...values.keys()].filter((place) => hasValue(days, place));
  if (valued.length === 0) return null;
  const told = valued.map((place) => values[place] ?? 0);
  const highest = Math.max(...told);
  // The feet of the bars lie at 0, so that they need not be said.
  const heightOf = (value: number) =>
    value <= 0 ? 0 : Math.max(LOWEST, Math.round((value / highest) * HEIGHT));
  // Strokes of one path for each look, each moved to from where the last one began.
  const strokes = new Map<string, string>();
  const draw = (look: string, x: number, y: number, stroke: string) =>
    strokes.set(look, `${strokes.get(look) ?? ""}M${x} ${y}${stroke}`);
  for (const place of valued) {
    const x = 2 + place * STEP;
    const height = heightOf(values[place] ?? 0);
    const state = states[place];
    if (state === EXCLUDED) draw("c", x, -HEIGHT - 1, "v2");
    if (height === 0) draw("z", x - 1, 0, "h2");
    else if (state === PROVISIONAL) draw("p", x - 1, 0, `v-${height}h2v${height}`);
    else draw(state === EXCLUDED ? "x" : "b", x, 0, `v-${height}`);
  }
  return (
    <svg
      class="spark"
      viewBox={`0 ${-HEIGHT - 2} ${values.length * STEP} ${HEIGHT + 3}`}
      role="img"
      aria-label={labelOf(days, { valued: valued.length, lowest: Math.min(...told), highest })}
    >
      {["b", "p", "x", "c", "z"].map(
        (look) => strokes.has(look) && <path class={look} d={strokes.get(look)} />,
      )}
    </svg>
  );
}

/** The newest settled day with a value, as its place among the days; -1 where there is none. */
export function newestSettled(days: StretchOfDays): number {
  let place = days.values.length - 1;
  while (place >= 0 && !(days.states[place] === FINAL && hasValue(days, place))) place--;
  return place;
}

function hasValue({ states, values }: Pick<StretchOfDays, "states" | "values">, place: number): boolean {
  return states[place] !== 0 && !Number.isNaN(values[place] ?? Number.NaN);
}

/** "3 to 41 a day on 26 days, 2 of them not final yet". */
function labelOf(
  { states }: Pick<StretchOfDays, "states">,
  { valued, lowest, highest }: { readonly valued: number; readonly lowest: number; readonly highest: number },
): string {
  const open = states.filter((state) => state === PROVISIONAL).length;
  const out = states.filter((state) => state === EXCLUDED).length;
  return [
    `${formatNarrow(lowest)} to ${formatNarrow(highest)} a day on ${countOf(valued, "day")}`,
    ...(open === 0 ? [] : [`${open} not settled`]),
    ...(out === 0 ? [] : [`${out} left out of rules`]),
  ].join(", ");
}

/** The days named under a chart: as many as fit beside each other, and never one that the chart does not show. Pure. */

/** Width of the narrowest plot, on a phone, in pixels; words that are not minor have room on it. */
export const NARROW_PX = 288;
/** Width from which a plot shows its minor words too. */
const WIDE_PX = 500;
/** About the width of a character on a chart. */
const CHARACTER_PX = 6.3;
const GAP_PX = 8;
/** Words may stand out of the plot by so much: the page has more room than that beside it. */
const OVER_PX = 12;

const DAY_STEPS = [1, 2, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 60, 600];

/** A day under a chart. */
interface DayTick {
  readonly day: UtcDay;
  /** The middle of the day, in percent of the width. */
  readonly x: number;
  readonly words: string;
  /** Left out on a narrow plot. */
  readonly minor: boolean;
  readonly anchor: ReturnType<typeof anchor>;
}

/** Days to name: counted back from the last one while they are days and weeks, the first of months beyond. */
export function dayTicks(days: ChartDays, now: number): DayTick[] {
  const place = placeOf(days);
  const ticksOf = (named: readonly UtcDay[]) =>
    named.map((day): DayTick => {
      const [x, words] = [place(day), formatDay(day, now)];
      const edge = (Math.max(0, (words.length * CHARACTER_PX) / 2 - OVER_PX) / NARROW_PX) * 100;
      return { day, x, words, minor: false, anchor: anchor(x, edge) };
    });
  const ways = [
    ...DAY_STEPS.map((step) => () => ticksOf(countedBack(days, step))),
    ...MONTH_STEPS.map((step) => () => ticksOf(firstsOfMonths(days, step))),
  ];
  for (const way of ways) {
    const ticks = way();
    if (!haveRoom(ticks, WIDE_PX)) continue;
    const every = ticks.findIndex((_, index) => haveRoom(eachOf(ticks, index + 1), NARROW_PX)) + 1;
    const named = new Set(eachOf(ticks, every));
    return ticks.map((tick) => ({ ...tick, minor: !named.has(tick) }));
  }
  return [];
}

/** Every so many-th, the last among them. */
function eachOf(ticks: readonly DayTick[], every: number): readonly DayTick[] {
  return ticks.filter((_, index) => (ticks.length - 1 - index) % every === 0);
}

/** Whether no two words lie on each other on a plot of this width. */
function haveRoom(ticks: readonly DayTick[], width: number): boolean {
  let end = Number.NEGATIVE_INFINITY;
  for (const tick of ticks) {
    const [from, to] = spanOf(tick, width);
    if (from - end < GAP_PX) return false;
    end = to;
  }
  return true;
}

/** Where the words of a tick lie on a plot of this width, in pixels. */
function spanOf(
  { x, words, anchor: at }: Pick<DayTick, "x" | "words" | "anchor">,
  width: number,
): readonly [from: number, to: number] {
  const length = words.length * CHARACTER_PX;
  const from = (x / 100) * width - (at === "end" ? length : at === "mid" ? length / 2 : 0);
  return [from, from + length];
}

/** The last day and every so many-th before it. */
function countedBack({ from, to }: ChartDays, step: number): UtcDay[] {
  const count = Math.floor(daysBetween(from, to) / step) + 1;
  // More than a wide plot ever names: not worth a list.
  if (count > WIDE_PX) return [to, to];
  return Array.from({ length: count }, (_, back) => addDays(to, -step * back)).reverse();
}

/** The first days of every so many-th month. */
function firstsOfMonths({ from, to }: ChartDays, step: number): UtcDay[] {
  const begin = new Date(startOfDay(from));
  const firsts: UtcDay[] = [];
  for (let month = begin.getUTCFullYear() * 12 + begin.getUTCMonth(); ; month++) {
    const first = utcDayOf(Date.UTC(Math.floor(month / 12), month % 12));
    if (first > to) return firsts;
    if (month % step === 0 && first >= from) firsts.push(first);
  }
}
