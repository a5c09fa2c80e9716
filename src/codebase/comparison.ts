import { addDays, daysBetween, type UtcDay } from "../lib/utc_day.ts";

/** The span of the comparison report, in whole UTC days before the latest (spec, Codebase rules 3). */
export const COMPARISON_SPAN = { nearest: 28, aim: 30, farthest: 45 } as const;

/** The days on which a comparison report for `latest` may lie, and the one it should lie on. */
export function comparisonDays(latest: UtcDay): {
  readonly from: UtcDay;
  readonly aim: UtcDay;
  readonly to: UtcDay;
} {
  return {
    from: addDays(latest, -COMPARISON_SPAN.farthest),
    aim: addDays(latest, -COMPARISON_SPAN.aim),
    to: addDays(latest, -COMPARISON_SPAN.nearest),
  };
}

/**
 * The report nearest 30 days before the latest, between 28 and 45 days earlier, the older of two at equal distance.
 * Candidates are current reports, one per day, in any order; those outside the span are passed over.
 */
export function comparisonFor<R extends { readonly date: UtcDay }>(
  latest: UtcDay,
  candidates: readonly R[],
): R | undefined {
  let best: R | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const age = daysBetween(candidate.date, latest);
    if (age < COMPARISON_SPAN.nearest || age > COMPARISON_SPAN.farthest) continue;
    const distance = Math.abs(age - COMPARISON_SPAN.aim);
    const older = best !== undefined && distance === bestDistance && candidate.date < best.date;
    if (distance < bestDistance || older) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
