import { startOfDay, type UtcDay, utcDayOf } from "../lib/utc_day.ts";

const DAY_MS = 86_400_000;

/** Whole days since 1970-01-01: the index arithmetic of a series. */
export function dayNumber(day: UtcDay): number {
  return startOfDay(day) / DAY_MS;
}

/** The calendar day of a day number. */
export function dayOfNumber(number: number): UtcDay {
  return utcDayOf(number * DAY_MS);
}
