import { expect, test } from "bun:test";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import {
  MAX_EXACT_MEAN,
  negativeBinomialTails,
  negativeBinomialZero,
  poissonMass,
  poissonTails,
  tallied,
} from "../../src/base/statistics.ts";

test("poisson: the reference itself gives a value known by hand, e^-6 (1 + 6) for 1 or fewer of 6", () => {
  expect(exactTails(1, 6, 1).atMost.toFixed(20)).toBe("0.01735126523666450896");
  expect(poissonTails(0, 6).atMost).toBeCloseTo(0.0024787521766663585, 16);
});

test("poisson: nothing is expected and nothing comes", () => {
  expect(poissonTails(0, 0)).toEqual({ atMost: 1, atLeast: 1 });
  expect(poissonTails(3, 0)).toEqual({ atMost: 1, atLeast: 0 });
});

test("poisson: what is no count or no mean is refused", () => {
  for (const [count, mean] of [
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [1, -1],
    [1, Number.NaN],
    [1, Number.POSITIVE_INFINITY],
  ]) {
    expect(() => poissonTails(count ?? 0, mean ?? 0)).toThrow(RangeError);
  }
});

test("poisson: above the largest exact mean the bound is never below the tail it stands for", () => {
  const mean = MAX_EXACT_MEAN;
  for (const deviation of [-5, -2.4, 2.4, 5]) {
    const count = Math.round(mean + deviation * Math.sqrt(mean));
    const exact = poissonTails(count, mean);
    const bound = poissonTails(count, mean * (1 + 1e-15));
    expect(bound.atMost).toBeGreaterThanOrEqual(exact.atMost);
    expect(bound.atLeast).toBeGreaterThanOrEqual(exact.atLeast);
  }
});

const counts = fc.integer({ min: 0, max: 3_000 });
const means = fc.integer({ min: 1, max: 12_000 }).map((quarters) => quarters / 4);

test("poisson: tails are monotone in the count and the mean, lie in 0 to 1 and overlap by the count itself (property)", () => {
  fc.assert(
    fc.property(counts, means, (count, mean) => {
      const here = poissonTails(count, mean);
      const next = poissonTails(count + 1, mean);
      const more = poissonTails(count, mean + 0.25);
      const loose = 1 + 1e-12;
      expect(here.atMost).toBeLessThanOrEqual(next.atMost * loose);
      expect(next.atLeast).toBeLessThanOrEqual(here.atLeast * loose);
      expect(more.atMost).toBeLessThanOrEqual(here.atMost * loose);
      expect(here.atLeast).toBeLessThanOrEqual(more.atLeast * loose);
      for (const tail of [here.atMost, here.atLeast]) {
        expect(tail).toBeGreaterThanOrEqual(0);
        expect(tail).toBeLessThanOrEqual(1);
      }
      expect(Math.abs(here.atMost + here.atLeast - 1 - poissonMass(count, mean))).toBeLessThan(1e-12);
    }),
  );
});

const DEVIATIONS = [-30, -8, -2.4, -1, 0, 0.1, 2.4, 8, 20, 36];

const CASES: readonly (readonly [mean: number, dispersions: readonly number[]])[] = [
  [0.25, [1, 1.25, 40]],
  [4.75, [1, 1 + 2 ** -20, 2.5, 40]],
  [12.5, [1, 1.25, 100]],
  [100, [1, 1 + 2 ** -30, 1.5, 40]],
  [999.25, [1, 1.25, 100]],
  [12_345.75, [1, 1 + 2 ** -10, 1.5, 20]],
  [100_000, [1, 1.25, 10]],
  [1_000_000, [1, 1.5, 4]],
];

for (const [mean, dispersions] of CASES) {
  test(`both tails at mean ${mean} are within 1e-10 of 60 digits, down to 1e-300`, () => {
    for (const dispersion of dispersions) {
      for (const deviation of DEVIATIONS) {
        const count = Math.max(0, Math.round(mean + deviation * Math.sqrt(mean * dispersion)));
        const exact = exactTails(count, mean, dispersion);
        const { atMost, atLeast } = negativeBinomialTails(count, mean, dispersion);
        if (exact.atMost.gt("1e-300")) expect(relativeError(atMost, exact.atMost)).toBeLessThan(1e-10);
        if (exact.atLeast.gt("1e-300")) expect(relativeError(atLeast, exact.atLeast)).toBeLessThan(1e-10);
      }
    }
  });
}

