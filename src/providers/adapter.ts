/** Days and numbers as reports write them, and what must hold for the days of each. */

import * as v from "valibot";
import {
  type HttpFailureKind,
  type HttpResponse,
  type HttpResult,
  retryAfterMs,
} from "../base/http_client.ts";
import { isCutJson } from "../base/json.ts";
import { dayNumber, parseUtcDay, zoneDay } from "../base/time.ts";
import { FAULT_CODES, type FaultCode } from "./faults.ts";

/** What every provider's adapter speaks: which figures there are, what an answer comes to, and why there is none. */

/** Provider kinds that daily figures are pulled from; each is also the source of the series made of them. */
export const PROVIDERS = ["analytics", "search-console", "webmaster-tools"] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Everything that an account can be stored for: search result pages (`serp`) have no daily figures. */
export const ACCOUNT_PROVIDERS = [...PROVIDERS, "serp"] as const;
export type AccountProvider = (typeof ACCOUNT_PROVIDERS)[number];

/** As a label or a sentence begins with it. */
export const PROVIDER_NAMES: Readonly<Record<AccountProvider, string>> = {
  analytics: "Analytics",
  "search-console": "Search console",
  "webmaster-tools": "Webmaster tools",
  serp: "Search result pages",
};

/** Whether a name is that of a provider. */
export function isProvider(name: string | null): name is Provider {
  return PROVIDERS.some((provider) => provider === name);
}

/** The daily figures of each provider (spec, Scheduled work), in the order in which they are asked for and stored. */
export const SIGNAL_METRICS = {
  analytics: ["active_users", "sessions", "page_views", "event_count"],
  "search-console": ["clicks", "impressions", "ctr", "position"],
  "webmaster-tools": ["clicks", "impressions"],
} as const satisfies Readonly<Record<Provider, readonly string[]>>;

/** Figures that are no counts: nothing is a zero of theirs, and no rule on counts judges them. */
export const NO_COUNTS: readonly string[] = ["ctr", "position"];

/** Failure categories of integration health (spec, Errors). */
export const FAILURE_CATEGORIES = [
  "access",
  "rate_limit",
  "exhausted_budget",
  "network",
  "provider_error",
  "invalid_report",
  "incomplete_report",
  "configuration",
  "monitoring_failure",
] as const;
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number];

/** What a provider asks to be waited for, whoever asks. */
export const LIMITS = ["rate_limit", "exhausted_budget"] as const satisfies readonly FailureCategory[];
export type Limit = (typeof LIMITS)[number];

export const isLimit = (category: FailureCategory | null): category is Limit =>
  LIMITS.some((limit) => limit === category);

/** Whether only a person can put it right, at any time: a hold for it is one of our own, where a limit is the provider's. */
export const needsPerson = (category: FailureCategory | null): boolean =>
  category === "access" || category === "configuration";

/** Why there is no result. */
export interface Fault {
  readonly category: FailureCategory;
  /** A reviewed code of our own, such as `api_disabled`; never the provider's text. `FAULT_CODES` has its words. */
  readonly code: FaultCode;
  /** How long the provider asked to be left alone, in milliseconds (more than none, at most a day); undefined where it did not say. */
  readonly retryAfterMs?: number | undefined;
  /** Whom it concerns: one property, or everything that is asked of the same provider with the same credential. */
  readonly scope: "property" | "credential";
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: Fault };

/** What is known of an answer beside its figures. A success all the same. */
export type ReportNote = "sampled" | "thresholded" | "other_row" | "top_rows";

/** Daily figures of one property as its provider told them. Days are calendar days of the provider's own calendar, as day numbers. */
export interface DailyReport {
  readonly provider: Provider;
  /** The IANA name of the time zone that the days are of; undefined where the provider does not tell (webmaster tools: not documented). */
  readonly timeZone: string | undefined;
  /**
   * The range that was answered, both included. For webmaster tools the first and the last date returned, of which there are at most 97;
   * where it returned none, `to` is the day before `from`.
   */
  readonly from: number;
  readonly to: number;
  /** Days told, ascending, no day twice; values in the order of `SIGNAL_METRICS`; null where a day has no value of a figure. */
  readonly days: readonly { readonly day: number; readonly values: readonly (number | null)[] }[];
  /** Search console: from this day on all is provisional; undefined where the provider did not say so. */
  readonly firstIncomplete: number | undefined;
  readonly notes: readonly ReportNote[];
}

