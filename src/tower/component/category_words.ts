/** Categories of failure as the pages call them. */
import type { FailureCategory } from "../../provider/contract.ts";
import { FAILURE_WORDS } from "./failure_words.ts";

/** As a heading or a choice. */
export const CATEGORY_WORDS: Readonly<Record<FailureCategory, string>> = {
  access: "Access",
  rate_limit: "Rate limit",
  exhausted_budget: "Exhausted budget",
  network: "Network",
  provider_error: "Provider error",
  invalid_report: "Invalid report",
  incomplete_report: "Incomplete report",
  configuration: "Configuration",
  monitoring_failure: "Monitoring failure",
};

/** In the middle of a sentence, with why it fails. */
export function categoryNames(category: FailureCategory): { readonly name: string; readonly why: string } {
  return { name: CATEGORY_WORDS[category].toLowerCase(), why: FAILURE_WORDS[category].why };
}