test("negative binomial: a count one step below the mean, where the sides meet, is exact too", () => {
  for (const mean of [1.25, 5.5, 17.75, 1_000.25]) {
    const count = Math.ceil(mean) - 1;
    const exact = exactTails(count, mean, 2.5);
    const { atMost, atLeast } = negativeBinomialTails(count, mean, 2.5);
    expect(relativeError(atMost, exact.atMost)).toBeLessThan(1e-12);
    expect(relativeError(atLeast, exact.atLeast)).toBeLessThan(1e-12);
  }
});

test("negative binomial: dispersion 1 is the Poisson count, to the digit", () => {
  for (const [count, mean] of [
    [0, 4.75],
    [3, 4.75],
    [9, 4.75],
    [70, 100],
  ] as const) {
    expect(negativeBinomialTails(count, mean, 1)).toEqual(poissonTails(count, mean));
  }
  expect(negativeBinomialZero(4.75, 1)).toBe(Math.exp(-4.75));
});

test("negative binomial: what is no dispersion is refused", () => {
  for (const dispersion of [0, 0.99, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => negativeBinomialTails(1, 1, dispersion)).toThrow(RangeError);
  }
});
const negativeBinomialTestMeans = fc.integer({ min: 1, max: 8_000 }).map((quarters) => quarters / 4);
const dispersions = fc.double({ min: 1, max: 60, noNaN: true });

test("negative binomial: tails are monotone in the count and lie in 0 to 1 (property)", () => {
  fc.assert(
    fc.property(counts, negativeBinomialTestMeans, dispersions, (count, mean, dispersion) => {
      const here = negativeBinomialTails(count, mean, dispersion);
      const next = negativeBinomialTails(count + 1, mean, dispersion);
      const loose = 1 + 1e-11;
      expect(here.atMost).toBeLessThanOrEqual(next.atMost * loose);
      expect(next.atLeast).toBeLessThanOrEqual(here.atLeast * loose);
      for (const tail of [here.atMost, here.atLeast]) {
        expect(tail).toBeGreaterThanOrEqual(0);
        expect(tail).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("negative binomial: a count of 0 is the less surprising the wider the spread (property)", () => {
  fc.assert(
    fc.property(negativeBinomialTestMeans, dispersions, (mean, dispersion) => {
      const zero = negativeBinomialZero(mean, dispersion);
      expect(zero).toBeGreaterThanOrEqual(Math.exp(-mean));
      expect(zero).toBeLessThanOrEqual(negativeBinomialZero(mean, dispersion + 0.5));
      expect(negativeBinomialTails(0, mean, dispersion).atMost).toBeCloseTo(zero, 14);
    }),
  );
});

test("tallied() counts every name in the order of the names, those that do not come too", () => {
  const counts = tallied(["failing", "idle", "working"], ["idle", "failing", "idle"]);
  expect(Object.entries(counts)).toEqual([
    ["failing", 1],
    ["idle", 2],
    ["working", 0],
  ]);
});

// Tails of a count to about 60 digits, worked out by another road than the code under test: ln Γ from Stirling's series
// in 80-digit decimals for the first term, then neighbour by neighbour in whole-number fractions. Mean and dispersion
// are taken as the exact values of their doubles.

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
interface ExactTails {
  readonly atMost: Decimal;
  readonly atLeast: Decimal;
}

/** P(X <= count) and P(X >= count) with the given mean and dispersion; dispersion 1 is the Poisson count. */
function exactTails(count: number, mean: number, dispersion: number): ExactTails {
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
function relativeError(value: number, exact: Decimal): number {
  return new Digits(value).sub(exact).div(exact).abs().toNumber();
}
