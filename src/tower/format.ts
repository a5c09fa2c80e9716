/** Numbers, percents, dates and durations as the Tower prints them. Times are UTC, and `now` is when the request is answered. */

import { DAY_MS, dayTextAt, formatInstant, HOUR_MS, MINUTE_MS, type UtcDay, utcDayOf } from "../base/time.ts";
import { weekdayText } from "../rules/verdict.ts";
import { here } from "./kit/here.ts";

/** From here on a number is too wide for a table cell and is shortened: "9.01T". */
const WIDE = 1e9;
/** From here on there is no word for the thousands: "9.01E15". */
const VAST = 1e15;

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const upToOne = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });
const one = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const two = new Intl.NumberFormat("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const scientific = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 3 });
// No format of the runtime for what is in UTC: the first one takes half as long as a process does to start.

/** A count: "47,894". */
export function formatCount(value: number): string {
  return whole.format(value);
}

/** A count that must stay narrow: "47,894", shortened only from a thousand million on. */
export function formatNarrow(value: number): string {
  return Math.abs(value) < WIDE ? formatDecimal(value) : formatShort(value);
}

/** Three digits and the thousands in a letter: "1.5M". */
export function formatShort(value: number): string {
  return (Math.abs(value) < VAST ? compact : scientific).format(value);
}

/** A number with at most one decimal: "3.4". */
export function formatDecimal(value: number): string {
  return upToOne.format(value);
}

/** A percent with one decimal, so that those of a column stand under each other: "8.6%", "5.0%". */
export function formatPercent(value: number): string {
  return `${one.format(value)}%`;
}

/** A ratio with two decimals: "0.71". */
export function formatRatio(value: number): string {
  return Math.abs(value) < WIDE ? two.format(value) : formatShort(value);
}

/** A day: "18 Nov", with the year when it is another than that of `now` (both in UTC). */
export function formatDay(day: UtcDay, now = here().now): string {
  return dayTextAt(day, now);
}

/** A day with its weekday: "Wed 18 Nov". */
export function formatWeekday(day: UtcDay, now = here().now): string {
  return `${weekdayText(day).slice(0, 3)} ${formatDay(day, now)}`;
}

/** The first and the last day of a span; a span of one day is that day. */
export function formatDays(from: UtcDay, to: UtcDay, now = here().now): string {
  return from === to ? formatDay(to, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
}

/** The UTC day of an instant, as `formatDay` writes it. */
export function formatDate(ms: number, now = here().now): string {
  return formatDay(utcDayOf(ms), now);
}

/** A moment: "18 Nov 06:12". */
export function formatMoment(ms: number, now = here().now): string {
  return `${formatDate(ms, now)} ${formatClock(ms)}`;
}

/** The time of day: "14:02". */
export function formatClock(ms: number): string {
  return formatInstant(ms).slice(11, 16);
}

/** The time of day with seconds: "14:02:10". */
export function formatFullClock(ms: number): string {
  return formatInstant(ms).slice(11, 19);
}

const inZones = new Map<string, Intl.DateTimeFormat>();
/** Browsers may tell any spelling of a zone. */
const MOST_ZONES = 500;

/** The clock of a time zone (IANA), named by its city: "Wed 18 Nov 2026, 07:12:04 in Berlin". */
export function formatInZone(ms: number, zone: string): string {
  let format = inZones.get(zone);
  if (format === undefined) {
    if (inZones.size >= MOST_ZONES) inZones.clear();
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    inZones.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const day = `${part["weekday"]} ${part["day"]} ${part["month"]} ${part["year"]}`;
  return `${day}, ${part["hour"]}:${part["minute"]}:${part["second"]} in ${cityOf(zone)}`;
}

/** "New York" of "America/New_York". */
export const cityOf = (zone: string): string => (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");

/** How long ago an instant was: "just now", "5 min ago", "9 h ago", "2 d ago"; "in 5 min" for what is to come. */
export function formatAge(ms: number, now = here().now): string {
  const distance = Math.abs(now - ms);
  if (distance < MINUTE_MS) return "just now";
  const length = formatSpan(distance);
  return ms > now ? `in ${length}` : `${length} ago`;
}

/** A length of time in its largest whole unit: "5 min", "9 h", "2 d"; "under 1 min". */
export function formatSpan(ms: number): string {
  if (ms < MINUTE_MS) return "under 1 min";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${formatCount(Math.floor(ms / DAY_MS))} d`;
}
