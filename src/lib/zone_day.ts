/** Calendar days of a time zone: a provider's day is a day of its own calendar, with 23, 24 or 25 hours, never a UTC day. */

/** Names as the time zone database writes them; an offset such as `+02:00` is no calendar, since it knows no summer. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
const DAY_MS = 86_400_000;

/** Every zone has a handful of spellings at most; a flood of invented ones is not kept. */
const KEPT = 1_024;
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(timeZone)) return formats.get(timeZone);
  const format = NAME.test(timeZone) ? formatFor(timeZone) : undefined;
  if (formats.size >= KEPT) formats.clear();
  formats.set(timeZone, format);
  return format;
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "gregory",
      numberingSystem: "latn",
      year: "numeric",
      month: "numeric",
      day: "numeric",
    });
  } catch {
    return undefined;
  }
}

/** The calendar day that an instant (milliseconds since the epoch) has in a time zone; in UTC where none is named, and where it is none. */
export function calendarDay(ms: number, timeZone: string | undefined): number {
  return timeZone !== undefined && isTimeZone(timeZone) ? zoneDay(ms, timeZone) : Math.floor(ms / DAY_MS);
}

/** Whether this machine knows the calendar of a time zone by that name. */
export function isTimeZone(name: string): boolean {
  return formatOf(name) !== undefined;
}

/**
 * The calendar day that an instant (milliseconds since the epoch) has in a time zone, as a day number (`lib/day_number.ts`). Throws
 * `RangeError` for a name that is no time zone: ask `isTimeZone` first where it comes from outside.
 */
export function zoneDay(ms: number, timeZone: string): number {
  const format = formatOf(timeZone);
  if (format === undefined) throw new RangeError("no such time zone");
  let year = 0;
  let month = 0;
  let day = 0;
  for (const { type, value } of format.formatToParts(ms)) {
    if (type === "year") year = Number(value);
    else if (type === "month") month = Number(value);
    else if (type === "day") day = Number(value);
  }
  return Date.UTC(year, month - 1, day) / DAY_MS;
}
