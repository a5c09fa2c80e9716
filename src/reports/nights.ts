/** What a site's overview says of its nightly reports: families against the latest report, and the nights received or missed. Pure. */

import { addDays, type UtcDay, utcDayOf } from "../base/time.ts";
import type { Pulse } from "./pulse_contract.ts";

/** Who says that the site measures the family. */
type FamilySource = "settings" | "report" | "both";

/** `reported` has a metric in the report, `missing` is declared without one, `undeclared` has metrics nobody announced. */
export type FamilyState =
  | {
      readonly family: string;
      readonly state: "reported";
      readonly source: FamilySource;
      readonly metrics: number;
    }
  | { readonly family: string; readonly state: "missing"; readonly source: FamilySource }
  | { readonly family: string; readonly state: "undeclared"; readonly metrics: number };

/** The family a metric belongs to: the declared one that bears its name, else the part before its first dot. */
function familyOf(metric: string, declared: ReadonlySet<string>): string {
  const dot = metric.indexOf(".");
  return declared.has(metric) || dot < 0 ? metric : metric.slice(0, dot);
}

/**
 * Declared families first, those missing before the others, then families of metrics that nobody declared. Where nothing is
 * declared at all there is nothing to hold the report against, and the list is empty.
 */
export function familyStates(input: {
  /** Declared on the site's settings page. */
  readonly settings: readonly string[];
  /** The report's own `capabilities`; undefined where it named none. */
  readonly capabilities: readonly string[] | undefined;
  /** Names of the metrics in the report. */
  readonly metrics: readonly string[];
}): FamilyState[] {
  const settings = new Set(input.settings);
  const capabilities = new Set(input.capabilities ?? []);
  const declared = settings.union(capabilities);
  if (declared.size === 0) return [];
  const counts = new Map<string, number>();
  for (const metric of input.metrics) {
    const family = familyOf(metric, declared);
    counts.set(family, (counts.get(family) ?? 0) + 1);
  }
  const missing: FamilyState[] = [];
  const reported: FamilyState[] = [];
  for (const family of [...declared].sort()) {
    const source = sourceOf(settings.has(family), capabilities.has(family));
    const metrics = counts.get(family);
    if (metrics === undefined) missing.push({ family, state: "missing", source });
    else reported.push({ family, state: "reported", source, metrics });
  }
  const undeclared = [...counts]
    .filter(([family]) => !declared.has(family))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([family, metrics]) => ({ family, state: "undeclared", metrics }) as const);
  return [...missing, ...reported, ...undeclared];
}

function sourceOf(settings: boolean, report: boolean): FamilySource {
  if (settings && report) return "both";
  return settings ? "settings" : "report";
}

// Reports made close to midnight: a little jitter of the sender moves them to the neighbouring UTC day. Pure.

/** Minutes on either side of 00:00 UTC that count as close. */
export const MIDNIGHT_MINUTES = 30;

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Whether an instant lies within 30 minutes of 00:00 UTC, on either side. */
export function isNearMidnight(ms: number): boolean {
  const sinceMidnight = ((ms % DAY_MS) + DAY_MS) % DAY_MS;
  return Math.min(sinceMidnight, DAY_MS - sinceMidnight) <= MIDNIGHT_MINUTES * MINUTE_MS;
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
export function missedNights(
  nights: readonly Night[],
  count: number,
): { readonly missed: number; readonly of: number } {
  const expected = nights.slice(-count).filter(({ state }) => state !== "outside");
  return { missed: expected.filter(({ state }) => state === "missed").length, of: expected.length };
}

/** Nights of the strip. */
export const STRIP_NIGHTS = 14;
/** Nights of the sentence "missed 4 of the last 7 nights". */
export const WEEK_NIGHTS = 7;

/** A stored report with what was sent. */
interface ViewPulse {
  readonly date: UtcDay;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly report: Pulse;
}

/** The latest report, as far as its place in time goes. */
interface LatestNight {
  /** The UTC day it is stored for: that of `generatedAt`. */
  readonly date: UtcDay;
  readonly revision: number;
  readonly receivedAt: number;
  readonly generatedAt: number;
  /** Start of the 24 hours that `last24h` counts; they end at `generatedAt`. */
  readonly coversFrom: number;
  readonly metrics: number;
  readonly nearMidnight: boolean;
}

export interface NightlySummary {
  /** Undefined while the site has sent no nightly report. */
  readonly latest: LatestNight | undefined;
  /** The last nights, oldest first. */
  readonly nights: readonly Night[];
  readonly lastNight: UtcDay;
  readonly missed: { readonly missed: number; readonly of: number };
  /** Empty where nobody declared a family, or there is no report to hold them against. */
  readonly families: readonly FamilyState[];
  /** Families declared while no report came at all: not the same as missing from a report. */
  readonly awaited: readonly string[];
  /** Negative events by page, most first; undefined where the report did not name any. */
  readonly negative: readonly { readonly page: string; readonly count: number }[] | undefined;
}

/** Sums a site's nights and its latest report up. */
export function nightlySummary(
  input: NightsInput & {
    readonly latest: ViewPulse | undefined;
    /** Families declared on the settings page. */
    readonly families: readonly string[];
    readonly now: number;
  },
): NightlySummary {
  const { latest, families, now } = input;
  const nights = nightStrip(input, recentDays(now, STRIP_NIGHTS));
  const report = latest?.report;
  return {
    latest: latest === undefined ? undefined : latestNight(latest),
    nights,
    lastNight: lastNight(input.received, now),
    missed: missedNights(nights, WEEK_NIGHTS),
    families:
      report === undefined
        ? []
        : familyStates({
            settings: families,
            capabilities: report.capabilities,
            metrics: Object.keys(report.metrics),
          }),
    awaited: report === undefined ? families : [],
    negative: report?.negativeByPage?.toSorted((one, other) => other.count - one.count),
  };
}

function latestNight({ date, revision, receivedAt, generatedAt, report }: ViewPulse): LatestNight {
  return {
    date,
    revision,
    receivedAt,
    generatedAt,
    coversFrom: generatedAt - DAY_MS,
    metrics: Object.keys(report.metrics).length,
    nearMidnight: isNearMidnight(generatedAt),
  };
}
