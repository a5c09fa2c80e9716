/** Exact tails of a Poisson count: the first condition of the flow rules (spec, Volume-aware flow rules). */
import { halfDeviance, stirlingError } from "./saddle_point.ts";
import { assertCountAndMean, MAX_EXACT_MEAN, type Tails, tailsFromSmaller } from "./tails.ts";

/** Terms below this share of the sum change no digit of it. */
const NEGLIGIBLE = 1e-17;

/** P(X = count) for a Poisson count; relative error about 1e-13 down to 1e-300. */
export function poissonMass(count: number, mean: number): number {
  if (count === 0) return Math.exp(-mean);
  if (mean === 0) return 0;
  return Math.exp(-stirlingError(count) - halfDeviance(count, mean)) / Math.sqrt(2 * Math.PI * count);
}

/**
 * P(X <= count) and P(X >= count) for a Poisson count of the given mean. The tail on the far side of the mean is
 * summed outward from the count, each term from its neighbour; the other is its complement, which loses nothing
 * because it is at least about a half. Throws a RangeError when the arguments are no count and no mean.
 */
export function poissonTails(count: number, mean: number): Tails {
  assertCountAndMean(count, mean);
  if (mean === 0) return { atMost: 1, atLeast: count === 0 ? 1 : 0 };
  const side = count < mean ? "atMost" : "atLeast";
  if (mean > MAX_EXACT_MEAN) {
    const bound = count === 0 ? Math.exp(-mean) : Math.exp(-halfDeviance(count, mean));
    return side === "atMost" ? { atMost: bound, atLeast: 1 } : { atMost: 1, atLeast: bound };
  }
  const mass = poissonMass(count, mean);
  if (count === 0) return { atMost: mass, atLeast: 1 };
  const sum = side === "atMost" ? sumDown(count, mean) : sumUp(count, mean);
  return tailsFromSmaller(side, mass * sum, mass);
}

/** P(X <= count) / P(X = count). */
function sumDown(count: number, mean: number): number {
  let term = 1;
  let sum = 1;
  for (let k = count; k > 0 && term > NEGLIGIBLE * sum; k--) {
    term *= k / mean;
    sum += term;
  }
  return sum;
}

/** P(X >= count) / P(X = count). */
function sumUp(count: number, mean: number): number {
  let term = 1;
  let sum = 1;
  for (let k = count + 1; term > NEGLIGIBLE * sum; k++) {
    term *= mean / k;
    sum += term;
  }
  return sum;
}
