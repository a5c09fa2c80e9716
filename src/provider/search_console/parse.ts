/** Answers of Search Console as ours: pure. */
import * as v from "valibot";
import type { DailyReport, DiscoveredProperty, Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, readJson, shaped } from "../read_json.ts";
import { dayIn, isCount, orderedDays } from "../report_days.ts";
import type { DayRange } from "../window.ts";
import { SEARCH_CONSOLE_ZONE } from "./request.ts";

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
  return {
    ok: true,
    value: {
      provider: "search-console",
      timeZone: SEARCH_CONSOLE_ZONE,
      from,
      to,
      days: ordered.value,
      firstIncomplete,
      notes: [],
    },
  };
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
