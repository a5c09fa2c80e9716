/** What a site's overview says of its nightly reports: families against the latest report, and the nights received or missed. Pure. */

import { addDays, DAY_MS, MINUTE_MS, type UtcDay, utcDayOf } from "../base/time.ts";
import type { Pulse, StoredPulse } from "./pulse.ts";

/** The family a metric belongs to: the declared one that bears its name, else the part before its first dot. */
function familyOf(metric: string, declared: ReadonlySet<string>): string {
  const dot = metric.indexOf(".");
  return declared.has(metric) || dot < 0 ? metric : metric.slice(0, dot);
}

/** Families that the settings or the report itself declare, and of which it has no metric. */
export function missingFamilies(
  settings: readonly string[],
  { capabilities = [], metrics }: Pick<Pulse, "capabilities" | "metrics">,
): string[] {
  const declared = new Set([...settings, ...capabilities]);
  const sent = new Set(Object.keys(metrics).map((metric) => familyOf(metric, declared)));
  return [...declared].filter((family) => !sent.has(family)).sort();
}

/** Whether a report was made within 30 minutes of 00:00 UTC, where a little jitter of its sender moves it to the neighbouring day. */
export function isNearMidnight(ms: number): boolean {
  const sinceMidnight = ms % DAY_MS;
  return Math.min(sinceMidnight, DAY_MS - sinceMidnight) <= 30 * MINUTE_MS;
}

// Nights of a site: on which UTC days a nightly report stands, and which nights went by without one. Pure.

/** `outside` is a night on which no report was expected: before the first one, or of a site that is not live. */
export type NightState = "received" | "missed" | "outside";

export interface Night {
  readonly day: UtcDay;
  readonly state: NightState;
}

/** What is known of a site's nights. */
interface NightsInput {
  /** Days with a report; days outside the strip are not read. */
  readonly received: ReadonlySet<UtcDay>;
  /** The first day with a report; undefined while there is none. */
  readonly first: UtcDay | undefined;
  /** Whether a missing report is a missed one: only a live site is expected to report. */
  readonly live: boolean;
}

/** The newest night that can be judged: today once its report is there, else the last day that is over. */
function lastNight(received: ReadonlySet<UtcDay>, now: number): UtcDay {
  const today = utcDayOf(now);
  return received.has(today) ? today : addDays(today, -1);
}

/** The days that a strip of `count` nights may need: today and the `count` days before it, oldest first. */
export function recentDays(now: number, count: number): UtcDay[] {
  const today = utcDayOf(now);
  return Array.from({ length: count + 1 }, (_, place) => addDays(today, place - count));
}

/** The nights up to the newest that can be judged, oldest first: one fewer than the recent days. */
export function nightStrip(input: NightsInput, recent: readonly UtcDay[]): Night[] {
  const today = recent.at(-1);
  const days = today !== undefined && input.received.has(today) ? recent.slice(1) : recent.slice(0, -1);
  return days.map((day) => ({ day, state: stateOf(input, day) }));
}

function stateOf({ received, first, live }: NightsInput, day: UtcDay): NightState {
  if (received.has(day)) return "received";
  return live && first !== undefined && day > first ? "missed" : "outside";
}

/** How many of the newest `count` nights were missed, of those on which a report was expected. */
export function missedNights(nights: readonly Night[], count: number) {
  const expected = nights.slice(-count).filter(({ state }) => state !== "outside");
  return { missed: expected.filter(({ state }) => state === "missed").length, of: expected.length };
}

/** Nights of the strip. */
export const STRIP_NIGHTS = 14;
/** Nights of the sentence "missed 4 of the last 7 nights". */
export const WEEK_NIGHTS = 7;

export type NightlySummary = ReturnType<typeof nightlySummary>;

/** Sums a site's nights and its latest report up. */
export function nightlySummary(
  input: NightsInput & {
    /** Undefined while the site has sent no nightly report. */
    readonly latest:
      | (Pick<StoredPulse, "date" | "revision" | "receivedAt"> & { readonly report: Pulse })
      | undefined;
    /** Families declared on the settings page. */
    readonly families: readonly string[];
    readonly now: number;
  },
) {
  const { latest, families, now } = input;
  const nights = nightStrip(input, recentDays(now, STRIP_NIGHTS));
  const report = latest?.report;
  return {
    latest,
    /** The last nights, oldest first. */
    nights,
    lastNight: lastNight(input.received, now),
    missed: missedNights(nights, WEEK_NIGHTS),
    /** Declared families of which the latest report has no metric. */
    missing: report === undefined ? [] : missingFamilies(families, report),
    /** Families declared while no report came at all: not the same as missing from a report. */
    awaited: report === undefined ? families : [],
    /** Negative events by page, most first; undefined where the report did not name any. */
    negative: report?.negativeByPage?.toSorted((one, other) => other.count - one.count),
  };
}
