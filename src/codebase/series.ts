/** Figures over time: one point per report, broken where the measuring tools changed. */
import { addDays, type UtcDay } from "../lib/utc_day.ts";
import type { MeasureKey, Measures } from "./measures.ts";
import type { Tools } from "./tools.ts";

export interface SeriesReport {
  readonly date: UtcDay;
  readonly measures: Measures;
  readonly tools: Tools | undefined;
}

export interface SeriesPoint {
  readonly date: UtcDay;
  /** Undefined where the report did not measure the figure. */
  readonly value: number | undefined;
  /** A tool was updated since the report before it, so the two values are not one line. */
  readonly toolsChanged: boolean;
}

/** Which days a chart shows, both included. */
export interface DayRange {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/** What the range links offer, in days; `all` reaches back to the first report. */
export const RANGES = ["30", "90", "365", "all"] as const;

export type RangeName = (typeof RANGES)[number];

/** The days of a named range that ends at `to`. */
export function rangeEnding(name: RangeName, to: UtcDay, first: UtcDay): DayRange {
  if (name !== "all") return { from: addDays(to, 1 - Number(name)), to };
  return { from: first < to ? first : to, to };
}

/** One figure over the range, in the order of days. `read` gives the figure of a report. */
export function seriesOf(
  reports: readonly SeriesReport[],
  changes: ReadonlySet<UtcDay>,
  range: DayRange,
  read: (measures: Measures) => number | undefined,
): SeriesPoint[] {
  const points: SeriesPoint[] = [];
  for (const { date, measures } of reports) {
    if (date < range.from || date > range.to) continue;
    points.push({ date, value: read(measures), toolsChanged: changes.has(date) });
  }
  return points;
}

/** Sums the measured ones of several measures; undefined when none was measured. */
export function sumOf(...keys: readonly MeasureKey[]): (measures: Measures) => number | undefined {
  return (measures) => {
    const values = keys.map((key) => measures[key]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  };
}

/**
 * At most about `limit` points with the same outline: of each stretch of reports its first, lowest, highest and last
 * report stay. Values are never averaged. Reports where the tools changed stay too while they are few; where one
 * is left out, the next point kept carries its change, so that no line is drawn across it.
 */
export function thinned(points: readonly SeriesPoint[], limit: number): readonly SeriesPoint[] {
  if (points.length <= limit) return points;
  const changes = points.filter((point) => point.toolsChanged);
  const kept = new Set<SeriesPoint>(changes.length * 4 <= limit ? changes : []);
  for (const stretch of stretchesOf(points, Math.max(1, Math.floor(limit / 4)))) {
    for (const point of outline(stretch)) kept.add(point);
  }
  const drawn: SeriesPoint[] = [];
  let changed = false;
  for (const point of points) {
    changed ||= point.toolsChanged;
    if (!kept.has(point)) continue;
    drawn.push({ ...point, toolsChanged: changed });
    changed = false;
  }
  return drawn;
}

/** The points cut into so many stretches of equal length. */
function* stretchesOf(points: readonly SeriesPoint[], count: number): Generator<readonly SeriesPoint[]> {
  for (let index = 0; index < count; index++) {
    const [from, to] = [(index * points.length) / count, ((index + 1) * points.length) / count];
    yield points.slice(Math.floor(from), Math.floor(to));
  }
}

function outline(stretch: readonly SeriesPoint[]): readonly SeriesPoint[] {
  const kept: SeriesPoint[] = [...stretch.slice(0, 1), ...stretch.slice(-1)];
  let lowest: SeriesPoint | undefined;
  let highest: SeriesPoint | undefined;
  for (const point of stretch) {
    if (point.value === undefined) continue;
    if (lowest?.value === undefined || point.value < lowest.value) lowest = point;
    if (highest?.value === undefined || point.value > highest.value) highest = point;
  }
  if (lowest !== undefined) kept.push(lowest);
  if (highest !== undefined) kept.push(highest);
  return kept;
}
