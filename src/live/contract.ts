/** What is known of a site's traffic right now, and how each part of it is asked for. Times are milliseconds since the epoch. */
import type { FailureCategory } from "../provider/contract.ts";

/** Realtime counts and the core report by the hour: each has a quota, a cooldown and failures of its own. */
export const LIVE_KINDS = ["realtime", "hourly"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** Counts of a stretch of minutes that ends now. Users of thirty minutes are no sum of users of shorter ones. */
export interface MinuteCounts {
  readonly activeUsers: number;
  readonly pageViews: number;
  readonly eventCount: number;
}

/** Who is there now. Nobody is a value: zero. */
export interface RealtimeCounts {
  readonly last30: MinuteCounts;
  readonly last5: MinuteCounts;
}

/** Counts of one hour. */
export interface HourCounts {
  /** The calendar day, as a day number, in the property's time zone. */
  readonly day: number;
  /** 0 to 23, in the property's time zone. */
  readonly hour: number;
  readonly activeUsers: number;
  readonly sessions: number;
  readonly pageViews: number;
  readonly eventCount: number;
}

/** Yesterday and today by the hour. An hour that was not told is absent: late events may still fill it, so it is no zero. */
export interface HourlyCounts {
  /** IANA name of the property's time zone. */
  readonly timeZone: string;
  /** Ascending, none twice. */
  readonly hours: readonly HourCounts[];
}

/** What each kind tells. */
export interface LiveValues {
  readonly realtime: RealtimeCounts;
  readonly hourly: HourlyCounts;
}

/** The property a site's traffic is asked of, under which connection. */
export interface LiveSource {
  readonly credential: string;
  readonly connectionRevision: string;
  /** The provider's own id. */
  readonly property: string;
}

/** One part of the panel. A failure never takes a value away. */
export interface LiveFeed<Value> {
  readonly value: Value | null;
  /** When the value was seen; kept when the value itself was lost with a restart. Null where nothing was ever seen. */
  readonly seenAt: number | null;
  /** The last question, where it failed; null where it came off or none was asked. */
  readonly failure: { readonly at: number; readonly category: FailureCategory } | null;
  /** The provider is not asked before this moment; null where nothing keeps it from being asked. */
  readonly nextAt: number | null;
  /** A question is under way. */
  readonly asking: boolean;
}

/** What the panel of a site shows. */
export type LiveView =
  | { readonly state: "not-connected" | "retired" }
  | {
      readonly state: "watched";
      readonly realtime: LiveFeed<RealtimeCounts>;
      readonly hourly: LiveFeed<HourlyCounts>;
    };
