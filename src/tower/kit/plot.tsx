/**
 * The parts every plot is drawn from, on the server: x in percent, y in pixels, so the width is fluid and the text keeps its size.
 * A native title gives a place its value without a script.
 */

import { scaleUtc } from "d3-scale";
import { line } from "d3-shape";
import { addDays, startOfDay, type UtcDay } from "../../base/time.ts";
import type { Child } from "../jsx/jsx-runtime.ts";

// Where things stand on a chart: x in percent of its width, y in pixels from its top.

/** One value of a lane; undefined where the day's report did not measure it. */
export interface ChartPoint {
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
export function anchor(x: number, edge: number): "end" | "mid" | undefined {
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

/** The meaning of a plot's signs. */
export function Legend(props: {
  readonly signs: readonly (readonly [sign: Child, words: Child] | null)[];
  /** Further entries. */
  readonly children?: Child;
}) {
  return (
    <ul class="legend">
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
    </ul>
  );
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
