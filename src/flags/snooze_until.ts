import { parseInstant } from "../lib/instant.ts";
import { readMoment } from "../lib/moment_text.ts";
import type { FlagRow } from "./contract.ts";

const DAY_MS = 86_400_000;
/** The longest snooze: a year, leap days included. */
const LONGEST_MS = 366 * DAY_MS;

/** Whether a snooze until then still runs. One that ends beyond the longest was set under a clock that was ahead, and mutes nothing. */
export function snoozeRuns(until: number, now: number): boolean {
  return until > now && until <= longestSnooze(now);
}

/** Whether a flag is put away. A snooze ends by itself: nothing is written when its time is over. */
export function isSnoozed(flag: Pick<FlagRow, "status" | "snoozed_until">, now: number): boolean {
  const until = flag.snoozed_until === null ? undefined : parseInstant(flag.snoozed_until);
  return flag.status === "open" && until !== undefined && snoozeRuns(until, now);
}

/** The last moment until which a snooze set now may run. */
export function longestSnooze(now: number): number {
  return now + LONGEST_MS;
}

/** When a snooze ends, or what is wrong with the text. */
export type Until =
  | { readonly ok: true; readonly until: number }
  | { readonly ok: false; readonly message: string };

/**
 * Reads when a snooze ends: a number of days from now (`days`), or an instant, a date (its midnight) or a minute, all in UTC
 * (`until`). It lies ahead, and by a year at most.
 */
export function readUntil(
  asked: { readonly days?: string | undefined; readonly until?: string | undefined },
  now: number,
): Until {
  const { days, until = "" } = asked;
  if (days !== undefined && days !== "") {
    const count = /^\d{1,3}$/.test(days) ? Number(days) : 0;
    return judged(count > 0 ? now + count * DAY_MS : undefined, now);
  }
  return judged(readMoment(until), now);
}

function judged(until: number | undefined, now: number): Until {
  if (until === undefined) return { ok: false, message: "Give a date, or a date and a time in UTC." };
  if (until <= now) return { ok: false, message: "This moment is over. Give one that lies ahead." };
  if (until > longestSnooze(now)) return { ok: false, message: "A snooze lasts a year at most." };
  return { ok: true, until };
}
