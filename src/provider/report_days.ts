/** Days and numbers as reports write them, and what must hold for the days of each. */
import * as v from "valibot";
import { dayNumber } from "../lib/day_number.ts";
import { parseUtcDay } from "../lib/utc_day.ts";
import { zoneDay } from "../lib/zone_day.ts";
import type { DailyReport, Outcome } from "./contract.ts";
import { refused } from "./fault.ts";

type ReportDay = DailyReport["days"][number];

/** The day number of `YYYY-MM-DD`; undefined for anything else. */
export function dayIn(text: string): number | undefined {
  const day = parseUtcDay(text);
  return day === undefined ? undefined : dayNumber(day);
}

/** A count as JSON tells it: whole, not negative, and small enough to be exact. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The days in the order of the calendar, where each lies in the range that was asked for and none stands twice. */
export function orderedDays(
  days: readonly ReportDay[],
  { from, to }: DayRange,
): Outcome<readonly ReportDay[]> {
  const ordered = days.toSorted((a, b) => a.day - b.day);
  const fits = ordered.every(({ day }, place) => day >= from && day <= to && day !== ordered[place - 1]?.day);
  return fits ? { ok: true, value: ordered } : refused("other_days");
}

/** The stretch of days that is asked for: 90 that are shown and 7 before them that only calculations use (spec, Scheduled work). */

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

/** An object with these parts, and others beside them; a list is none, though it may seem one without parts. */
export function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
    v.object(entries),
  );
}

/** The value of a body's text, of the shape that a report has. */
export function readJson<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  try {
    return shaped(JSON.parse(text), schema);
  } catch {
    return refused("unreadable_report");
  }
}

/** A value of the shape that a report has. */
export function shaped<Schema extends v.GenericSchema>(
  value: unknown,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  const read = v.safeParse(schema, value);
  return read.success ? { ok: true, value: read.output } : refused("unexpected_report");
}

/** Longest name of a property; one that is longer, or has signs that no name has, is not sent. */
const LONGEST_PROPERTY = 2_048;

export function isNamed(property: string): boolean {
  return property !== "" && property.length <= LONGEST_PROPERTY && !/\p{Cc}|\p{Cs}/u.test(property);
}
