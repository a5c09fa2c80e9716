/** What a refusal says of the sending, in the categories by which the health of every integration is told. */
import type { ProblemCode } from "../platform/problem.ts";
import type { FailureCategory } from "../provider/contract.ts";

const CATEGORIES: Partial<Record<ProblemCode, FailureCategory>> = {
  // The sender is known, and what it asks for is not its own.
  unauthenticated: "access",
  "insufficient-scope": "access",
  "asset-mismatch": "access",
  "too-many-requests": "rate_limit",
  // How it is sent, not what: the report itself was never looked at.
  "unsupported-media-type": "configuration",
  "unsupported-encoding": "configuration",
  // The report did not arrive whole: nothing can be said of what stands in it.
  "request-timeout": "network",
  "incomplete-body": "incomplete_report",
  // Nothing is wrong with the report: the service could not keep it.
  "internal-error": "monitoring_failure",
  "storage-unavailable": "monitoring_failure",
};

/** The category of a refusal by its code; whatever is not named here is something about the report that the sender can put right. */
export function refusalCategory(code: string): FailureCategory {
  return CATEGORIES[code as ProblemCode] ?? "invalid_report";
}
