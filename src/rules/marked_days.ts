/**
 * Days that an operator marked, because they differ every time (Christmas, the end of a month, a sale every second Tuesday): no rule
 * compares them. Days are plain calendar dates: a report's own date, or the provider's. Pure.
 */
import { daysBetween, parseUtcDay, startOfDay, type UtcDay } from "../lib/utc_day.ts";

export const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** One `[[marked_days]]` table of the constants document: a day is marked when any of its patterns names it. */
export interface MarkedDays {
  readonly name: string;
  /** `MM-DD` each year, `YYYY-MM-DD` once. */
  readonly dates?: readonly string[];
  /** Days of each month; -1 is its last. A month without the day has none. */
  readonly month_days?: readonly number[];
  /** `2 Tue`, `last Fri`; a month without a fifth Monday has none. */
  readonly nth_weekdays?: readonly string[];
  /** Every so many weeks, from the first such weekday on or after `from`. */
  readonly every?: {
    readonly weekday: (typeof WEEKDAYS)[number];
    readonly weeks: number;
    readonly from: string;
  };
  /** All sites where absent. */
  readonly assets?: readonly string[];
}

/** The name of the first mark that names a day; undefined for an ordinary one. */
export function markOn(marks: readonly MarkedDays[], day: UtcDay): string | undefined {
  return marks.find((mark) => names(mark, day))?.name;
}

function names({ dates, month_days, nth_weekdays, every }: MarkedDays, day: UtcDay): boolean {
  if (dates?.some((date) => date === day || date === day.slice(5)) === true) return true;
  const date = Number(day.slice(8));
  const fromEnd = date - daysInMonth(day) - 1;
  if (month_days?.some((one) => one === date || one === fromEnd) === true) return true;
  const weekday = WEEKDAYS[new Date(startOfDay(day)).getUTCDay()] ?? "";
  const isNth = (one: string) =>
    one === `${Math.ceil(date / 7)} ${weekday}` || (fromEnd >= -7 && one === `last ${weekday}`);
  if (nth_weekdays?.some(isNth) === true) return true;
  const from = every === undefined ? undefined : parseUtcDay(every.from);
  if (every === undefined || from === undefined || every.weekday !== weekday || day < from) return false;
  return Math.floor(daysBetween(from, day) / 7) % every.weeks === 0;
}

function daysInMonth(day: UtcDay): number {
  return new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();
}

/** Whether a text is a date that comes: `MM-DD` or `YYYY-MM-DD`. 29 February comes in leap years. */
export function isMarkedDate(text: string): boolean {
  return parseUtcDay(text.length === 5 ? `2000-${text}` : text) !== undefined;
}
