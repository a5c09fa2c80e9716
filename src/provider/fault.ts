import { type Fault, isLimit, needsPerson, type Outcome } from "./contract.ts";
import { FAULT_CODES, type FaultCode } from "./fault_codes.ts";

/** What a limit that does not say how long it lasts is left alone for (spec, Limits), whichever provider it is; in milliseconds. */
export const COOLDOWN_MS = 5 * 60_000;

/** A fault by its code: category and scope are the code's own, unless what is known of the case says whom it concerns. */
export function faultOf(code: FaultCode, known: Partial<Pick<Fault, "retryAfterMs" | "scope">> = {}): Fault {
  const { category, scope } = FAULT_CODES[code];
  const { retryAfterMs } = known;
  return {
    category,
    code,
    scope: known.scope ?? scope,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** No result, for this reason. */
export function refused(code: FaultCode): Outcome<never> {
  return { ok: false, fault: faultOf(code) };
}

/** What only a person can put right is looked at again at this distance, in milliseconds. */
const SLOW_MS = 6 * 60 * 60_000;

/** The moment (milliseconds since the epoch) before which it is not asked again after a fault; null for the usual cadence. */
export function nextRetryAt(fault: Fault, now: number): number | null {
  const { category, code, retryAfterMs } = fault;
  if (isLimit(category)) return now + (retryAfterMs ?? COOLDOWN_MS);
  if (needsPerson(category)) return now + Math.max(SLOW_MS, retryAfterMs ?? 0);
  if (code === "too_many_failures") return now + (retryAfterMs ?? COOLDOWN_MS);
  return retryAfterMs === undefined ? null : now + retryAfterMs;
}
