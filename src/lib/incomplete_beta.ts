/** Limit of the loop, far above the square root of any exact mean times the steps per root that were seen. */
const MAX_STEPS = 5_000_000;
const CONVERGED = 2 ** -52;

/**
 * I_x(a, b) · B(a, b) / (x^a (1 − x)^b): the continued fraction of the regularized incomplete beta function in the
 * contracted form of DiDonato and Morris (ACM TOMS 18, 1992, equation 9). It is quick where `excess`, which is
 * a − (a + b) x, is above 0: there x lies below the mean a / (a + b). The excess is an argument of its own because
 * subtracting would lose its digits when a is large. Steps grow with the square root of the smaller of a and b.
 */
export function incompleteBetaFraction(a: number, b: number, x: number, excess: number): number {
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
