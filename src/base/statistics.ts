/**
 * Exact tails of Poisson and negative binomial counts: the two conditions of the flow rules (spec, Volume-aware flow rules).
 *
 * They rest on the two functions of Loader's saddle-point form of count probabilities (C. Loader, "Fast and Accurate Computation
 * of Binomial Probabilities", 2000). A probability is exp(-(errors + deviances)) times a square root, so no large
 * logarithms cancel and the relative error stays near 1e-13 even at probabilities of 1e-300.
 */

/** Bernoulli coefficients of Stirling's series, B(2k) / (2k (2k - 1)). */
const SERIES = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156] as const;

/** From here on the first coefficient left out is below 1e-16. */
const SERIES_FROM = 10;

/** ln Γ(n + 1) − (n + ½) ln n + n − ½ ln 2π: what Stirling's formula misses. For real n above 0. */
function stirlingError(n: number): number {
  let shifted = n;
  let steps = 0;
  // error(n) = error(n + 1) + (n + ½) ln(1 + 1/n) − 1
  while (shifted < SERIES_FROM) {
    steps += (shifted + 0.5) * Math.log1p(1 / shifted) - 1;
    shifted += 1;
  }
  const inverseSquare = 1 / (shifted * shifted);
  let sum = 0;
  for (let k = SERIES.length - 1; k >= 0; k--) sum = sum * inverseSquare + (SERIES[k] ?? 0);
  return steps + sum / shifted;
}

/**
 * x ln(x / mean) + mean − x, half the Poisson deviance, for x and mean above 0. The difference x − mean is an
 * argument of its own: a caller who knows it exactly keeps the digits that subtracting would lose.
 */
function halfDeviance(x: number, mean: number, difference: number = x - mean): number {
  if (Math.abs(difference) >= 0.1 * (x + mean)) return x * Math.log(x / mean) - difference;
  // With v = (x − mean) / (x + mean), ln(x / mean) = 2 (v + v³/3 + v⁵/5 + …).
  const v = difference / (x + mean);
  const square = v * v;
  let term = 2 * x * v;
  let sum = difference * v;
  for (let j = 3; ; j += 2) {
    term *= square;
    const next = sum + term / j;
    if (next === sum) return sum;
    sum = next;
  }
}

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
function tailsFromSmaller(side: "atMost" | "atLeast", smaller: number, mass: number): Tails {
  const small = Math.min(1, smaller);
  const other = Math.min(1, 1 - small + mass);
  return side === "atMost" ? { atMost: small, atLeast: other } : { atMost: other, atLeast: small };
}

/** Throws when the arguments are no count and no mean: that is a mistake of the caller, not of the data. */
function assertCountAndMean(count: number, mean: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a count: ${count}`);
  if (!Number.isFinite(mean) || mean < 0) throw new RangeError(`not a mean: ${mean}`);
}

/** Terms below this share of the sum change no digit of it. */
const NEGLIGIBLE = 1e-17;

/** P(X = count) for a Poisson count; relative error about 1e-13 down to 1e-300. */
export function poissonMass(count: number, mean: number): number {
  if (count === 0) return Math.exp(-mean);
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

/** Limit of the loop, far above the square root of any exact mean times the steps per root that were seen. */
const MAX_STEPS = 5_000_000;
const CONVERGED = 2 ** -52;

/**
 * I_x(a, b) · B(a, b) / (x^a (1 − x)^b): the continued fraction of the regularized incomplete beta function in the
 * contracted form of DiDonato and Morris (ACM TOMS 18, 1992, equation 9). It is quick where `excess`, which is
 * a − (a + b) x, is above 0: there x lies below the mean a / (a + b). The excess is an argument of its own because
 * subtracting would lose its digits when a is large. Steps grow with the square root of the smaller of a and b.
 */
function incompleteBetaFraction(a: number, b: number, x: number, excess: number): number {
  // Modified Lentz evaluation of 1 / (β0 + α1 / (β1 + α2 / (β2 + …))).
  let value = (a * (excess + 1)) / (a + 1);
  let numerator = value;
  let denominator = 0;
  for (let m = 1; m <= MAX_STEPS; m++) {
    const odd = a + 2 * m - 1;
    const alpha = ((a + m - 1) / odd) * ((a + b + m - 1) / odd) * (m * (b - m) * x) * x;
    const beta = m + (m * (b - m) * x) / odd + ((a + m) * (excess + 1 + m * (2 - x))) / (odd + 2);
    denominator = 1 / (beta + alpha * denominator);
    numerator = beta + alpha / numerator;
    const factor = numerator * denominator;
    value *= factor;
    if (Math.abs(factor - 1) <= CONVERGED) break;
  }
  return 1 / value;
}

/**
 * Exact tails of a negative binomial count given by its mean and its dispersion, the variance divided by the mean:
 * the second condition of the flow rules. With size r = mean / (dispersion − 1), a count is Poisson with a
 * gamma-distributed mean, and dispersion 1 is the Poisson count itself.
 */

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

/** How often each of some names comes, those that do not come too. */
export function tallied<Name extends string>(
  names: readonly Name[],
  found: Iterable<Name>,
): Record<Name, number> {
  const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
  for (const name of found) counts[name] += 1;
  return counts;
}
