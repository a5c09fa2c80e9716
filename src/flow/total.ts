/** A rule answers whatever it is asked: what it cannot work out is `not tested: failed` with a reason, never an exception. */
import { shortText } from "../lib/short_text.ts";
import { messageOf } from "../lib/thrown.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { UncountableError } from "./baseline.ts";
import type { FailedJudging } from "./verdict.ts";

/** Longest text of an unforeseen error that is kept: a verdict is stored with each metric. */
const LONGEST_DETAIL = 200;

/** The answer of a rule on a day, or that it failed. */
export function orFailed<T>(day: UtcDay, judge: () => T): T | FailedJudging {
  try {
    return judge();
  } catch (error) {
    return { outcome: "not_tested", reason: "failed", day, detail: detailOf(error) };
  }
}

function detailOf(error: unknown): string {
  if (error instanceof UncountableError) return error.message;
  return shortText(`it broke off: ${messageOf(error)}`, LONGEST_DETAIL);
}
