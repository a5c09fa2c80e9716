/** The moves of a capability's health as the specification gives them, written down apart from the service: sort, then walk. */

import type { Evidence, HealthChange, Observation } from "../../src/health/health.ts";

export interface Ending {
  readonly isFailing: boolean;
  readonly category: string | null;
  readonly attempt: string;
  readonly lastAttemptAt: number;
  readonly lastSuccessAt: number | undefined;
  readonly covered: string | null | undefined;
  /** The start of the first failure since the last success. */
  readonly failingSince: number | undefined;
}

/** By start; what failed stands after what succeeded at the same moment; two alike by their ids. */
export const inOrder = (observations: readonly Observation[]): Observation[] => {
  const rank = ({ result }: Observation) => (result.ok ? 0 : 1);
  return [...observations].sort((a, b) => {
    if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return a.attempt < b.attempt ? -1 : 1;
  });
};

/** Where a target ends that saw these, whatever the order of their arrival; undefined where it saw none. */
export function endingOf(observations: readonly Observation[]): Ending | undefined {
  let ending: Ending | undefined;
  for (const { attempt, startedAt, result } of inOrder(observations)) {
    const known = { attempt, lastAttemptAt: startedAt };
    if (result.ok) {
      ending = {
        ...known,
        isFailing: false,
        category: null,
        lastSuccessAt: startedAt,
        covered: result.coveredDate,
        failingSince: undefined,
      };
    } else {
      ending = {
        ...known,
        isFailing: true,
        category: result.category,
        lastSuccessAt: ending?.lastSuccessAt,
        covered: ending?.covered,
        failingSince: ending?.failingSince ?? startedAt,
      };
    }
  }
  return ending;
}

/** The same of what the service knows. */
export function endingOfEvidence(evidence: Evidence | undefined): Omit<Ending, "failingSince"> | undefined {
  if (evidence === undefined) return undefined;
  const { latest, success } = evidence;
  return {
    isFailing: latest.category !== null,
    category: latest.category,
    attempt: latest.attempt,
    lastAttemptAt: latest.startedAt,
    lastSuccessAt: success?.startedAt,
    covered: success?.coveredDate,
  };
}

/** The events of observations that arrive in this order: the ending before each arrival beside the ending after it. */
export function eventsOf(arrivals: readonly Observation[]): { change: HealthChange; attempt: string }[] {
  const events: { change: HealthChange; attempt: string }[] = [];
  for (let count = 1; count <= arrivals.length; count++) {
    const before = endingOf(arrivals.slice(0, count - 1));
    const now = endingOf(arrivals.slice(0, count));
    const attempt = arrivals[count - 1]?.attempt ?? "";
    const failed = before?.isFailing === true;
    if (now?.isFailing === true && !failed) events.push({ change: "first_failure", attempt });
    else if (now?.isFailing === true && now.category !== before?.category) {
      events.push({ change: "category_change", attempt });
    } else if (now?.isFailing === false && failed) events.push({ change: "recovery", attempt });
  }
  return events;
}
