/** How much one read tells (spec, Limits). What is left out is counted, and what needs somebody is left out last. Pure. */

import { byUrgency } from "./site_health.ts";
import type { Stood } from "./stood.ts";

/** Operations of a provider that are no archive reports. */
export const MOST_OPERATIONS = 2_048;

/** Archive outcomes of a property. */
export const MOST_OUTCOMES = 256;

/** What is told, and how much is not. */
export interface Capped {
  readonly targets: readonly Stood[];
  readonly more: number;
}

/** The operations of each provider within their bound, the most urgent first to stay; in the order in which they came. */
export function cappedOperations(targets: readonly Stood[]): Capped {
  const byProvider = Map.groupBy(targets, ({ setUp }) => setUp.capability.provider);
  const over = [...byProvider.values()].filter(({ length }) => length > MOST_OPERATIONS);
  if (over.length === 0) return { targets, more: 0 };
  const out = new Set(over.flatMap((all) => all.toSorted(mostUrgent).slice(MOST_OPERATIONS)));
  return { targets: targets.filter((target) => !out.has(target)), more: out.size };
}

const mostUrgent = (a: Stood, b: Stood): number => byUrgency(a.view.state, b.view.state);
