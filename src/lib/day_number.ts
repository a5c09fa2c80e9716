import { startOfDay, type UtcDay, utcDayOf } from "./utc_day.ts";

const DAY_MS = 86_400_000;

/** Days that were written last, by their number; a verdict writes a dozen and its neighbours write the same. */
const WRITTEN = 1_024;
const writtenNumbers = new Int32Array(WRITTEN).fill(-1);
const writtenDays: UtcDay[] = [];

/** Whole days since 1970-01-01: the index arithmetic of a series. */
export function dayNumber(day: UtcDay): number {
  return startOfDay(day) / DAY_MS;
}

/** The calendar day of a day number. */
export function dayOfNumber(number: number): UtcDay {
  const place = number & (WRITTEN - 1);
  const written = writtenDays[place];
  if (written !== undefined && writtenNumbers[place] === number) return written;
  const day = utcDayOf(number * DAY_MS);
  writtenNumbers[place] = number;
  writtenDays[place] = day;
  return day;
}
