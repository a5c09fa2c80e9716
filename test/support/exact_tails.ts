/**
 * Tails of a count to about 60 digits, worked out by another road than the code under test: ln Γ from Stirling's series
 * in 80-digit decimals for the first term, then neighbour by neighbour in whole-number fractions. Mean and dispersion
 * are taken as the exact values of their doubles.
 */

import { Decimal } from "decimal.js";

const Digits = Decimal.clone({ precision: 80, toExpNeg: -2000, toExpPos: 2000 });
const SHIFT = 320n;
const SMALLEST = 200n;

const HALF_LN_TAU = Digits.acos(-1).mul(2).ln().div(2);
/** ln Γ by its argument: the same size is asked for with many counts. */
const known = new Map<string, Decimal>();

/** Stirling's coefficients B(2k) / (2k (2k − 1)), from exact Bernoulli numbers. */
const COEFFICIENTS = stirlingCoefficients(44);
/** Large enough for the coefficients above to reach 1e-80. */
const STIRLING_FROM = 70;

function stirlingCoefficients(count: number): Decimal[] {
  // Tangent numbers T(k) by Brent's recurrence; |B(2k)| = 2k T(k) / (4^k (4^k − 1)).
  const tangent: bigint[] = [0n, 1n];
  for (let k = 2; k <= count; k++) tangent[k] = BigInt(k - 1) * (tangent[k - 1] ?? 0n);
  for (let k = 2; k <= count; k++) {
    for (let j = k; j <= count; j++) {
      tangent[j] = BigInt(j - k) * (tangent[j - 1] ?? 0n) + BigInt(j - k + 2) * (tangent[j] ?? 0n);
    }
  }
  const coefficients: Decimal[] = [];
  for (let k = 1; k <= count; k++) {
    const four = 4n ** BigInt(k);
    const sign = k % 2 === 1 ? 1n : -1n;
    const top = sign * (tangent[k] ?? 0n);
    coefficients.push(new Digits(top.toString()).div((four * (four - 1n) * BigInt(2 * k - 1)).toString()));
  }
  return coefficients;
}

function lnGamma(z: Decimal): Decimal {
  const key = z.toString();
  const found = known.get(key) ?? stirling(z);
  known.set(key, found);
  return found;
}

function stirling(z: Decimal): Decimal {
  let x = z;
  let product = new Digits(1);
  while (x.lt(STIRLING_FROM)) {
    product = product.mul(x);
    x = x.add(1);
  }
  const inverse = new Digits(1).div(x);
  const square = inverse.mul(inverse);
  let power = inverse;
  let sum = new Digits(0);
  for (const coefficient of COEFFICIENTS) {
    sum = sum.add(coefficient.mul(power));
    power = power.mul(square);
  }
  return x.sub(0.5).mul(x.ln()).sub(x).add(HALF_LN_TAU).add(sum).sub(product.ln());
}

/** The tails of a count, as decimals. */
export interface ExactTails {
  readonly atMost: Decimal;
  readonly atLeast: Decimal;
}

/** P(X <= count) and P(X >= count) with the given mean and dispersion; dispersion 1 is the Poisson count. */
export function exactTails(count: number, mean: number, dispersion: number): ExactTails {
  const mass = massOf(count, mean, dispersion);
  const step = ratios(mean, dispersion);
  if (count < mean) {
    const atMost = mass.mul(sumDown(count, step));
    return { atMost, atLeast: new Digits(1).sub(atMost).add(mass) };
  }
  const atLeast = mass.mul(sumUp(count, step));
  return { atMost: new Digits(1).sub(atLeast).add(mass), atLeast };
}

function massOf(count: number, mean: number, dispersion: number): Decimal {
  const x = new Digits(count);
  const m = new Digits(mean);
  if (dispersion === 1)
    return x
      .mul(m.ln())
      .sub(m)
      .sub(lnGamma(x.add(1)))
      .exp();
  const phi = new Digits(dispersion);
  const size = m.div(phi.sub(1));
  const ways = lnGamma(x.add(size))
    .sub(lnGamma(size))
    .sub(lnGamma(x.add(1)));
  return ways
    .sub(size.mul(phi.ln()))
    .add(x.mul(phi.sub(1).div(phi).ln()))
    .exp();
}

/** P(k + 1) / P(k) = (k (φ − 1) + mean) / (φ (k + 1)), in whole numbers over one power of two. */
interface Ratios {
  readonly excess: bigint;
  readonly mean: bigint;
  readonly phi: bigint;
}

function ratios(mean: number, dispersion: number): Ratios {
  return { excess: whole(dispersion) - whole(1), mean: whole(mean), phi: whole(dispersion) };
}

/** The exact value of a double of at least 2^−10 times 2^64. */
function whole(value: number): bigint {
  return BigInt(value * 2 ** 64);
}

function sumUp(count: number, { excess, mean, phi }: Ratios): Decimal {
  let term = 1n << SHIFT;
  let sum = term;
  for (let k = BigInt(count); term > sum >> SMALLEST; k++) {
    term = (term * (k * excess + mean)) / (phi * (k + 1n));
    sum += term;
  }
  return new Digits(sum.toString()).div((1n << SHIFT).toString());
}

function sumDown(count: number, { excess, mean, phi }: Ratios): Decimal {
  let term = 1n << SHIFT;
  let sum = term;
  for (let k = BigInt(count); k > 0n && term > sum >> SMALLEST; k--) {
    term = (term * phi * k) / ((k - 1n) * excess + mean);
    sum += term;
  }
  return new Digits(sum.toString()).div((1n << SHIFT).toString());
}

/** |value − exact| / exact. */
export function relativeError(value: number, exact: Decimal): number {
  return new Digits(value).sub(exact).div(exact).abs().toNumber();
}
