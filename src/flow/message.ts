/** What the rules say of a metric that raised nothing, as sentences. */
import type { Tails } from "../lib/tails.ts";
import type { FailedJudging, NotTestedFlow, TestedFlow } from "./verdict.ts";
import { countText, dayText } from "./wording.ts";

/** The tail that was judged: that of the flag, or the one the count lies in. */
export function judgedTail({ fires, observed, expected, poisson, alpha }: TestedFlow): keyof Tails {
  if (fires !== null) return fires === "drop" ? "atMost" : "atLeast";
  if (poisson.atMost < alpha || poisson.atLeast < alpha) return poisson.atMost < alpha ? "atMost" : "atLeast";
  return observed.count < expected ? "atMost" : "atLeast";
}

/** "Not tested: the rule failed, the counts of the 2 days to 18 Nov add up to more than 9,007,199,254,740,991." */
export function failedMessage({ detail }: FailedJudging): string {
  return `Not tested: the rule failed, ${detail}.`;
}

/** Why a metric was not tested, as one sentence. */
export function notTestedMessage(verdict: NotTestedFlow): string {
  switch (verdict.reason) {
    case "missing_day":
      return `Not tested: the reading of ${dayText(verdict.blockedBy)} is missing.`;
    case "provisional_day":
      return `Not tested: ${dayText(verdict.blockedBy)} is provisional.`;
    case "excluded_day":
      return `Not tested: ${dayText(verdict.blockedBy)} is excluded.`;
    case "marked_day":
      return `Not tested: marked day, ${verdict.mark ?? "marked"} on ${dayText(verdict.blockedBy)}.`;
    case "too_little_history":
      return verdict.startsOn === undefined
        ? "Not tested: no reading yet."
        : `Starts ${dayText(verdict.startsOn)}: needs ${verdict.historyDaysNeeded} days of history.`;
    case "consent_step": {
      const starts = verdict.startsOn === undefined ? "" : ` Starts ${dayText(verdict.startsOn)}.`;
      return `Not tested: consent mode changed on ${dayText(verdict.step)}, among the days that are compared.${starts}`;
    }
    case "not_a_count":
      return "Not tested: not a count.";
    case "too_few_events":
      return `Not tested: fewer than ${countText(Math.ceil(verdict.lowestTestedDaily * 100) / 100)} a day.`;
    case "failed":
      return failedMessage(verdict);
  }
}
