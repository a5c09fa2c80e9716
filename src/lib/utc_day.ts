/** A calendar day in UTC, written `YYYY-MM-DD`. Text order is time order. */
export type UtcDay = string & { readonly __utcDay: unique symbol };

const DAY_MS = 86_400_000;
const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Days that were asked for, by their numbers: most questions are about a few, and writing a date down costs more than many of them. */
const KEPT = 512;
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
  if (!SHAPE.test(text)) return undefined;
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
