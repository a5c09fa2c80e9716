import type { RunFault, RunOutcome } from "./contract.ts";

/** What a run is not whole by: nothing came, or not all of it, or it was not asked for, be it that it is not to be asked yet. */
const FELL_SHORT: readonly string[] = ["failed", "incomplete", "held", "given_up"];

/**
 * What a run came to by its attempts: `done` where none fell short (a source that lags has said so, and is no fault), `failed` where
 * all did, else `partial`. A run that ended before its work was done is `partial` at best.
 */
export function runOutcome(
  reports: Readonly<Record<string, number>>,
  fault: RunFault | null,
): Exclude<RunOutcome, "busy"> {
  const counts = Object.entries(reports);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const short = counts.reduce((sum, [outcome, count]) => sum + (FELL_SHORT.includes(outcome) ? count : 0), 0);
  if (fault === null && short === 0) return "done";
  return short < all && fault !== "error" && fault !== "cut_off" ? "partial" : "failed";
}
