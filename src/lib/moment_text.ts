import { parseInstant } from "./instant.ts";
import { parseUtcDay, startOfDay } from "./utc_day.ts";

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
