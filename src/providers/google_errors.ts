/** The errors that every Google API here answers with: one envelope, in a newer and in an older form. */

import { entryOf } from "../base/contract.ts";
import { MAX_RETRY_AFTER_MS } from "../base/http_client.ts";
import { type AnswerSeen, codeOfStatus, type ErrorTable } from "./answers.ts";
import type { FaultCode } from "./faults.ts";
import { type Fault, faultOf } from "./faults.ts";

/** An error as Google tells it; what it does not tell is undefined, or empty. */
export interface GoogleError {
  /** The envelope's own code; where it has none the answer's status, and undefined where that is no error either. */
  readonly status: number | undefined;
  /** Such as `PERMISSION_DENIED`; search console leaves it out. */
  readonly name: string;
  /** Looked into for what nothing else tells; never shown. */
  readonly message: string;
  /** Of the newer form's `ErrorInfo` and of the older form's list. */
  readonly reasons: readonly string[];
}

/** What one API says in its own way, asked before the common table; undefined where it is nothing of its own. */
export type OwnErrors = (error: GoogleError) => Fault | FaultCode | undefined;

/** The errors of a Google API: its own first, then those of all. `denied` is what a refusal without a reason means there. */
export function googleErrors(denied: FaultCode, own: OwnErrors = () => undefined): ErrorTable {
  return (answer) => {
    const error = errorIn(answer);
    if (error === undefined) return undefined;
    const found = own(error) ?? commonCode(error, denied);
    const fault = typeof found === "string" ? faultOf(found) : found;
    return { ...fault, ...retryAfterOf(answer) };
  };
}

function retryAfterOf({ retryAfterMs, json }: AnswerSeen): Pick<Fault, "retryAfterMs"> {
  const known = retryAfterMs ?? retryDelayIn(json);
  return known === undefined ? {} : { retryAfterMs: known };
}

function commonCode({ status, name, reasons }: GoogleError, denied: FaultCode): FaultCode {
  for (const reason of reasons) {
    const code = entryOf(REASONS, reason);
    if (code !== undefined) return code;
  }
  if (status === 403 || name === "PERMISSION_DENIED") return denied;
  // The API answers, so that its address is right: what it does not find is what was asked for.
  if (status === 404) return "request_refused";
  return entryOf(NAMES, name) ?? codeOfStatus(status ?? 500);
}

/** Reasons that mean the same wherever they come from. A 403 is no refusal of access before they are read. */
const REASONS: Readonly<Record<string, FaultCode>> = {
  SERVICE_DISABLED: "api_disabled",
  accessNotConfigured: "api_disabled",
  ACCESS_TOKEN_SCOPE_INSUFFICIENT: "scope_missing",
  CREDENTIALS_MISSING: "signed_out",
  ACCESS_TOKEN_EXPIRED: "signed_out",
  authError: "signed_out",
  RATE_LIMIT_EXCEEDED: "rate_limited",
  rateLimitExceeded: "rate_limited",
  userRateLimitExceeded: "rate_limited",
  quotaExceeded: "account_quota",
  dailyLimitExceeded: "account_quota",
  backendError: "provider_failed",
};

const NAMES: Readonly<Record<string, FaultCode>> = {
  UNAUTHENTICATED: "signed_out",
  RESOURCE_EXHAUSTED: "rate_limited",
  INVALID_ARGUMENT: "request_refused",
  FAILED_PRECONDITION: "request_refused",
  INTERNAL: "provider_failed",
  UNAVAILABLE: "provider_failed",
  DEADLINE_EXCEEDED: "provider_failed",
};

/** The error of an answer, with whatever status it came. */
function errorIn({ json, status }: AnswerSeen): GoogleError | undefined {
  const error = partOf(json, "error");
  if (error === undefined || error === null) return undefined;
  const code = partOf(error, "code");
  const isCode = typeof code === "number" && code >= 400 && code < 600;
  return {
    status: isCode ? code : status >= 400 ? status : undefined,
    name: textOf(error, "status"),
    message: textOf(error, "message"),
    reasons: [...listOf(error, "details"), ...listOf(error, "errors")]
      .map((item) => textOf(item, "reason"))
      .filter((reason) => reason !== ""),
  };
}

/** Other Google APIs say in the error itself how long to wait: `"retryDelay": "2.460s"`. */
function retryDelayIn(json: unknown): number | undefined {
  for (const detail of listOf(partOf(json, "error"), "details")) {
    const seconds = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textOf(detail, "retryDelay"))?.[1];
    const ms = Math.ceil(Number(seconds ?? 0) * 1_000);
    if (ms > 0) return Math.min(ms, MAX_RETRY_AFTER_MS);
  }
  return undefined;
}

function partOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

function textOf(value: unknown, key: string): string {
  const part = partOf(value, key);
  return typeof part === "string" ? part : "";
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const part = partOf(value, key);
  return Array.isArray(part) ? part : [];
}
