/** When a target may be asked again after a fault. Pure. */
import { type Fault, isLimit, needsPerson } from "../provider/contract.ts";
import { COOLDOWN_MS } from "../provider/fault.ts";

const MINUTE_MS = 60_000;

/** What only a person can put right is looked at again at this distance. */
const SLOW_MS = 6 * 60 * MINUTE_MS;

/** The moment (milliseconds since the epoch) before which it is not asked again; null for the usual cadence. */
export function nextRetryAt(fault: Fault, now: number): number | null {
  const { category, code, retryAfterMs } = fault;
  if (isLimit(category)) return now + (retryAfterMs ?? COOLDOWN_MS);
  if (needsPerson(category)) return now + Math.max(SLOW_MS, retryAfterMs ?? 0);
  if (code === "too_many_failures") return now + (retryAfterMs ?? COOLDOWN_MS);
  return retryAfterMs === undefined ? null : now + retryAfterMs;
}
