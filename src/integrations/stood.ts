/** How one target stands. Pure. */
import {
  AHEAD_MS,
  type Configuration,
  type Evidence,
  type Pause,
  pausesInForce,
  type Standing,
  standingOf,
  wordsOf,
} from "../health/mod.ts";
import type { FailureCategory } from "../provider/contract.ts";
import type { TargetView } from "./contract.ts";
import { ANY_MOMENT, type Known } from "./evidence.ts";
import type { Moments } from "./moments.ts";
import { retryOf } from "./retry.ts";
import type { SetUp } from "./set_up.ts";

/** A target as it stands, with what it is a target of. */
export interface Stood {
  readonly setUp: SetUp;
  readonly view: TargetView;
  /** When the newest of what it goes by was written down; 0 where nothing was. */
  readonly observedAt: number;
}

/** What holds a target; `unreadable` where that cannot be read. */
export type PauseOf = (setUp: SetUp) => Pause | "unreadable" | undefined;

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
export function standingAt(setUp: SetUp, known: Known, pauseOf: PauseOf, { now, moments }: At): Standing {
  const pause = pauseOf(setUp);
  const configuration: Configuration | "unreadable" =
    pause === "unreadable"
      ? "unreadable"
      : {
          isConnected: setUp.detachedAt === null,
          isPaused: pause !== undefined,
          isObserved: setUp.capability.observedBy !== null,
        };
  const { evidence, sourceAttemptAt } = known;
  const { obligation } = setUp;
  const standing = standingOf({ configuration, evidence, sourceAttemptAt, obligation, now });
  addMoments(moments, standing, evidence === "unreadable" ? undefined : evidence);
  return standing;
}

/** How a target stands, with everything that is told of it. */
export function stood(setUp: SetUp, known: Known, pauseOf: PauseOf, at: At): Stood {
  const { now, moments } = at;
  const { capability, detachedAt } = setUp;
  const { sourceAttemptAt } = known;
  const pause = pauseOf(setUp);
  const standing = standingAt(setUp, known, pauseOf, at);
  const evidence = known.evidence === "unreadable" ? undefined : known.evidence;
  const { state, cause } = standing;
  const category = state === "failing" ? (evidence?.latest.category ?? null) : null;
  const retry = retryOf(capability, state, evidence, now);
  moments.add(retry.at);
  const { why, action } = wordsOf(capability.copy, {
    state,
    category,
    code: state === "failing" ? (evidence?.latest.code ?? null) : null,
    cause,
  });
  const held = pause === "unreadable" || pause === undefined ? undefined : pause;
  return {
    setUp,
    observedAt: Math.max(setUp.changedAt, evidence?.recordedAt ?? 0, held?.pausedAt ?? 0),
    view: {
      asset: setUp.asset,
      target: setUp.target,
      family: setUp.family,
      connectionRevision: setUp.connectionRevision,
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
const DAY_MS = 86_400_000;

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
