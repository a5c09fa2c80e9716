/**
 * Every site as a line, by name: the higher, the more urgent. Pure. Neighbours in one state are one rectangle, so that a thousand sites
 * that work are a few bytes.
 */
import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import { needsAttention } from "./tile.ts";

/** Its height, in the units of its drawing; a site is one unit wide. */
export const SKY = 70;

const HEIGHTS: Readonly<Record<HealthState, number>> = {
  failing: 68,
  unknown: 68,
  stale: 46,
  disconnected: 32,
  never_run: 26,
  unmonitored: 26,
  paused: 26,
  idle: 20,
  working: 14,
};
/** From so many sites on, what needs attention is drawn wider than its place, so that it is seen from afar. */
const CROWD = 300;

export interface Skyline {
  readonly width: number;
  /** The outline of each state that any site is in, to be drawn in this order. */
  readonly paths: readonly { readonly state: HealthState; readonly d: string }[];
}

/** The skyline of sites in the order of their names. */
export function skylineOf(states: readonly HealthState[]): Skyline {
  const margin = states.length > CROWD ? 0.4 : 0;
  const runs = new Map<HealthState, string>();
  for (let from = 0; from < states.length; ) {
    const state = states[from] ?? "unknown";
    let to = from + 1;
    while (states[to] === state) to++;
    const wider = needsAttention({ state }) ? margin : 0;
    const height = HEIGHTS[state];
    const run = `M${from - wider} ${SKY}v-${height}h${to - from + 2 * wider}v${height}`;
    runs.set(state, (runs.get(state) ?? "") + run);
    from = to;
  }
  // The most urgent last: it is drawn over its neighbours.
  const paths = HEALTH_STATES.toReversed().flatMap((state) => {
    const d = runs.get(state);
    return d === undefined ? [] : [{ state, d }];
  });
  return { width: states.length, paths };
}
