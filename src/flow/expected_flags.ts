/**
 * Flags expected by chance from a number of tests: each test looks at both tails, each at alpha. An upper figure, since
 * a count is discrete and a tail is seldom exactly alpha wide.
 */
export function flagsExpectedByChance(tests: number, alpha: number): number {
  return 2 * alpha * tests;
}
