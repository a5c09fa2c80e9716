/**
 * Days of the test window and its cohort (spec, Volume-aware flow rules 2, 4 and 6). The test window is w whole days
 * ending at the tested day; the cohort is four windows of w days, each ending on the same weekday, ceil(w / 7) weeks
 * apart, so that none overlaps another.
 */

/** Windows in a cohort. */
export const COHORT_WINDOWS = 4;

const DAYS_IN_WEEK = 7;

/** Weeks from one window of a cohort to the next. */
export function spacingWeeks(windowDays: number): number {
  return Math.ceil(windowDays / DAYS_IN_WEEK);
}

/** Last day (as a number) of the cohort's window `back`, 1 the newest to 4 the oldest; 0 is the test window itself. */
export function windowEnd(testedDay: number, windowDays: number, back: number): number {
  return testedDay - DAYS_IN_WEEK * spacingWeeks(windowDays) * back;
}

/** Days from the first cohort day to the day before the test window ends: 28 for a daily metric, 56 + w − 1 beyond a week. */
export function historyDaysNeeded(windowDays: number): number {
  return DAYS_IN_WEEK * spacingWeeks(windowDays) * COHORT_WINDOWS + windowDays - 1;
}

/** The events a test window must be expected to hold before a count of 0 can fire: ln(1 / alpha). */
function eventsNeeded(alpha: number): number {
  return -Math.log(alpha);
}

/** Smallest w with e^(−baseline · w) < alpha, or undefined when no window up to the longest has it. */
export function smallestWindowDays(
  dailyBaseline: number,
  alpha: number,
  maxWindowDays: number,
): number | undefined {
  const guess = Math.max(1, Math.ceil(eventsNeeded(alpha) / dailyBaseline));
  // The specification's ceil() may stand exactly on the boundary, where the condition does not hold.
  const days = Math.exp(-dailyBaseline * guess) < alpha ? guess : guess + 1;
  return days <= maxWindowDays ? days : undefined;
}

/** Daily baseline below which no window can fire, so that the metric is not tested: 0.33 at the defaults. */
export function lowestTestedDaily(alpha: number, maxWindowDays: number): number {
  return eventsNeeded(alpha) / maxWindowDays;
}
