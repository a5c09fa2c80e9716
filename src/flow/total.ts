/** A rule answers whatever it is asked: what it cannot work out is `not tested: failed` with a reason, never an exception. */
import type { UtcDay } from "../lib/utc_day.ts";
import type { FailedJudging } from "./verdict.ts";

/** Longest text of an unforeseen error that is kept: a verdict is stored with each metric. */
const LONGEST_DETAIL = 200;

/** The answer of a rule on a day, or that it failed. */
export function orFailed<T>(day: UtcDay, judge: () => T): T | FailedJudging {
  try {
    return judge();
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    const detail = `it broke off: ${told}`.slice(0, LONGEST_DETAIL);
    return { outcome: "not_tested", reason: "failed", day, detail };
  }
}
