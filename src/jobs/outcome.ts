import type { RunFault, RunOutcome } from "./contract.ts";

/**
 * What a run is not whole by: an attempt of which nothing came, or not all of it, and a question that was not asked, because it is to
 * wait or the run ended first. A script that reads `done` may take it that every figure was asked for.
 */
const FELL_SHORT: readonly string[] = ["failed", "incomplete", "held", "given_up"];
/** What an operator paused is not wanted: a run is as whole without it, and nothing came of it. */
const NOT_WANTED = "paused";

/**
 * What a run came to by its attempts: `done` where none fell short (a source that lags has said so, and is no fault), `failed` where
 * nothing came at all, else `partial`. What is paused counts for neither. A run that ended before its work was done is `partial` at best.
 */
export function runOutcome(
  reports: Readonly<Record<string, number>>,
  fault: RunFault | null,
): Exclude<RunOutcome, "busy"> {
  const counts = Object.entries(reports);
  const sumOf = (isOf: (outcome: string) => boolean) =>
    counts.reduce((sum, [outcome, count]) => sum + (isOf(outcome) ? count : 0), 0);
  const short = sumOf((outcome) => FELL_SHORT.includes(outcome));
  const came = sumOf((outcome) => !FELL_SHORT.includes(outcome) && outcome !== NOT_WANTED);
  if (fault === null && short === 0) return "done";
  return came > 0 && fault !== "error" && fault !== "cut_off" ? "partial" : "failed";
}