/** A property that a credential gives access to. */
export interface DiscoveredProperty {
  readonly provider: Provider;
  /** The provider's own id: digits for analytics, the exact site address or `sc-domain:…` for search console, the exact address for webmaster tools. */
  readonly property: string;
  readonly name: string;
  /** The IANA name of its calendar's time zone, where it is known. */
  readonly timeZone: string | undefined;
  /** False where it is listed and every question about it would be refused (an unverified user, an unverified site). */
  readonly usable: boolean;
}

/** Figures of the last minutes. Each is a count of its own: the visitors of two ranges cannot be added up. */
export interface RealtimeCounts {
  readonly activeUsers: number;
  readonly pageViews: number;
  readonly eventCount: number;
}

/** What goes on at a property now: in the last 30 minutes, and in the last 5 of them. */
export interface Realtime {
  readonly last30: RealtimeCounts;
  readonly last5: RealtimeCounts;
}

/** Figures of one hour of a property's clock, 0 to 23: where the clock goes back, one holds two. */
export interface HourOfReport extends RealtimeCounts {
  /** The day in the property's calendar, as a day number. */
  readonly day: number;
  readonly hour: number;
  readonly sessions: number;
}

/** The hours of a property's yesterday and today as they are known now, every one of them provisional. */
export interface HourlyReport {
  /** The IANA name of the time zone that the hours are of. */
  readonly timeZone: string;
  /** The two days, as day numbers. */
  readonly from: number;
  readonly to: number;
  /** Hours told, ascending, no hour twice; one without events is left out. */
  readonly hours: readonly HourOfReport[];
  readonly notes: readonly ReportNote[];
}

/** Answers that are no errors, as they came, with what was asked: plain data, so that they can be read elsewhere. */
export interface RawDaily {
  readonly provider: Provider;
  readonly property: string;
  /**
   * The days asked for, both included, as day numbers, and the time zone they are of where it is known. Webmaster tools are not asked
   * for days: `from` is 0 there.
   */
  readonly asked: { readonly from: number; readonly to: number; readonly timeZone: string | undefined };
  /** When it was asked, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** Bodies of the pages, in order. */
  readonly bodies: readonly string[];
}

/** What is known when days or hours are asked for. */
export interface DailyQuestion {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The property's time zone as it was last told. */
  readonly timeZone?: string | undefined;
}

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

type ReportDay = DailyReport["days"][number];

/** The day number of `YYYY-MM-DD`; undefined for anything else. */
export function dayIn(text: string): number | undefined {
  const day = parseUtcDay(text);
  return day === undefined ? undefined : dayNumber(day);
}

/** A count as JSON tells it: whole, not negative, and small enough to be exact. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** The days in the order of the calendar, where each lies in the range that was asked for and none stands twice. */
export function orderedDays(
  days: readonly ReportDay[],
  { from, to }: DayRange,
): Outcome<readonly ReportDay[]> {
  const ordered = days.toSorted((a, b) => a.day - b.day);
  const fits = ordered.every(({ day }, place) => day >= from && day <= to && day !== ordered[place - 1]?.day);
  return fits ? { ok: true, value: ordered } : refused("other_days");
}

/** The stretch of days that is asked for: 90 that are shown and 7 before them that only calculations use (spec, Scheduled work). */

export const WINDOW_DAYS = 97;

/** Days from `from` to `to`, both included, as day numbers. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** The days of a calendar up to its today. */
export function windowOf(now: number, timeZone: string): DayRange {
  const to = zoneDay(now, timeZone);
  return { from: to - WINDOW_DAYS + 1, to };
}

/** An object with these parts, and others beside them; a list is none, though it may seem one without parts. */
export function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
    v.object(entries),
  );
}

/** The value of a body's text, of the shape that a report has. */
export function readJson<Schema extends v.GenericSchema>(
  text: string,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  try {
    return shaped(JSON.parse(text), schema);
  } catch {
    return refused("unreadable_report");
  }
}

/** A value of the shape that a report has. */
export function shaped<Schema extends v.GenericSchema>(
  value: unknown,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  const read = v.safeParse(schema, value);
  return read.success ? { ok: true, value: read.output } : refused("unexpected_report");
}

