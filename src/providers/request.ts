/** Questions to Google Analytics (Data API and Admin API, v1beta). Dates are days of the property's own calendar. */

import type { Config } from "../base/config.ts";
import { dayOfNumber } from "../base/time.ts";
import { type DayRange, type ErrorTable, type Fault, faultOf } from "./adapter.ts";
import type { Question } from "./client.ts";
import type { FaultCode } from "./faults.ts";
import { type GoogleError, googleErrors } from "./google_errors.ts";

export const ANALYTICS_SCOPE = "https://www.googleapis.com/auth/analytics.readonly";

/** The API's names of the daily figures, in the order of `SIGNAL_METRICS.analytics`. */
export const DAILY_METRICS = ["activeUsers", "sessions", "screenPageViews", "eventCount"] as const;
export const REALTIME_METRICS = ["activeUsers", "screenPageViews", "eventCount"] as const;
/** The stretches of minutes that realtime counts are asked for, by the names that come back with them. */
export const REALTIME_RANGES = ["last30", "last5"] as const;

/** More than the days or hours of any report here, so that one page holds them all. */
const PAGE_ROWS = 1_000;

type Addresses = Config["providers"];

/** A property's id in the API; it stands in addresses as it is. */
export function isProperty(property: string): boolean {
  return /^\d{1,20}$/.test(property);
}

/** Daily figures, from row `offset` on. */
export function dailyQuestion(addresses: Addresses, property: string, range: DayRange, offset = 0): Question {
  return report(addresses, property, { field: "date", metrics: DAILY_METRICS, range, offset });
}

/** Hourly figures, from row `offset` on. */
export function hourlyQuestion(
  addresses: Addresses,
  property: string,
  range: DayRange,
  offset = 0,
): Question {
  return report(addresses, property, { field: "dateHour", metrics: DAILY_METRICS, range, offset });
}

/** The smallest report there is: whether reports are answered at all. */
export function smallestQuestion(addresses: Addresses, property: string, day: number): Question {
  return report(addresses, property, {
    field: "date",
    metrics: ["activeUsers"],
    range: { from: day, to: day },
    offset: 0,
  });
}

interface ReportAsked {
  readonly field: "date" | "dateHour";
  readonly metrics: readonly string[];
  readonly range: DayRange;
  readonly offset: number;
}

function report(
  addresses: Addresses,
  property: string,
  { field, metrics, range, offset }: ReportAsked,
): Question {
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${property}:runReport`,
    body: {
      dateRanges: [{ startDate: dayOfNumber(range.from), endDate: dayOfNumber(range.to) }],
      dimensions: [{ name: field }],
      metrics: metrics.map((name) => ({ name })),
      // Without it the order is that of the first figure, and its ties may change between two pages.
      orderBys: [{ dimension: { dimensionName: field } }],
      limit: String(PAGE_ROWS),
      offset: String(offset),
      keepEmptyRows: false,
      returnPropertyQuota: true,
    },
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
    errors: reportErrors(),
  };
}

/** Minutes are counted back from now; the one that runs is 0. */
export function realtimeQuestion(addresses: Addresses, property: string): Question {
  const [last30, last5] = REALTIME_RANGES;
  return {
    url: `${addresses.analyticsData}/v1beta/properties/${property}:runRealtimeReport`,
    body: {
      metrics: REALTIME_METRICS.map((name) => ({ name })),
      minuteRanges: [
        { name: last30, startMinutesAgo: 29, endMinutesAgo: 0 },
        { name: last5, startMinutesAgo: 4, endMinutesAgo: 0 },
      ],
      returnPropertyQuota: true,
    },
    timeoutMs: 10_000,
    maxBytes: 262_144,
    errors: reportErrors(),
  };
}

/** A page of the properties that an account may see. */
export function propertiesQuestion(addresses: Addresses, pageToken: string | undefined): Question {
  const page = pageToken === undefined ? "" : `&pageToken=${encodeURIComponent(pageToken)}`;
  return admin(`${addresses.analyticsAdmin}/v1beta/accountSummaries?pageSize=200${page}`);
}

/** A property's own settings: its time zone among them, which the list does not have. */
export function propertyQuestion(addresses: Addresses, property: string): Question {
  return admin(`${addresses.analyticsAdmin}/v1beta/properties/${property}`);
}

function admin(url: string): Question {
  return { url, timeoutMs: 20_000, maxBytes: 1_048_576, errors: adminErrors };
}

/** What Google Analytics says in its own way: quotas by the words of their messages, and fields that a property has not registered. */

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
