/** What webmaster tools wrap every answer in: figures in `d`, errors in `ErrorCode`, with status 400 or 200. */
import type { AnswerSeen } from "../answer.ts";
import type { Fault } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { FaultCode } from "../fault_codes.ts";

/** An answer may come as JSON in a string of JSON. */
export function unwrapped(json: unknown): unknown {
  if (typeof json !== "string" || !/^\s*[{[]/.test(json)) return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The error in an answer; undefined where there is none. `ErrorCode` is looked for before `d`, as a number or as its text. */
export function webmasterToolsErrors({ json, retryAfterMs }: AnswerSeen): Fault | undefined {
  const body = unwrapped(json);
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "ErrorCode")) return undefined;
  const told = (body as { readonly ErrorCode: unknown }).ErrorCode;
  const code = typeof told === "string" && /^\d{1,9}$/.test(told) ? Number(told) : told;
  if (code === 0) return undefined;
  return faultOf((typeof code === "number" && CODES[code]) || "provider_failed", { retryAfterMs });
}

/** By `ErrorCode`. A throttle (4, 5) is the whole key's, and every further question keeps it closed. */
const CODES: Readonly<Record<number, FaultCode>> = {
  1: "provider_failed",
  2: "provider_failed",
  3: "key_refused",
  4: "rate_limited",
  5: "rate_limited",
  6: "account_blocked",
  7: "not_a_site",
  8: "request_refused",
  9: "too_many_sites",
  10: "account_gone",
  11: "request_refused",
  12: "unexpected_report",
  13: "property_denied",
  14: "property_denied",
  15: "provider_failed",
  16: "request_refused",
  18: "key_refused",
};