/** Longest name of a property; one that is longer, or has signs that no name has, is not sent. */
const LONGEST_PROPERTY = 2_048;

export function isNamed(property: string): boolean {
  return property !== "" && property.length <= LONGEST_PROPERTY && !/\p{Cc}|\p{Cs}/u.test(property);
}

/**
 * What a provider's answer comes to before its figures are looked at, the same for all of them: each way in which it is none is
 * tried in order, and nothing is a success before the last. A status of 200 proves nothing: it comes with half a body, with a
 * gateway's page and with an error inside.
 */

/** An answer as a provider's own table of errors is asked about it. */
export interface AnswerSeen {
  readonly status: number;
  /** The parsed body. */
  readonly json: unknown;
  /** The body as it came. */
  readonly text: string;
  /** What the header asks for. */
  readonly retryAfterMs: number | undefined;
}

/** The provider's table: the fault where the body is one of its errors, whatever the status says; undefined where it is none. */
export type ErrorTable = (answer: AnswerSeen) => Fault | undefined;

/** A body that is no error: as it came, and parsed. Of one that went elsewhere and is large there is its beginning, and nothing parsed. */
export interface Body {
  readonly text: string;
  readonly json: unknown;
}

/** The body of an answer that is no error, or why there is none. */
export function judgeAnswer(result: HttpResult, errors: ErrorTable, now: number): Outcome<Body> {
  if (!result.ok) return { ok: false, fault: faultOf(FAILURES[result.failure]) };
  const retryAfter = retryAfterMs(result.headers.get("retry-after"), now);
  const read = jsonIn(result);
  if ("code" in read) {
    return { ok: false, fault: faultOf(read.code, { retryAfterMs: retryAfter }) };
  }
  const { status, text } = result;
  const answer = { status, json: read.json, text, retryAfterMs: retryAfter };
  const fault = errors(answer) ?? statusFault(answer);
  return fault === undefined ? { ok: true, value: { text, json: read.json } } : { ok: false, fault };
}

/** Transport: a body that could not be read to its end counts, whatever the status was. */
export const FAILURES: Readonly<Record<HttpFailureKind, FaultCode>> = {
  address: "wrong_address",
  refused: "connection_refused",
  dns: "host_unknown",
  tls: "no_secure_connection",
  reset: "connection_lost",
  connection: "connection_lost",
  timeout: "timed_out",
  aborted: "stopped",
  redirect: "redirected",
  cut: "answer_cut_off",
  encoding: "answer_garbled",
  "too-large": "report_too_large",
};

/**
 * The body as JSON. Judged by its first sign, not by its content type: gateways send pages as anything. Of a large one that went
 * elsewhere nothing but that sign is known here: what reads it says the rest. No error is that long.
 */
function jsonIn({
  text,
  status,
  isWhole,
}: HttpResponse): { readonly json: unknown } | { readonly code: FaultCode } {
  const page = { code: PAGES[status] ?? "not_a_report" };
  if (!isWhole) return JSON_BEGINS.test(text) ? { json: undefined } : page;
  try {
    return { json: JSON.parse(text) };
  } catch {
    if (!JSON_BEGINS.test(text)) return page;
    return { code: isCutJson(text) ? "report_cut_off" : "unreadable_report" };
  }
}

const JSON_BEGINS = /^\s*[{["]/;

/** What a page that is no JSON says by its status alone; with every other status, 200 too, it is a gateway's. */
const PAGES: Readonly<Record<number, FaultCode>> = {
  401: "signed_out",
  403: "access_refused",
  404: "wrong_address",
  429: "rate_limited",
};

/** A status that tells of an error, with a body that does not say which. */
function statusFault({ status, retryAfterMs: known }: AnswerSeen): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  return faultOf(codeOfStatus(status), { retryAfterMs: known });
}

/** By the status alone. */
export function codeOfStatus(status: number): FaultCode {
  if (status in PAGES) return PAGES[status] ?? "provider_failed";
  // Too early, a time limit on their side, and a client that left: nothing of ours is wrong.
  if (status === 408 || status === 425 || status === 499) return "provider_failed";
  return status >= 400 && status < 500 ? "request_refused" : "provider_failed";
}
