/** What every provider's adapter speaks: the names of providers and figures, the reports it answers with, and the days they are of. */

import { dayNumber, parseUtcDay, zoneDay } from "../base/time.ts";
import { type Outcome, refused } from "./faults.ts";

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
  /** Hours told, ascending, no hour twice; one without events is left out. */
  readonly hours: readonly HourOfReport[];
}

/** An answer that is no error, as it came, with what was asked: plain data, so that it can be read elsewhere. */
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
  readonly body: string;
}

/** What came of asking for days, as an adapter has it. */
export type AskedDays = Pick<RawDaily, "asked" | "body">;

/** What is known when days or hours are asked for. */
export interface DailyQuestion {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The property's time zone as it was last told. */
  readonly timeZone?: string | undefined;
}

/** 90 days that are shown and 7 before them that only calculations use (spec, Scheduled work). */
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

/** The days of rows in the order of the calendar, where each lies in the range that was asked for and none stands twice. */
export function orderedDays(
  rows: readonly { readonly keys: readonly string[]; readonly values: ReportDay["values"] }[],
  { from, to }: DayRange,
): Outcome<readonly ReportDay[]> {
  const ordered = rows
    .map(({ keys: [key = ""], values }) => ({ day: dayIn(key) ?? Number.NaN, values }))
    .sort((a, b) => a.day - b.day);
  const fits = ordered.every(({ day }, place) => day >= from && day <= to && day !== ordered[place - 1]?.day);
  return fits ? { ok: true, value: ordered } : refused("other_days");
}

/** Longest name of a property; one that is longer, or has signs that no name has, is not sent. */
const LONGEST_PROPERTY = 2_048;

export function isNamed(property: string): boolean {
  return property !== "" && property.length <= LONGEST_PROPERTY && !/\p{Cc}|\p{Cs}/u.test(property);
}
