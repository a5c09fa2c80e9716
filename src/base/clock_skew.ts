/**
 * Times that lie ahead of the clock. A clock that was once fast leaves them behind; whatever asks for the latest of something, or for
 * what still runs, leaves them out, or they would stay the latest until their date.
 */

import { brokenContract } from "./receive.ts";
import { parseInstant, type UtcDay, utcDayOf } from "./time.ts";

/**
 * What lies ahead of the clock. A clock that was once fast leaves times behind that have not come yet; whatever asks for the latest
 * of something, or for what still runs, leaves them out, or they would stay the latest until their date.
 */

/** How far a report's `generatedAt` may lie ahead of the service's clock, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The newest day that a report can be for without lying ahead: a site's clock that is a little fast may be past midnight. */
export function newestDay(now: number): UtcDay {
  return utcDayOf(now + CLOCK_TOLERANCE_MS);
}

/** Whether something was written down under a clock that was ahead of this one; a small difference is none. */
export function isAhead(at: number, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

/** A report from the future would become the latest one and stay it; a small difference of clocks is let through. */
export function assertNotAhead(generatedAt: string, now: number): void {
  const at = parseInstant(generatedAt);
  if (at !== undefined && isAhead(at, now)) {
    throw brokenContract([
      {
        pointer: "/generatedAt",
        rule: "not-in-future",
        message: "must not be more than 5 minutes ahead of the service's clock",
      },
    ]);
  }
}
