import { parseInstant } from "../lib/instant.ts";
import { brokenContract } from "./receive.ts";

/** How far a report's `generatedAt` may lie ahead of the service's clock, in milliseconds. */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** A report from the future would become the latest one and stay it; a small difference of clocks is let through. */
export function assertNotAhead(generatedAt: string, now: number): void {
  const at = parseInstant(generatedAt);
  if (at !== undefined && at > now + CLOCK_TOLERANCE_MS) {
    throw brokenContract([
      {
        pointer: "/generatedAt",
        rule: "not-in-future",
        message: "must not be more than 5 minutes ahead of the service's clock",
      },
    ]);
  }
}
