/** One metric over time: a value, a gap or nothing for each day of a chart. Pure. */
import { addDays, daysBetween, type UtcDay } from "../lib/utc_day.ts";

/** Ranges of the charts, in days. */
export const NIGHTLY_RANGES = [7, 30, 90] as const;
export type NightlyRange = (typeof NIGHTLY_RANGES)[number];

/** Days of a chart, both included. */
export interface NightlyDays {
  readonly from: UtcDay;
  readonly to: UtcDay;
}

/** `missing` is a day without a value between days that have one, or a missed night; `outside` is empty paper. */
export type DayPoint =
  | { readonly day: UtcDay; readonly state: "value"; readonly value: number }
  | { readonly day: UtcDay; readonly state: "missing" | "outside" };

/** The days of a range that end on `until`, or on the last night where that is later than it or absent. */
export function nightlyDays(range: NightlyRange, until: UtcDay | undefined, last: UtcDay): NightlyDays {
  const to = until === undefined || until > last ? last : until;
  return { from: addDays(to, 1 - range), to };
}

/** Every day of a chart, oldest first. */
export function eachDay({ from, to }: NightlyDays): UtcDay[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, place) => addDays(from, place));
}

/**
 * The metric's days. Nothing is drawn before its first reading; after its last one every day up to `expectedTo` is missing,
 * and what lies later is empty paper. An absent figure is missing, never 0.
 */
export function trackPoints(
  days: readonly UtcDay[],
  readings: readonly { readonly date: UtcDay; readonly last24h: number | null }[],
  known: { readonly first: UtcDay | undefined; readonly expectedTo: UtcDay | undefined },
): DayPoint[] {
  const values = new Map(readings.map(({ date, last24h }) => [date, last24h]));
  return days.map((day) => {
    const value = values.get(day);
    if (value !== undefined && value !== null) return { day, state: "value", value };
    const { first, expectedTo } = known;
    const expected = first !== undefined && day > first && expectedTo !== undefined && day <= expectedTo;
    return { day, state: expected || value === null ? "missing" : "outside" };
  });
}
