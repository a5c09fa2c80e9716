/** Days and numbers as reports write them, and what must hold for the days of each. */

import { dayNumber } from "../lib/day_number.ts";
import { parseUtcDay } from "../lib/utc_day.ts";
import type { DailyReport, Outcome } from "./contract.ts";
import { refused } from "./fault.ts";
import type { DayRange } from "./window.ts";

export type ReportDay = DailyReport["days"][number];

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
