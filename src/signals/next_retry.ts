/** When a target may be asked again after a fault. Pure. */
import type { FailureCategory, Fault } from "../provider/contract.ts";
import { COOLDOWN_MS } from "../provider/fault.ts";

const MINUTE_MS = 60_000;

/** What only a person can put right is looked at again at this distance. */
const SLOW_MS = 6 * 60 * MINUTE_MS;

const LIMITS: ReadonlySet<FailureCategory> = new Set(["rate_limit", "exhausted_budget"]);
const BY_A_PERSON: ReadonlySet<FailureCategory> = new Set(["access", "configuration"]);

/** Whether a hold is one of our own, on what a person can put right at any time: a limit is the provider's. */
export const isSlowProbe = (category: FailureCategory | null | undefined): boolean =>
  category !== null && category !== undefined && BY_A_PERSON.has(category);

/** The moment (milliseconds since the epoch) before which it is not asked again; null for the usual cadence. */
export function nextRetryAt(fault: Fault, now: number): number | null {
  const { category, code, retryAfterMs } = fault;
  if (LIMITS.has(category)) return now + (retryAfterMs ?? COOLDOWN_MS);
  if (BY_A_PERSON.has(category)) return now + Math.max(SLOW_MS, retryAfterMs ?? 0);
  if (code === "too_many_failures") return now + (retryAfterMs ?? COOLDOWN_MS);
  return retryAfterMs === undefined ? null : now + retryAfterMs;
}
