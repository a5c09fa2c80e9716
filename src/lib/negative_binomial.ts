/**
 * Exact tails of a negative binomial count given by its mean and its dispersion, the variance divided by the mean:
 * the second condition of the flow rules. With size r = mean / (dispersion − 1), a count is Poisson with a
 * gamma-distributed mean, and dispersion 1 is the Poisson count itself.
 */
import { incompleteBetaFraction } from "./incomplete_beta.ts";
import { poissonMass, poissonTails } from "./poisson.ts";
import { halfDeviance, stirlingError } from "./saddle_point.ts";
import { assertCountAndMean, MAX_EXACT_MEAN, type Tails, tailsFromSmaller } from "./tails.ts";

/** Below this excess of the variance the count is Poisson to within the digits a double holds. */
const NO_EXCESS = 1e-15;

/** P(X = 0) = dispersion^(−mean / (dispersion − 1)); e^(−mean) at dispersion 1. */
export function negativeBinomialZero(mean: number, dispersion: number): number {
  const excess = dispersion - 1;
  return Math.exp(excess < NO_EXCESS ? -mean : (-mean * Math.log1p(excess)) / excess);
}

/** P(X = count) for a count above 0; the binomial saddle-point form with a real number of trials count + r. */
function massAbove0(count: number, mean: number, size: number): number {
  const exponent = stirlingError(count + size) - stirlingError(count) - stirlingError(size);
  const root = Math.sqrt((2 * Math.PI * count * (count + size)) / size);
  return Math.exp(exponent - bothDeviances(count, mean, size)) / root;
}

/** The deviance of `count` successes and `size` failures from their expected shares of count + size trials. */
function bothDeviances(count: number, mean: number, size: number): number {
  const trials = count + size;
  const share = size / (size + mean);
  const difference = share * (count - mean);
  return (
    halfDeviance(count, trials * (mean / (size + mean)), difference) +
    halfDeviance(size, trials * share, -difference)
  );
}

/**
 * P(X <= count) and P(X >= count) for the given mean and dispersion (1 or more). The tail on the far side of the mean
 * is worked out as an incomplete beta function, the other is its complement. Throws a RangeError when the arguments are
 * no count, no mean or no dispersion.
 */
export function negativeBinomialTails(count: number, mean: number, dispersion: number): Tails {
  assertCountAndMean(count, mean);
  if (!Number.isFinite(dispersion) || dispersion < 1) throw new RangeError(`not a dispersion: ${dispersion}`);
  if (mean === 0 || dispersion - 1 < NO_EXCESS) return poissonTails(count, mean);
  if (count === 0) return { atMost: negativeBinomialZero(mean, dispersion), atLeast: 1 };
  const size = mean / (dispersion - 1);
  const side = count < mean ? "atMost" : "atLeast";
  if (mean > MAX_EXACT_MEAN) {
    const bound = Math.exp(-bothDeviances(count, mean, size));
    return side === "atMost" ? { atMost: bound, atLeast: 1 } : { atMost: 1, atLeast: bound };
  }
  const mass = massAbove0(count, mean, size);
  const failure = mean / (size + mean);
  const success = size / (size + mean);
  // P(X <= k) = I_p(r, k + 1) and P(X >= k) = I_q(k, r); the power in front of each is a multiple of P(X = k).
  if (side === "atMost") {
    const excess = success * (mean - count - 1);
    if (excess <= 0) {
      const above =
        mass * (failure * (count + size)) * incompleteBetaFraction(count + 1, size, failure, -excess);
      return { atMost: Math.min(1, 1 - above), atLeast: Math.min(1, above + mass) };
    }
    const smaller =
      mass * failure * (count + size) * incompleteBetaFraction(size, count + 1, success, excess);
    return tailsFromSmaller(side, smaller, mass);
  }
  const excess = success * (count - mean);
  return tailsFromSmaller(side, mass * count * incompleteBetaFraction(count, size, failure, excess), mass);
}

/**
 * The mid-p tails: each counts only half of the probability of the count itself, P(X < count) + ½ P(X = count) and
 * P(X > count) + ½ P(X = count), so that over many counts a tail below alpha is about as frequent as alpha says.
 */
export function negativeBinomialMidTails(count: number, mean: number, dispersion: number): Tails {
  const { atMost, atLeast } = negativeBinomialTails(count, mean, dispersion);
  if (mean > MAX_EXACT_MEAN) return { atMost, atLeast };
  const half = negativeBinomialMass(count, mean, dispersion) / 2;
  return { atMost: Math.max(0, atMost - half), atLeast: Math.max(0, atLeast - half) };
}

/** P(X = count) for the given mean and dispersion. */
function negativeBinomialMass(count: number, mean: number, dispersion: number): number {
  if (count === 0) return negativeBinomialZero(mean, dispersion);
  if (mean === 0) return 0;
  if (dispersion - 1 < NO_EXCESS) return poissonMass(count, mean);
  return massAbove0(count, mean, mean / (dispersion - 1));
}
