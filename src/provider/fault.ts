import type { Fault, Outcome } from "./contract.ts";
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
