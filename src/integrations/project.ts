/** From what is stored to how each target stands. Pure: the same inventory at the same moment always gives the same. */
import {
  AHEAD_MS,
  type Capability,
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
import { ANY_MOMENT, evidenceIn, type Known } from "./evidence.ts";
import type { Inventory } from "./inventory.ts";
import { Moments } from "./moments.ts";
import { retryOf } from "./retry.ts";
import { type SetUp, setUpTargets } from "./set_up.ts";

/** What is projected, and when. */
export interface Projected {
  readonly workspace: string;
  readonly inventory: Inventory;
  /** Every capability that there is, in the order in which they are shown. */
  readonly catalogue: readonly Capability[];
  /** After how many hours a site is silent. */
  readonly silentHoursOf: (asset: string) => number;
  /** Milliseconds since the epoch, like every moment. */
  readonly now: number;
}

/** A target as it stands, with what it is a target of. */
export interface Stood {
  readonly setUp: SetUp;
  readonly view: TargetView;
  /** When the newest of what it goes by was written down; 0 where nothing was. */
  readonly observedAt: number;
}

/** How everything stands, and until when that holds if nothing is written meanwhile. */
export interface Projection {
  readonly targets: readonly Stood[];
  /** Infinity where nothing changes by itself. */
  readonly until: number;
}

/** How every target stands, in the order of the catalogue and then by site. */
export function project({ workspace, inventory, catalogue, silentHoursOf, now }: Projected): Projection {
  const { parts } = inventory;
  const moments = new Moments(now);
  const evidenceOf = evidenceIn(parts, workspace);
  const pauseOf = pausesAt(parts.pauses, now, moments);
  const targets = setUpTargets(parts, { workspace, catalogue, silentHoursOf, now, moments }).map((setUp) =>
    stood(setUp, evidenceOf(setUp), pauseOf, { now, moments }),
  );
  return { targets, until: moments.next };
}

type PauseOf = (setUp: SetUp) => Pause | "unreadable" | undefined;

function pausesAt(pauses: readonly Pause[] | undefined, now: number, moments: Moments): PauseOf {
  if (pauses === undefined) return () => "unreadable";
  for (const { until } of pauses) moments.add(until);
  const of = pausesInForce(pauses, now);
  return ({ capability, asset }) => of({ capability: capability.id, asset });
}

interface At {
  readonly now: number;
  readonly moments: Moments;
}

function stood(setUp: SetUp, known: Known, pauseOf: PauseOf, { now, moments }: At): Stood {
  const { capability, obligation, detachedAt } = setUp;
  const { sourceAttemptAt } = known;
  const pause = pauseOf(setUp);
  const configuration: Configuration | "unreadable" =
    pause === "unreadable"
      ? "unreadable"
      : { isConnected: detachedAt === null, isPaused: pause !== undefined, isObserved: true };
  const standing = standingOf({ configuration, evidence: known.evidence, sourceAttemptAt, obligation, now });
  const evidence = known.evidence === "unreadable" ? undefined : known.evidence;
  addMoments(moments, standing, evidence);
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
