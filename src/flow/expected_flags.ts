/**
 * Flags expected by chance from a number of tests: each test looks at both tails, each at alpha, so two in a hundred at an
 * alpha of 0.01. A round figure and no bound: a tail of a small count is narrower than alpha, and where the expectation is
 * the mean of four counts of a thousand, 2.5 to 2.9 in a hundred were measured.
 */
export function flagsExpectedByChance(tests: number, alpha: number): number {
  return 2 * alpha * tests;
}
