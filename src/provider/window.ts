/** The stretch of days that is asked for: 90 that are shown and 7 before them that only calculations use (spec, Scheduled work). */
import { zoneDay } from "../lib/zone_day.ts";

export const WINDOW_DAYS = 97;

/** Days from `from` to `to`, both included, as day numbers. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The days of a calendar up to its today. */
export function windowOf(now: number, timeZone: string): DayRange {
  const to = zoneDay(now, timeZone);
  return { from: to - WINDOW_DAYS + 1, to };
}
