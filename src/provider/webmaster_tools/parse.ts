/** Answers of webmaster tools as ours: pure. */
import * as v from "valibot";
import type { DailyReport, DiscoveredProperty, Outcome } from "../contract.ts";
import { refused } from "../fault.ts";
import { objectOf, shaped } from "../read_json.ts";
import { isCount, orderedDays } from "../report_days.ts";
import { WINDOW_DAYS } from "../window.ts";
import { unwrapped } from "./envelope.ts";
import { dayOfMoment } from "./moment.ts";

const DAY_MS = 86_400_000;

const Stat = objectOf({ Date: v.string(), Clicks: v.number(), Impressions: v.number() });
/** A list and null both may be nothing; an answer without `d` is none. */
const Stats = objectOf({ d: v.nullable(v.array(Stat)) });

/**
 * The figures of the last 97 dates that were returned, in any order. What the day before today's is not there: the newest date that was
 * returned is the last one known, and nobody promises that it is complete. The calendar of the days is not documented.
 */
export function parseDays(text: string, now: number): Outcome<DailyReport> {
  const read = shaped(parsed(text), Stats);
  if (!read.ok) return read;
  const days = [];
  for (const { Date: date, Clicks, Impressions } of read.value.d ?? []) {
    const day = dayOfMoment(date);
    if (day === undefined) return refused("other_days");
    if (!isCount(Clicks) || !isCount(Impressions)) return refused("impossible_value");
    days.push({ day, values: [Clicks, Impressions] });
  }
  // No calendar is more than a day ahead of UTC.
  const latest = Math.floor(now / DAY_MS) + 1;
  const ordered = orderedDays(days, { from: 0, to: latest });
  if (!ordered.ok) return ordered;
  const kept = ordered.value.slice(-WINDOW_DAYS);
  const from = kept[0]?.day ?? latest;
  const to = kept.at(-1)?.day ?? latest - 1;
  return {
    ok: true,
    value: {
      provider: "webmaster-tools",
      timeZone: undefined,
      from,
      to,
      days: kept,
      firstIncomplete: undefined,
      notes: [],
    },
  };
}

/** Sites carry two codes that prove who owns them: they are left where they are. */
const Sites = objectOf({
  d: v.nullable(v.array(objectOf({ Url: v.pipe(v.string(), v.minLength(1)), IsVerified: v.boolean() }))),
});

/** The sites of a key's user. */
export function parseSites(json: unknown): Outcome<readonly DiscoveredProperty[]> {
  const sites = shaped(unwrapped(json), Sites);
  if (!sites.ok) return sites;
  const properties = (sites.value.d ?? []).map(
    ({ Url, IsVerified }): DiscoveredProperty => ({
      provider: "webmaster-tools",
      property: Url,
      name: Url,
      timeZone: undefined,
      usable: IsVerified,
    }),
  );
  return { ok: true, value: properties };
}

function parsed(text: string): unknown {
  try {
    return unwrapped(JSON.parse(text));
  } catch {
    return undefined;
  }
}
