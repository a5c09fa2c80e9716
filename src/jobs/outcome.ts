import type { RunFault, RunOutcome } from "./contract.ts";

/** Outcomes of attempts by which a run is not whole: nothing came, or not all of it. */
const FELL_SHORT: readonly string[] = ["failed", "incomplete"];
/** Questions that were not asked: they are to wait, or the run ended first. Nothing came of them either. */
const NOT_ASKED: readonly string[] = ["held", "given_up"];

/**
 * What a run came to by its attempts: `done` where none fell short (a source that lags has said so, and is no fault), `failed` where
 * nothing came at all, else `partial`. A run that ended before its work was done is `partial` at best.
 */
export function runOutcome(
  reports: Readonly<Record<string, number>>,
  fault: RunFault | null,
): Exclude<RunOutcome, "busy"> {
  const counts = Object.entries(reports);
  const sumOf = (isOf: (outcome: string) => boolean) =>
    counts.reduce((sum, [outcome, count]) => sum + (isOf(outcome) ? count : 0), 0);
  const short = sumOf((outcome) => FELL_SHORT.includes(outcome));
  const came = sumOf((outcome) => !FELL_SHORT.includes(outcome) && !NOT_ASKED.includes(outcome));
  if (fault === null && short === 0) return "done";
  return came > 0 && fault !== "error" && fault !== "cut_off" ? "partial" : "failed";
}
