/** What the overview of a site says of its nightly reports: plain data, no HTML, no query. */
import type { UtcDay } from "../lib/utc_day.ts";
import type { Pulse } from "./contract.ts";
import { type FamilyState, familyStates } from "./view_families.ts";
import { isNearMidnight } from "./view_midnight.ts";
import {
  lastNight,
  missedNights,
  type Night,
  type NightsInput,
  nightStrip,
  recentDays,
} from "./view_nights.ts";

/** Nights of the strip. */
export const STRIP_NIGHTS = 14;
/** Nights of the sentence "missed 4 of the last 7 nights". */
export const WEEK_NIGHTS = 7;

const DAY_MS = 86_400_000;

/** A stored report with what was sent. */
export interface ViewPulse {
  readonly date: UtcDay;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly generatedAt: number;
  readonly report: Pulse;
}

/** The latest report, as far as its place in time goes. */
export interface LatestNight {
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
