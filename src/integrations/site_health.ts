/** How one site stands: the roll-up of its targets. Pure. */
import { type CapabilityKind, HEALTH_STATES, type HealthState } from "../health/contract.ts";
import { tallied } from "../lib/tally.ts";
import type { CapabilityView, HealthView, TargetView } from "./contract.ts";

export type StateCounts = Readonly<Record<HealthState, number>>;

/** A target with what it is a target of. */
export interface PlacedTarget {
  readonly capability: CapabilityView;
  readonly target: TargetView;
}

const ASKED: ReadonlySet<CapabilityKind> = new Set([
  "on_demand",
  "connection_test",
  "discovery",
  "test_send",
]);

/** Whether it counts: what is due does. What is asked only by hand, or while somebody looks, would let a look at a page change the counts. */
export const isCounted = ({ kind }: { readonly kind: CapabilityKind }): boolean => !ASKED.has(kind);

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
  readonly worst: PlacedTarget;
}

const NO_COUNTS = tallied(HEALTH_STATES, []);

/** How urgent a state is beside others: the lowest first. Idle comes after all others. */
const URGENCY = new Map<HealthState, number>(
  [...HEALTH_STATES.filter((state) => state !== "idle"), "idle" as const].map((state, place) => [
    state,
    place,
  ]),
);

/** The worst of some states, Idle counting as nothing beside others; undefined where there is none. */
export function worstState(states: Iterable<HealthState>): HealthState | undefined {
  let worst: HealthState | undefined;
  for (const state of states) {
    if (worst === undefined || isWorse(state, worst)) worst = state;
  }
  return worst;
}

function isWorse(one: HealthState, other: HealthState): boolean {
  return byUrgency(one, other) < 0;
}

/** Orders states by how urgent they are, the most urgent first. */
export function byUrgency(one: HealthState, other: HealthState): number {
  return (URGENCY.get(one) ?? 0) - (URGENCY.get(other) ?? 0);
}

/**
 * Every site that has a target, by its id. A site that is not here has none that could be read: what it is like is not known, which is
 * no all-clear.
 */
export function siteHealth(view: HealthView): ReadonlyMap<string, SiteHealth> {
  const sites = new Map<string, { counts: Record<HealthState, number>; worst: PlacedTarget }>();
  for (const capability of view.capabilities.filter(isCounted)) {
    for (const target of capability.targets) {
      if (target.asset === "") continue;
      const placed = { capability, target };
      const site = sites.get(target.asset);
      if (site === undefined) {
        const counts = { ...NO_COUNTS };
        counts[target.state] = 1;
        sites.set(target.asset, { counts, worst: placed });
      } else {
        site.counts[target.state] += 1;
        if (isWorse(target.state, site.worst.target.state)) site.worst = placed;
      }
    }
  }
  const isUnknown = view.coverage.state === "unknown";
  return new Map(
    Array.from(sites, ([asset, { counts, worst }]) => [asset, healthOf(counts, worst, isUnknown)] as const),
  );
}

/** Where not everything that is set up could be read, a site of which the rest is well is Unknown. */
function healthOf(counts: StateCounts, worst: PlacedTarget, isUnknown: boolean): SiteHealth {
  const all = HEALTH_STATES.reduce((sum, state) => sum + counts[state], 0);
  return {
    state: isUnknown && isWorse("unknown", worst.target.state) ? "unknown" : worst.target.state,
    counts,
    working: counts.working,
    monitored: all - counts.idle,
    worst,
  };
}
