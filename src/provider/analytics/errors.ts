/** What Google Analytics says in its own way: quotas by the words of their messages, and fields that a property has not registered. */
import type { ErrorTable } from "../answer.ts";
import type { Fault } from "../contract.ts";
import { faultOf } from "../fault.ts";
import type { FaultCode } from "../fault_codes.ts";
import { type GoogleError, googleErrors } from "../google/errors.ts";

/** Errors of reports. `customFields` are the custom dimensions asked for, by their names in the API (`customEvent:…`). */
export function reportErrors(customFields: readonly string[] = []): ErrorTable {
  return googleErrors("property_denied", (error) => {
    if (isExhausted(error)) return quotaFault(error.message);
    return isUnregistered(error, customFields) ? "analytics_custom_dimension_unregistered" : undefined;
  });
}

/** Errors of the list of properties, which is asked of no property. */
export const adminErrors: ErrorTable = googleErrors("access_refused");

function isExhausted({ status, name }: GoogleError): boolean {
  return status === 429 || name === "RESOURCE_EXHAUSTED";
}

/** Every quota has one status; a part of the message says which it is. All of them are a property's. */
const QUOTAS: readonly (readonly [words: RegExp, code: FaultCode])[] = [
  [/concurrent/i, "too_many_at_once"],
  [/server errors/i, "too_many_failures"],
  [/thresholded/i, "threshold_quota"],
  [/per day/i, "daily_quota"],
  [/per hour/i, "hourly_quota"],
  [/client errors/i, "too_many_refused"],
];

function quotaFault(message: string): Fault {
  const code = QUOTAS.find(([words]) => words.test(message))?.[1] ?? "rate_limited";
  return faultOf(code, { scope: "property" });
}

/** The message may begin with a guess at what was meant, so it is not looked at from its beginning alone. */
const UNREGISTERED = /\bField (customEvent:[A-Za-z0-9_]+) is not a valid dimension\b/;

function isUnregistered({ status, name, message }: GoogleError, customFields: readonly string[]): boolean {
  const field = UNREGISTERED.exec(message)?.[1];
  return status === 400 && name === "INVALID_ARGUMENT" && field !== undefined && customFields.includes(field);
}
