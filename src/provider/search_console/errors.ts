/** What Search Console says in its own way: quotas come as refusals, told apart by reason and message. */
import type { ErrorTable } from "../answer.ts";
import { googleErrors, type OwnErrors } from "../google/errors.ts";

/**
 * `quotaExceeded` is said of two quotas: that of questions a second, which is over soon, and that of load, which is not. The first is the
 * account's as much as the property's, and asking on about other properties keeps it closed.
 */
const own: OwnErrors = ({ reasons, message }) => {
  if (!reasons.includes("quotaExceeded")) return undefined;
  return message.includes("QPS") ? "rate_limited" : "load_quota";
};

/** Errors of figures. A site that is unknown, unverified or misspelt is refused in the same words. */
export const queryErrors: ErrorTable = googleErrors("property_denied", own);

/** Errors of the list of sites. */
export const listErrors: ErrorTable = googleErrors("access_refused", own);
