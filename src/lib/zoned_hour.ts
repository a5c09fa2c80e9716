import { dayNumber } from "./day_number.ts";
import { parseUtcDay } from "./utc_day.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** The hour that clocks of a time zone show at an instant: the calendar day there, as a day number, and 0 to 23. Throws a RangeError for a name that is no time zone. */
export function zonedHour(ms: number, timeZone: string): { readonly day: number; readonly hour: number } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // sv-SE writes dates as ISO does; h23, since some locales call midnight 24.
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      hourCycle: "h23",
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const day = parseUtcDay(`${parts["year"]}-${parts["month"]}-${parts["day"]}`);
  if (day === undefined) throw new RangeError("an instant that no calendar day holds");
  return { day: dayNumber(day), hour: Number(parts["hour"]) };
}
