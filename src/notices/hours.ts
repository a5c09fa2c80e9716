/** Quiet hours and the daily digest by the clock of a channel's own time zone. Pure; moments are milliseconds since the epoch. */
import type { ChannelRules } from "../channels/settings.ts";
import { calendarDay } from "../lib/zone_day.ts";

const MINUTE_MS = 60_000;
const DAY = 1_440;

const inZone = (ms: number, timeZone: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone, ...parts }).format(ms);

/** "07:00" by the clock of a zone. */
export const clockText = (ms: number, zone: string): string =>
  inZone(ms, zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** "Fri 20 Nov, 07:00" by the clock of a zone. */
export const zonedText = (ms: number, zone: string): string =>
  `${inZone(ms, zone, { weekday: "short", day: "numeric", month: "short" }).replace(",", "")}, ${clockText(ms, zone)}`;

/** Minutes since midnight. */
function minutesOf(clock: string): number {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return hour * 60 + minute;
}

/** When the quiet hours that run now end; undefined while none run. Summer time is in the clock that is read. */
export function quietUntil(rules: Pick<ChannelRules, "quiet" | "zone">, now: number): number | undefined {
  const { quiet, zone } = rules;
  if (quiet === null) return undefined;
  const [from, to, minute] = [minutesOf(quiet.from), minutesOf(quiet.to), minutesOf(clockText(now, zone))];
  const isQuiet = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  if (!isQuiet) return undefined;
  const end = Math.floor(now / MINUTE_MS + ((to - minute + DAY) % DAY)) * MINUTE_MS;
  // A night in which the clock changes is an hour shorter or longer.
  const off = ((to - minutesOf(clockText(end, zone)) + DAY * 1.5) % DAY) - DAY / 2;
  return end + off * MINUTE_MS;
}

/** The day whose digest is due, in the channel's own calendar, and since when; undefined before its hour, and without one. */
export function digestDue(
  { digest, zone }: Pick<ChannelRules, "digest" | "zone">,
  now: number,
): { readonly day: string; readonly dueAt: number } | undefined {
  const late = digest === null ? -1 : minutesOf(clockText(now, zone)) - minutesOf(digest);
  if (late < 0) return undefined;
  const day = new Date(calendarDay(now, zone) * DAY * MINUTE_MS).toISOString().slice(0, 10);
  return { day, dueAt: now - late * MINUTE_MS - (now % MINUTE_MS) };
}
