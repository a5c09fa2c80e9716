/** The state of one target with everything that is shown of it, and of a site as the sum of its targets. Pure. */

import { tallied } from "../base/statistics.ts";
import { DAY_MS } from "../base/time.ts";
import { wordsOf } from "../health/capability_words.ts";
import type { Capability } from "../health/catalogue.ts";
import { type CapabilityKind, type Evidence, HEALTH_STATES, type HealthState } from "../health/health.ts";
import { type Pause, pausesInForce } from "../health/pauses.ts";
import { AHEAD_MS, type Configuration, dueOf, type Standing, standingOf } from "../health/state.ts";
import { type FailureCategory, isLimit, needsPerson } from "../providers/faults.ts";
import { ANY_MOMENT, type Known } from "./evidence.ts";
import type { RetryReason, SiteHealth, TargetView } from "./integrations.ts";
import type { Moments } from "./inventory.ts";
import type { MonitoredTarget } from "./monitored_targets.ts";

/** When a target is tried again, and why not before. Pure. */

interface Retry {
  /** Milliseconds since the epoch. */
  readonly at: number | null;
  readonly reason: RetryReason | null;
}

const NONE: Retry = { at: null, reason: null };

/** States that only another attempt ends, of what is asked for. */
const ENDED_BY_AN_ATTEMPT: ReadonlySet<HealthState> = new Set(["failing", "unknown", "stale", "never_run"]);

/**
 * The next permitted attempt: after a failure the moment that it named, while that lies ahead, else the next tick of what is asked by
 * schedule. What comes by itself, and what works, has none.
 */
function retryOf(
  { kind, obligation }: Capability,
  state: HealthState,
  evidence: Evidence | undefined,
  now: number,
): Retry {
  if (!ENDED_BY_AN_ATTEMPT.has(state)) return NONE;
  const latest = evidence?.latest;
  if (
    latest !== undefined &&
    latest.category !== null &&
    latest.nextRetryAt !== null &&
    latest.nextRetryAt > now
  ) {
    return { at: latest.nextRetryAt, reason: reasonOf(latest, kind) };
  }
  if (obligation === "silent_hours" || obligation.kind !== "ticks") return NONE;
  // A usable result that came now would be followed by the next tick.
  return { at: dueOf(obligation, now, now).dueAt, reason: "schedule" };
}

function reasonOf({ category, code }: Evidence["latest"], kind: Capability["kind"]): RetryReason {
  if (isLimit(category)) return category;
  if (needsPerson(category)) return "slow_probe";
  return kind === "on_demand" || code === "too_many_failures" ? "back_off" : "provider_asked";
}

/** A target as it stands, with what it is a target of. */
export interface TargetState {
  readonly monitored: MonitoredTarget;
  readonly view: TargetView;
  /** When the newest of what it goes by was written down; 0 where nothing was. */
  readonly observedAt: number;
  /** How many archived reports it stands for beside the first. */
  readonly more: number;
}

/** What holds a target; `unreadable` where that cannot be read. */
export type PauseOf = (monitored: MonitoredTarget) => Pause | "unreadable" | undefined;

/** The pauses in force. */
export function pausesAt(pauses: readonly Pause[] | undefined, now: number, moments: Moments): PauseOf {
  if (pauses === undefined) return () => "unreadable";
  for (const { until } of pauses) moments.add(until);
  const of = pausesInForce(pauses, now);
  return ({ capability: { id: capability }, asset, pausedAt }) =>
    typeof pausedAt === "number"
      ? { capability, asset, pausedAt, pausedBy: "", until: null }
      : of({ capability, asset });
}

/** When they are looked at, and what is heard of when they stand otherwise. */
export interface At {
  readonly now: number;
  readonly moments: Moments;
}

/** The state of a target alone. */
export function standingAt(
  monitored: MonitoredTarget,
  { evidence, sourceAttemptAt }: Known,
  pause: ReturnType<PauseOf>,
  { now, moments }: At,
): Standing {
  const { obligation, detachedAt, capability } = monitored;
  const configuration: Configuration | "unreadable" =
    pause === "unreadable"
      ? "unreadable"
      : {
          isConnected: detachedAt === null,
          isPaused: pause !== undefined,
          isObserved: capability.observedBy !== null,
        };
  const standing = standingOf({ configuration, evidence, sourceAttemptAt, obligation, now });
  addMoments(moments, standing, evidence === "unreadable" ? undefined : evidence);
  return standing;
}

