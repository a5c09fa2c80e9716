/** What is known of a site's traffic right now, and how each part of it is asked for. Times are milliseconds since the epoch. */
import type { Fault, HourlyReport, Realtime } from "../provider/contract.ts";

/** Realtime counts and the core report by the hour: each has a quota, a cooldown and failures of its own. */
export const LIVE_KINDS = ["realtime", "hourly"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** What each kind tells. */
export interface LiveValues {
  readonly realtime: Realtime;
  readonly hourly: HourlyReport;
}

/** The property a site's traffic is asked of, under which connection. */
export interface LiveSource {
  readonly credential: string;
  readonly connectionRevision: string;
  /** The provider's own id. */
  readonly property: string;
}

/** A question that came to nothing. */
export interface LiveFailure extends Pick<Fault, "category" | "code"> {
  readonly at: number;
}

/** One part of the panel. A failure never takes a value away. */
export interface LiveFeed<Value> {
  readonly value: Value | null;
  /** When the value was seen; kept when the value itself was lost with a restart. Null where nothing was ever seen. */
  readonly seenAt: number | null;
  /** The last question, where it failed; null where it came off or none was asked. */
  readonly failure: LiveFailure | null;
  /** The provider is not asked before this moment; null where nothing keeps it from being asked. */
  readonly nextAt: number | null;
  /** A question is under way. */
  readonly asking: boolean;
  /** An operator paused it: nobody is asked, however long somebody looks. */
  readonly isPaused: boolean;
  /** False where the last question ended, and what came of it could not be recorded as health. */
  readonly isMonitored: boolean;
}

/** What the panel of a site shows. */
export type LiveView =
  | { readonly state: "not-connected" | "retired" }
  | {
      readonly state: "watched";
      readonly realtime: LiveFeed<Realtime>;
      readonly hourly: LiveFeed<HourlyReport>;
    };
