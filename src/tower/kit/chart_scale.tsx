/** Where things stand on a chart: x in percent of its width, y in pixels from its top. */

import { scaleUtc } from "d3-scale";
import { line } from "d3-shape";
import { addDays, startOfDay, type UtcDay } from "../../base/time.ts";

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
