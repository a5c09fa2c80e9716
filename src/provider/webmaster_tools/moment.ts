/** Moments as webmaster tools write them: `/Date(1728975600000-0700)/`. */

const MOMENT = /^\/Date\((-?\d{1,17})(?:[+-]\d{4})?\)\/$/;
const DAY_MS = 86_400_000;

/** Milliseconds since the epoch; null for never, which years 1 and 1601 stand for; undefined for what is no moment. */
export function momentIn(text: string): number | null | undefined {
  const ms = MOMENT.exec(text)?.[1];
  if (ms === undefined) return undefined;
  return Number(ms) < 0 ? null : Number(ms);
}

/** The UTC day as a day number. The offset is left aside: UTC midnights come with that of the Pacific, too. Undefined where there is none. */
export function dayOfMoment(text: string): number | undefined {
  const ms = momentIn(text);
  return typeof ms === "number" ? Math.floor(ms / DAY_MS) : undefined;
}
