/** Asking Search Console. */

import * as v from "valibot";
import type { Config } from "../base/config.ts";
import { dayOfNumber } from "../base/time.ts";
import {
  type AskedDays,
  type DailyQuestion,
  type DailyReport,
  type DayRange,
  type DiscoveredProperty,
  dayIn,
  isCount,
  orderedDays,
  windowOf,
} from "./adapter.ts";
import { type ErrorTable, objectOf, readJson, shaped } from "./answers.ts";
import { type Asked, askGoogle, type ProviderClient, type Question, read } from "./client.ts";
import { type Outcome, refused } from "./faults.ts";
import { googleErrors, type OwnErrors } from "./google_errors.ts";

/** Daily figures of the 97 Pacific days up to today there. */
export async function askDays(
  client: ProviderClient,
  property: string,
  { now }: DailyQuestion,
): Promise<Asked<AskedDays>> {
  const range = windowOf(now, SEARCH_CONSOLE_ZONE);
  const question = dailyQuestion(client.addresses, property, range);
  const days = await askGoogle(client, SEARCH_CONSOLE_SCOPE, question);
  const asked = { ...range, timeZone: SEARCH_CONSOLE_ZONE };
  return read(days, ({ text }) => ({ ok: true, value: { asked, bodies: [text] } }));
}

export async function discover(client: ProviderClient): Promise<Asked<readonly DiscoveredProperty[]>> {
  const asked = await askGoogle(client, SEARCH_CONSOLE_SCOPE, sitesQuestion(client.addresses));
  return read(asked, ({ json }) => parseSites(json));
}

/** Questions to Search Console. Dates are days of Pacific time, whatever the site's own is. */

export const SEARCH_CONSOLE_SCOPE = "https://www.googleapis.com/auth/webmasters.readonly";
export const SEARCH_CONSOLE_ZONE = "America/Los_Angeles";

type Addresses = Config["providers"];

/** What of a property's searches is asked for. Days are Pacific ones. */
export interface SearchAsked extends DayRange {
  readonly property: string;
  readonly dimensions: readonly string[];
  readonly type: "web" | "image" | "discover";
  /** `all` tells the days that are not final, too, and says from which on they are not. */
  readonly dataState: "final" | "all";
  /** Of these results alone; of all where it is absent. */
  readonly appearance?: string;
}

