/** Time: instants in milliseconds since the epoch, calendar days of UTC and their numbers, days of a time zone, and how each is read and written. */

import * as v from "valibot";
import { rule, ruleMessage } from "./contract.ts";

/** A calendar day in UTC, written `YYYY-MM-DD`. Text order is time order. */
export type UtcDay = string & { readonly __utcDay: unique symbol };

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Days that were asked for, by their numbers: most questions are about a few, and writing a date down costs more than many of them. */
const KEPT = 1_024;
const kept: { readonly number: number; readonly day: UtcDay }[] = [];

/** The UTC day that holds an instant (milliseconds since the epoch). */
export function utcDayOf(ms: number): UtcDay {
  const number = Math.floor(ms / DAY_MS);
  const known = kept[number & (KEPT - 1)];
  if (known?.number === number) return known.day;
  const day = new Date(ms).toISOString().slice(0, 10) as UtcDay;
  kept[number & (KEPT - 1)] = { number, day };
  return day;
}

/** Days that were read, each once: the same few come again and again. */
const read = new Set<string>();

/** Reads `YYYY-MM-DD`; `undefined` for anything that is no calendar day. */
export function parseUtcDay(text: string): UtcDay | undefined {
  if (read.has(text)) return text as UtcDay;
  const day = parsedDay(text);
  if (day === undefined) return undefined;
  if (read.size >= KEPT) read.clear();
  read.add(day);
  return day;
}

function parsedDay(text: string): UtcDay | undefined {
  if (!SHAPE.test(text) || text < "0001") return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || utcDayOf(ms) !== text ? undefined : (text as UtcDay);
}

/** Midnight at the start of the day, in milliseconds since the epoch. */
export function startOfDay(day: UtcDay): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The day `days` whole days later (earlier when negative). */
export function addDays(day: UtcDay, days: number): UtcDay {
  return utcDayOf(startOfDay(day) + days * DAY_MS);
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: UtcDay, to: UtcDay): number {
  return Math.round((startOfDay(to) - startOfDay(from)) / DAY_MS);
}

/** Every day from one to another, both included, oldest first. */
export function eachDay({ from, to }: { readonly from: UtcDay; readonly to: UtcDay }): UtcDay[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, place) => addDays(from, place));
}

/** Whole days since 1970-01-01: the index arithmetic of a series. */
export function dayNumber(day: UtcDay): number {
  return startOfDay(day) / DAY_MS;
}

/** The calendar day of a day number. */
export function dayOfNumber(number: number): UtcDay {
  return utcDayOf(number * DAY_MS);
}

/**
 * Strict reading of ISO 8601 timestamps (RFC 3339 profile): date, `T`, time with seconds and an offset.
 *
 * `Date.parse` rolls over impossible dates (30 February becomes 2 March) and takes many loose forms, so the
 * shape is checked first and the calendar fields are checked by a round trip.
 */
const INSTANT_SHAPE =
  /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.(\d{1,9}))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** An offset can carry a moment out of the years 0001 to 9999: 0000 is no year of a calendar, and 10000 has five digits. */
const EARLIEST = Date.parse("0001-01-01T00:00:00Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns the instant in milliseconds since the Unix epoch, or `undefined` when the text is no timestamp. */
export function parseInstant(text: string): number | undefined {
  const [, date, time, fraction = "", offset] = INSTANT_SHAPE.exec(text) ?? [];
  if (date === undefined || parseUtcDay(date) === undefined) return undefined;
  // Cut, not rounded: 23:59:59.9999 still belongs to its own day.
  const instant = Date.parse(`${date}${time}${offset}`) + Number(fraction.padEnd(3, "0").slice(0, 3));
  return instant < EARLIEST || instant > LATEST ? undefined : instant;
}

/** Formats an instant (milliseconds since the epoch) as ISO 8601 in UTC with milliseconds. */
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether a number, as it was read from somewhere, is an instant that can be written. */
export function isMoment(ms: unknown): ms is number {
  return Number.isInteger(ms) && (ms as number) >= EARLIEST && (ms as number) <= LATEST;
}

/** An ISO 8601 timestamp with seconds and an offset, kept as it was written. */
export const Timestamp = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  rule<string>(
    "timestamp",
    (value) => parseInstant(value) !== undefined,
    "must be an ISO 8601 timestamp with an offset, for example 2026-03-01T02:30:00Z",
  ),
  v.metadata({ format: "date-time", pattern: INSTANT_SHAPE.source }),
);

// A provider's day is a day of its own calendar, with 23, 24 or 25 hours, never a UTC day.

/** Names as the time zone database writes them; an offset such as `+02:00` is no calendar, since it knows no summer. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** Every zone has a handful of spellings at most; a flood of invented ones is not kept. */
function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(timeZone)) return formats.get(timeZone);
  let format: Intl.DateTimeFormat | undefined;
  try {
    const date = { year: "numeric", month: "numeric", day: "numeric" } as const;
    // h23, since some locales call midnight 24.
    const hour = { hour: "numeric", hourCycle: "h23" } as const;
    const calendar = { calendar: "gregory", numberingSystem: "latn" } as const;
    if (NAME.test(timeZone))
      format = new Intl.DateTimeFormat("en-US", { timeZone, ...calendar, ...date, ...hour });
  } catch {
    // No zone of this machine.
  }
  if (formats.size >= KEPT) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/** The calendar day that an instant (milliseconds since the epoch) has in a time zone; in UTC where none is named, and where it is none. */
export function calendarDay(ms: number, timeZone: string | undefined): number {
  return timeZone !== undefined && isTimeZone(timeZone) ? zoneDay(ms, timeZone) : Math.floor(ms / DAY_MS);
}

/** Whether this machine knows the calendar of a time zone by that name. UTC is not looked up: the first look takes half as long as a process does to start. */
export function isTimeZone(name: string): boolean {
  return name === "UTC" || formatOf(name) !== undefined;
}

/**
 * The calendar day that an instant (milliseconds since the epoch) has in a time zone, as a day number. Throws
 * `RangeError` for a name that is no time zone: ask `isTimeZone` first where it comes from outside.
 */
export const zoneDay = (ms: number, timeZone: string): number => zonedHour(ms, timeZone).day;

/** The hour that clocks of a time zone show at an instant: the calendar day there, as a day number, and 0 to 23. Throws as above. */
export function zonedHour(ms: number, timeZone: string): { readonly day: number; readonly hour: number } {
  const format = formatOf(timeZone);
  if (format === undefined) throw new RangeError("no such time zone");
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0 } = parts;
  return { day: Date.UTC(year, month - 1, day) / DAY_MS, hour };
}

const LOCAL_MINUTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/**
 * The moment that a form's text names, in milliseconds since the epoch: an instant, a day (its midnight) or a minute, all in UTC.
 * Undefined where it names none.
 */
export function readMoment(typed: string): number | undefined {
  const text = typed.trim();
  const day = parseUtcDay(text);
  return day === undefined ? parseInstant(LOCAL_MINUTE.test(text) ? `${text}:00Z` : text) : startOfDay(day);
}

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

// What lies ahead of the clock. A clock that was once fast leaves times behind that have not come yet; whatever asks for the latest of
// something, or for what still runs, leaves them out, or they would stay the latest until their date.

/** How far a report's `generatedAt` may lie ahead of the service's clock, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The newest day that a report can be for without lying ahead: a site's clock that is a little fast may be past midnight. */
export function newestDay(now: number): UtcDay {
  return utcDayOf(now + CLOCK_TOLERANCE_MS);
}

/** Whether something was written down under a clock that was ahead of this one; a small difference is none. */
export function isAhead(at: number, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}
