/** Categories of failure, as headings and choices call them. */

import type { FailureCategory } from "../../providers/faults.ts";

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

/** The same inside a sentence. */
export const categoryInside = (category: FailureCategory): string => CATEGORY_WORDS[category].toLowerCase();
