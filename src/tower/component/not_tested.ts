import type { NotTestedReason } from "../../flow/mod.ts";

/** Why days were not tested, in words that follow a count of days. */
export const NOT_TESTED_WORDS: Readonly<Record<NotTestedReason, string>> = {
  missing_day: "a day is missing",
  provisional_day: "a day is provisional",
  excluded_day: "a day is left out",
  marked_day: "a day is marked",
  too_little_history: "too little history",
  consent_step: "consent mode changed among the compared days",
  not_a_count: "not a count",
  too_few_events: "too few events",
  failed: "the rule failed",
};
