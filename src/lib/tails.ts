/** Both tail probabilities of a count. Each includes the count itself, so the two add up to more than 1. */
export interface Tails {
  /** P(X <= count). */
  readonly atMost: number;
  /** P(X >= count). */
  readonly atLeast: number;
}

/**
 * Largest mean whose tails are worked out exactly. The work grows with the square root of the mean (a few
 * milliseconds here); above it, Chernoff's bound stands in, which is never below the probability and so can
 * only hold a flag back.
 */
export const MAX_EXACT_MEAN = 1e10;

/** The tails of a count from the smaller one and the probability of the count itself. */
export function tailsFromSmaller(side: "atMost" | "atLeast", smaller: number, mass: number): Tails {
  const small = Math.min(1, smaller);
  const other = Math.min(1, 1 - small + mass);
  return side === "atMost" ? { atMost: small, atLeast: other } : { atMost: other, atLeast: small };
}

/** Throws when the arguments are no count and no mean: that is a mistake of the caller, not of the data. */
export function assertCountAndMean(count: number, mean: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a count: ${count}`);
  if (!Number.isFinite(mean) || mean < 0) throw new RangeError(`not a mean: ${mean}`);
}
