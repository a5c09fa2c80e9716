/** Reports made close to midnight: a little jitter of the sender moves them to the neighbouring UTC day. Pure. */

/** Minutes on either side of 00:00 UTC that count as close. */
export const MIDNIGHT_MINUTES = 30;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Whether an instant lies within 30 minutes of 00:00 UTC, on either side. */
export function isNearMidnight(ms: number): boolean {
  const sinceMidnight = ((ms % DAY_MS) + DAY_MS) % DAY_MS;
  return Math.min(sinceMidnight, DAY_MS - sinceMidnight) <= MIDNIGHT_MINUTES * MINUTE_MS;
}