/** How a target stands, with everything that is told of it. */
export function targetState(
  monitored: MonitoredTarget,
  known: Known,
  pause: ReturnType<PauseOf>,
  at: At,
): TargetState {
  const { capability, detachedAt } = monitored;
  const { sourceAttemptAt } = known;
  const standing = standingAt(monitored, known, pause, at);
  const evidence = known.evidence === "unreadable" ? undefined : known.evidence;
  const { state, cause } = standing;
  const failure = state === "failing" ? evidence?.latest : undefined;
  const category = failure?.category ?? null;
  const retry = retryOf(capability, state, evidence, at.now);
  at.moments.add(retry.at);
  const { why, action } = wordsOf(capability.copy, { state, category, code: failure?.code ?? null, cause });
  const held = pause === "unreadable" ? undefined : pause;
  return {
    monitored,
    observedAt: Math.max(monitored.changedAt, evidence?.recordedAt ?? 0, held?.pausedAt ?? 0),
    more: 0,
    view: {
      asset: monitored.asset,
      target: monitored.target,
      family: monitored.family,
      connectionRevision: monitored.connectionRevision,
      state,
      category: state === "unknown" ? MONITORING : category,
      lastAttemptStartedAt: evidence?.latest.startedAt ?? null,
      lastSuccessStartedAt: evidence?.success?.startedAt ?? null,
      coveredDate: evidence?.success?.coveredDate ?? null,
      dueAt: state === "paused" || state === "disconnected" ? null : standing.due.dueAt,
      nextRetryAt: retry.at,
      nextRetryReason: retry.reason,
      action,
      why,
      since: sinceOf(standing, { evidence, detachedAt, held, sourceAttemptAt }),
      pausedUntil: state === "paused" ? (held?.until ?? null) : null,
      counts: null,
    },
  };
}

const MONITORING: FailureCategory = "monitoring_failure";

/** When time alone makes another state of it (`health/state.ts`). */
function addMoments(moments: Moments, { due }: Standing, evidence: Evidence | undefined): void {
  moments.add(due.staleAt);
  moments.add(due.idleAt);
  if (evidence === undefined) return;
  moments.add(evidence.latest.startedAt - AHEAD_MS);
  moments.add(evidence.latest.nextRetryAt);
  const covered = evidence.success?.coveredDate;
  // Of a day that has come nothing is to be waited for.
  if (covered !== null && covered !== undefined && covered > moments.today) {
    moments.add(Date.parse(covered) - DAY_MS);
  }
}

interface Facts {
  readonly evidence: Evidence | undefined;
  readonly detachedAt: number | null;
  readonly held: Pause | undefined;
  readonly sourceAttemptAt: number | undefined;
}

/** Since when it stands so, as far as that is known. */
function sinceOf({ state, cause, due }: Standing, of: Facts): number | null {
  switch (state) {
    case "failing":
      return of.evidence?.failingSince ?? null;
    case "paused":
      return of.held?.pausedAt ?? null;
    case "disconnected":
      return of.detachedAt;
    case "stale":
      return due.staleAt;
    case "unknown":
      return cause === "unmatched" && of.sourceAttemptAt !== ANY_MOMENT ? (of.sourceAttemptAt ?? null) : null;
    default:
      return null;
  }
}

/** How one site stands: the roll-up of its targets. Pure. */

const ASKED: ReadonlySet<CapabilityKind> = new Set([
  "on_demand",
  "connection_test",
  "discovery",
  "test_send",
]);

/** Whether it counts: what is due does. What is asked only by hand, or while somebody looks, would let a look at a page change the counts. */
export const isCounted = ({ kind }: { readonly kind: CapabilityKind }): boolean => !ASKED.has(kind);

const NO_COUNTS = tallied(HEALTH_STATES, []);

/** The most urgent state first; idle comes after all others. */
export const BY_URGENCY: readonly HealthState[] = [
  ...HEALTH_STATES.filter((state) => state !== "idle"),
  "idle",
];
/** How urgent a state is beside others: the lowest first. */
const URGENCY = new Map<HealthState, number>(BY_URGENCY.map((state, place) => [state, place]));

const isWorse = (one: HealthState, other: HealthState) => byUrgency(one, other) < 0;

/** Orders states by how urgent they are, the most urgent first. */
export function byUrgency(one: HealthState, other: HealthState): number {
  return (URGENCY.get(one) ?? 0) - (URGENCY.get(other) ?? 0);
}

/** How a site stands by its targets; undefined where it has none that counts. */
export function siteHealth(
  targets: readonly {
    readonly monitored: { readonly capability: Pick<Capability, "kind"> };
    readonly view: TargetView;
  }[],
): SiteHealth | undefined {
  const counts = { ...NO_COUNTS };
  let worst: TargetView | undefined;
  for (const { monitored, view } of targets) {
    if (!isCounted(monitored.capability)) continue;
    counts[view.state] += 1;
    if (worst === undefined || isWorse(view.state, worst.state)) worst = view;
  }
  if (worst === undefined) return undefined;
  const all = HEALTH_STATES.reduce((sum, state) => sum + counts[state], 0);
  return { state: worst.state, counts, working: counts.working, monitored: all - counts.idle, worst };
}

/** The same where not everything that is set up could be read: a site of which the rest is well is Unknown. */
export const inDoubt = (health: SiteHealth): SiteHealth =>
  isWorse("unknown", health.worst.state) ? { ...health, state: "unknown" } : health;
