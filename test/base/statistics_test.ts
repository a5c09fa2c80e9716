import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  MAX_EXACT_MEAN,
  negativeBinomialTails,
  negativeBinomialZero,
  poissonMass,
  poissonTails,
  tallied,
} from "../../src/base/statistics.ts";
/**
 * Mean, dispersion and count with the tails at most and at least as large; null below 1e-300. They were worked out by another road than the
 * code under test: the first term by Stirling's series in 80-digit decimals, then neighbour by neighbour in whole-number fractions. Any
 * library of that precision gives them: size = mean / (dispersion - 1), probability = 1 / dispersion.
 */
import EXACT from "./exact_tails.json";

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

test("both tails are within 1e-10 of 60 digits, down to 1e-300; a step below the mean, where the sides meet, within 1e-12", () => {
  for (const [mean, dispersion, count, atMost, atLeast] of EXACT as [
    number,
    number,
    number,
    ...unknown[],
  ][]) {
    const tails = negativeBinomialTails(count, mean, dispersion);
    const bound = mean - count > 0 && mean - count <= 1 && dispersion === 2.5 ? 1e-12 : 1e-10;
    const isClose = ([exact, tail]: readonly [unknown, number]) =>
      exact === null || Math.abs(tail / Number(exact) - 1) < bound;
    const pairs = [[atMost, tails.atMost] as const, [atLeast, tails.atLeast] as const];
    expect({ mean, dispersion, count, pairs, isSo: pairs.every(isClose) }).toMatchObject({ isSo: true });
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
