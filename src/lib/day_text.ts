import { formatInstant } from "./instant.ts";
import { type UtcDay, utcDayOf } from "./utc_day.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `18 Nov`, in stored text: English, no locale of a machine. It stands where the year is told or cannot be another. */
export function dayText(day: UtcDay): string {
  return `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1] ?? ""}`;
}

/** `18 Nov`; with its year where that is another one than that of `now`. */
export function dayTextAt(day: UtcDay, now: number): string {
  const year = day.slice(0, 4);
  return year === utcDayOf(now).slice(0, 4) ? dayText(day) : `${dayText(day)} ${year}`;
}

/** `18 Nov 06:12 UTC`; with its year where that is another one than that of `now`. */
export function momentText(ms: number, now: number): string {
  return `${dayTextAt(utcDayOf(ms), now)} ${formatInstant(ms).slice(11, 16)} UTC`;
}