/** Rows `startRow` and on, at most `rowLimit` of them; how much of the answer is read, and for how long, is for who asks to say. */
export function searchQuestion(
  addresses: Addresses,
  { property, from, to, dimensions, type, dataState, appearance }: SearchAsked,
  { startRow, rowLimit }: { readonly startRow: number; readonly rowLimit: number },
): Pick<Question, "url" | "body" | "errors"> {
  const filters = [{ dimension: "searchAppearance", operator: "equals", expression: appearance }];
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`,
    body: {
      startDate: dayOfNumber(from),
      endDate: dayOfNumber(to),
      dimensions,
      type,
      dataState,
      rowLimit,
      startRow,
      ...(appearance === undefined ? {} : { dimensionFilterGroups: [{ groupType: "and", filters }] }),
    },
    errors: queryErrors,
  };
}

/** Daily figures of a site. */
export function dailyQuestion(
  addresses: Addresses,
  property: string,
  range: DayRange,
  dataState: SearchAsked["dataState"] = "all",
): Question {
  const asked = { ...range, property, dimensions: ["date"], type: "web", dataState } as const;
  return {
    ...searchQuestion(addresses, asked, { startRow: 0, rowLimit: 1_000 }),
    timeoutMs: 20_000,
    maxBytes: 1_048_576,
  };
}

/** Every site that the account was added to; there are no pages of it. */
export function sitesQuestion(addresses: Addresses): Question {
  return {
    url: `${addresses.searchConsole}/webmasters/v3/sites`,
    timeoutMs: 20_000,
    maxBytes: 2_097_152,
    errors: listErrors,
  };
}

const Row = objectOf({
  keys: v.array(v.string()),
  clicks: v.number(),
  impressions: v.number(),
  ctr: v.number(),
  position: v.number(),
});

const Answer = objectOf({
  rows: v.optional(v.array(Row)),
  responseAggregationType: v.optional(v.string()),
  // Described with underscores, sent without: either is taken.
  metadata: v.optional(
    objectOf({
      firstIncompleteDate: v.optional(v.string()),
      first_incomplete_date: v.optional(v.string()),
    }),
  ),
});

/** The daily figures of an answer. Where nothing happened it has no rows at all, and says only how it would have added them up. */
export function parseDays(text: string, asked: DayRange): Outcome<DailyReport> {
  const read = readJson(text, Answer);
  if (!read.ok) return read;
  const { rows, metadata, responseAggregationType } = read.value;
  if (rows === undefined && responseAggregationType === undefined) return refused("unexpected_report");
  const told = metadata?.firstIncompleteDate ?? metadata?.first_incomplete_date;
  const firstIncomplete = told === undefined ? undefined : dayIn(told);
  if (told !== undefined && firstIncomplete === undefined) return refused("impossible_value");
  const days = [];
  for (const { keys, clicks, impressions, ctr, position } of rows ?? []) {
    const [date, ...more] = keys;
    if (date === undefined || more.length > 0) return refused("other_columns");
    // A position counts from 1; where nothing was seen there is none, which is told as 0.
    const isPossible =
      isCount(clicks) &&
      isCount(impressions) &&
      ctr >= 0 &&
      ctr <= 1 &&
      position >= 0 &&
      Number.isFinite(position);
    if (!isPossible) return refused("impossible_value");
    const values = [clicks, impressions, ctr, position === 0 ? null : position];
    days.push({ day: dayIn(date) ?? Number.NaN, values });
  }
  const ordered = orderedDays(days, asked);
  if (!ordered.ok) return ordered;
  const { from, to } = asked;
  const of = { provider: "search-console", timeZone: SEARCH_CONSOLE_ZONE, from, to } as const;
  return { ok: true, value: { ...of, days: ordered.value, firstIncomplete, notes: [] } };
}

const Sites = objectOf({
  siteEntry: v.optional(
    v.array(objectOf({ siteUrl: v.pipe(v.string(), v.minLength(1)), permissionLevel: v.string() })),
  ),
});

/** Levels that may read figures. Whoever is not verified is listed, and refused at every question. */
const READERS = new Set(["siteOwner", "siteFullUser", "siteRestrictedUser"]);

/** The sites of an account. Who was added to none gets `{}`: anything else without a list is none. */
export function parseSites(json: unknown): Outcome<readonly DiscoveredProperty[]> {
  const sites = shaped(json, Sites);
  if (!sites.ok) return sites;
  const { siteEntry } = sites.value;
  if (siteEntry === undefined && Object.keys(json as object).length > 0) return refused("unexpected_report");
  const properties = (siteEntry ?? []).map(
    ({ siteUrl, permissionLevel }): DiscoveredProperty => ({
      provider: "search-console",
      property: siteUrl,
      name: siteUrl,
      timeZone: SEARCH_CONSOLE_ZONE,
      usable: READERS.has(permissionLevel),
    }),
  );
  return { ok: true, value: properties };
}

/** What Search Console says in its own way: quotas come as refusals, told apart by reason and message. */

/**
 * `quotaExceeded` is said of two quotas: that of questions a second, which is over soon, and that of load, which is not. The first is the
 * account's as much as the property's, and asking on about other properties keeps it closed.
 */
const own: OwnErrors = ({ reasons, message }) => {
  if (!reasons.includes("quotaExceeded")) return undefined;
  return message.includes("QPS") ? "rate_limited" : "load_quota";
};

/** Errors of figures. A site that is unknown, unverified or misspelt is refused in the same words. */
export const queryErrors: ErrorTable = googleErrors("property_denied", own);

/** Errors of the list of sites. */
export const listErrors: ErrorTable = googleErrors("access_refused", own);
