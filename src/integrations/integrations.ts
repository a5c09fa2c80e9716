/**
 * Integrations: how everything that is set up stands, from stored rows alone, as one payload (decisions, Health payload).
 *
 * Stored rows (`inventory.ts`) → site by site what is to be watched (`monitored_targets.ts`), what is known of each (`evidence.ts`) and its
 * state (`target_state.ts`, for the reports of an archive too), kept current site by site (`projection.ts`) → the view of
 * all or of one site (`view.ts`) → the JSON of the API (`payload.ts`). `reader.ts` says which sites were written to.
 * The machine: `machine_watch.ts` looks each second, and raises flags on the service's own site.
 * Acts on what is set up: `site_acts.ts`.
 *
 * Begin here: this file holds the types of the view. Times are in milliseconds since the epoch.
 */

import { newestDay } from "../base/time.ts";
import type { Action } from "../health/capability_words.ts";
import type { Capability } from "../health/catalogue.ts";
import type { CapabilityKind, HealthState, Scope } from "../health/health.ts";
import type { MonitoringFailure } from "../health/monitoring.ts";
import type { KnownEvent } from "../health/state_store.ts";
import type { FailureCategory } from "../providers/faults.ts";
import { type LastNight, listLastNights } from "../reports/pulse.ts";
import type { Site } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import type { BySite } from "./inventory.ts";

/** The latest events that are told. */
export const MOST_EVENTS = 100;

export interface HealthView {
  /** When the newest stored evidence was written down, never when it is read; null where there is none. */
  readonly observedAt: number | null;
  readonly workspace: string;
  readonly coverage: Coverage;
  /** Targets by state, those that count (`isCounted`): what is due. */
  readonly summary: StateCounts;
  /** Those with a target, in the order of the catalogue. */
  readonly capabilities: readonly CapabilityView[];
  /** The latest of active scopes, newest first, at most `MOST_EVENTS`. */
  readonly events: readonly HealthEventView[];
  /** What should be watched and is not. */
  readonly monitoring: readonly MonitoringFailure[];
  /**
   * Every site that has a target, by its id. A site that is not here has none that could be read: what it is like is not known, which is
   * no all-clear.
   */
  readonly sites: ReadonlyMap<string, SiteHealth>;
  /** Every site but the service's own, retired ones too, by id; undefined where they cannot be read. */
  readonly portfolio: readonly Site[] | undefined;
  /** When each site last sent a nightly report; undefined where that cannot be read. */
  readonly nights: BySite<LastNight> | undefined;
}

/** When each site last sent a nightly report: of the view, or as it is stored where the view could not read it. */
export const nightsOf = ({ nights }: Pick<HealthView, "nights">, db: Db, now: number): BySite<LastNight> =>
  nights ?? Map.groupBy(listLastNights(db, newestDay(now)), ({ asset }) => asset);

export type StateCounts = Readonly<Record<HealthState, number>>;

/** The targets of one site, taken together; what is not counted is left out. */
export interface SiteHealth {
  /** The worst of its targets. Idle ones count as nothing beside others: a site whose rest is working is working. */
  readonly state: HealthState;
  /** Its targets by state. */
  readonly counts: StateCounts;
  /** How many work, of how many that are to work now: all but the idle ones. */
  readonly working: number;
  readonly monitored: number;
  /** The worst of its targets that could be read, the first in the order of the catalogue. */
  readonly worst: TargetView;
}

export const COVERAGE_STATES = ["complete", "partial", "empty", "unknown"] as const;

/** How much of the inventory could be judged. Only `complete` says anything of the whole. */
export interface Coverage {
  readonly state: (typeof COVERAGE_STATES)[number];
  /** In plain words; null while it is complete. */
  readonly reason: string | null;
  /** Targets that count, those of them that are observed, and those that nothing observes. */
  readonly configured: number;
  readonly monitored: number;
  readonly unmonitored: number;
  /** What exists beyond the caps of a read: reports that are told together, and operations that the payload leaves out. */
  readonly more: { readonly archive: number; readonly operations: number };
}

export interface CapabilityView {
  readonly capability: string;
  readonly label: string;
  readonly provider: Capability["provider"];
  readonly kind: CapabilityKind;
  /** The worst of its targets. */
  readonly state: HealthState;
  /** Sites with a target that is neither working nor idle, by name. */
  readonly affectedAssets: readonly string[];
  readonly targets: readonly TargetView[];
}

/** Why it is not tried before `nextRetryAt`. */
export const RETRY_REASONS = [
  "schedule",
  "rate_limit",
  "exhausted_budget",
  "slow_probe",
  "provider_asked",
  "back_off",
] as const;
export type RetryReason = (typeof RETRY_REASONS)[number];

export interface TargetView extends Pick<Scope, "asset" | "target" | "family" | "connectionRevision"> {
  readonly state: HealthState;
  /** Of a failing target why it fails, and of an unknown one `monitoring_failure`. */
  readonly category: FailureCategory | null;
  readonly lastAttemptStartedAt: number | null;
  readonly lastSuccessStartedAt: number | null;
  readonly coveredDate: string | null;
  /** When the next usable result is due; null where none is. */
  readonly dueAt: number | null;
  readonly nextRetryAt: number | null;
  readonly nextRetryReason: RetryReason | null;
  /** What is safe to do about it. */
  readonly action: Action;
  /** What happened, in one reviewed sentence; '' while it works. Not told in the payload. */
  readonly why: string;
  /** Since when it stands so, as far as that is known: a failure's first sight, a pause, a disconnection, the end of what was due. */
  readonly since: number | null;
  /** Until when it is paused, where that is told. */
  readonly pausedUntil: number | null;
  /** Of all archived reports of a property together how many outcomes stand how; null elsewhere. */
  readonly counts: StateCounts | null;
}

/** An event with the name of its capability. */
export type HealthEventView = Omit<KnownEvent, "scope" | "attempt"> &
  Pick<Scope, "capability" | "asset" | "target" | "family"> & { readonly label: string };
