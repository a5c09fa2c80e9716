/**
 * How much more a metric varies than a Poisson count, and which of its past days were odd: the variance of a day around
 * its four-weekday mean times its local trend, divided by that product, measured on the metric's own past days.
 */

import { dayOfNumber, type UtcDay } from "../base/time.ts";
import { FINAL } from "../reports/series_days.ts";
import type { FlowSeries } from "./flow_series.ts";

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

/**
 * Days read, ending before the tested day. The first four weeks of them only serve as cohorts, so that days are marked
 * as odd as far back as the weekday shares reach (see `lasting.ts`); the cost does not grow with the history, and a
 * change of habit is forgotten after four months.
 */
const DISPERSION_SPAN_DAYS = 124;

/** Days with a place for a full cohort inside the span that must exist before the spread is trusted. */
const MIN_DISPERSION_DAYS = 28;

/**
 * Until then the ratio is drawn towards that of an ordinary metric, as though so many days of it had been seen: taken for
 * a Poisson count, a metric of three times the mean would be flagged six times in its first month.
 */
const ORDINARY_RATIO = 2;
const ORDINARY_DAYS = 14;

/** A day whose squared deviation, in units of the measured variance, is beyond this stands out and is left out. */
const STANDS_OUT = 7;

/**
 * How far the variance of what stands out may lie above its mean square on the scale it is judged on, where ordinary days have about the
 * same on both. A burst of 60 times the mean makes so much of the variance that it would never stand out, and hide all that follows.
 */
const MOST_ABOVE_ROOTED = 2;

/** Leaving out what stands out also cuts the ordinary tails; this puts the cut-off part of the variance back. */
const TAIL_CORRECTION = 1.06;

/**
 * Days on either side of a day whose counts over their cohorts' means make its local trend, and the fewest that do. A steady
 * fall or rise is thus no spread. Fourteen days would follow a real site's ups and downs so closely that a flat level is
 * always improbable to it (87 flags a year on page loads of six years, 55 with these, 24 without a trend).
 */
const TREND_DAYS = 28;
const MIN_TREND_DAYS = 7;

/** Cohort days that must remain when others stand out or have no final reading. */
const MIN_COHORT_DAYS = 2;

/** Bound of the rounds below; they settle in two or three. */
const MAX_ROUNDS = 10;

/**
 * Where the dispersion comes from: `steady` is a spread within what a Poisson count shows by chance, `too_few_days` one
 * that is drawn towards that of an ordinary metric.
 */
export type DispersionBasis = "fixed" | "measured" | "steady" | "too_few_days";

export interface Dispersion {
  /** φ, variance divided by mean, as the second condition uses it; 1 is a Poisson count. */
  readonly phi: number;
  readonly basis: DispersionBasis;
  /** The ratio as measured, before `steady` makes it 1 and `too_few_days` draws it; null when nothing could be measured. */
  readonly ratio: number | null;
  /** Days it was measured on. */
  readonly days: number;
  /** Odd days: left out because they stood out, oldest first. An outage in the history must not hide the next one. */
  readonly leftOut: readonly UtcDay[];
}

/** The dispersion with the marks of the odd days, by place in the series. */
export interface Spread {
  readonly dispersion: Dispersion;
  /** Place in the series of the first mark. */
  readonly from: number;
  /** 1 where the day was odd as known on the morning of the tested day. */
  readonly marks: Uint8Array;
}

/** Whether a day, by its place in the series, is final and not odd. Only such days speak for the level of a metric. */
export function isClean({ states }: FlowSeries, { marks, from }: Spread, index: number): boolean {
  if (states[index] !== FINAL) return false;
  // An array asked beyond its ends is many times slower.
  return index < from || index - from >= marks.length || marks[index - from] !== 1;
}

/**
 * Measures the spread as it was known on the morning of a day (a place in the series), from earlier days alone. A
 * number instead of "measured" takes the place of φ; odd days are marked all the same.
 *
 * With c the mean of a day's k cohort days, C the sum of such means over the days around it, and t their counts over C, the
 * day's distance from tc is e, and Var(e) = φ tc (1 + t/k) (1 + c/C). So φ is the sum of e² / ((1 + t/k) (1 + c/C)) over the
 * sum of tc: a ratio of sums, which quiet weekdays cannot bend the way a mean of ratios bends.
 * Then days that stand out are left out, also of the cohorts of later days, and the rest is measured again until
 * nothing changes. It starts from all days, so that a metric that is always wild counts as wild; starting from "days
 * that raised a flag" would keep its spread small for ever and flag it for ever. What stands out is judged on the
 * Freeman–Tukey scale √x + √(x+1) − √(4tc+1), on which a full stop of a small count is as far away as it should be.
 */
export function measureSpread(
  series: FlowSeries,
  tested: number,
  fixed: number | "measured" = "measured",
): Spread {
  const { counts } = series;
  const from = Math.max(0, tested - DISPERSION_SPAN_DAYS);
  const length = Math.max(0, Math.min(tested, counts.length) - from);
  const marks = new Uint8Array(length);
  const { means, sizes, distance, ofDays, ofCounts, ofMeans } = sums;
  let ratio = 0;
  let days = 0;
  let eligible = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    addUp(series, from, marks);
    let squares = 0;
    let rooted = 0;
    let sum = 0;
    days = 0;
    eligible = 0;
    for (let day = 7 * COHORT_WINDOWS; day < length; day++) {
      distance[day] = 0;
      const size = sizes[day] ?? 0;
      if (size === 0) continue;
      const cohort = means[day] ?? 0;
      eligible++;
      const count = counts[from + day] ?? 0;
      const isOdd = marks[day] === 1;
      // The days around it that are not odd, without the day itself.
      const first = Math.max(0, day - TREND_DAYS);
      const end = Math.min(length, day + TREND_DAYS + 1);
      const nearDays = (ofDays[end] ?? 0) - (ofDays[first] ?? 0) - (isOdd ? 0 : 1);
      const nearCounts = (ofCounts[end] ?? 0) - (ofCounts[first] ?? 0) - (isOdd ? 0 : count);
      const nearMeans = (ofMeans[end] ?? 0) - (ofMeans[first] ?? 0) - (isOdd ? 0 : cohort);
      const isKnown = nearDays >= MIN_TREND_DAYS && nearMeans > 0;
      const trend = isKnown ? nearCounts / nearMeans : 1;
      const noise = (1 + trend / size) * (isKnown ? 1 + cohort / nearMeans : 1);
      const mean = cohort * trend;
      const scaled = Math.sqrt(count) + Math.sqrt(count + 1) - Math.sqrt(4 * mean + 1);
      const away = (scaled * scaled) / noise;
      distance[day] = away;
      if (isOdd) continue;
      rooted += away;
      squares += ((count - mean) * (count - mean)) / noise;
      sum += mean;
      days++;
    }
    ratio = sum > 0 ? (TAIL_CORRECTION * squares) / sum : 0;
    const limit = Math.min(ratio, (MOST_ABOVE_ROOTED * rooted) / Math.max(1, days));
    if (!markStandingOut(marks, distance, STANDS_OUT * Math.max(1, limit))) break;
  }
  const known = days === 0 ? null : ratio;
  const leftOut = leftOutDays(marks, series.firstDay + from);
  const dispersion = { ...phiOf({ ratio, days, eligible }, fixed), ratio: known, days, leftOut };
  return { dispersion, from, marks };
}

/**
 * What one measurement adds up, in place of that of the one before: of each day the mean of its cohort days that are final and not odd
 * and their number, 0 where the day is not measured; and of the days before each that are measured and not odd, their number, counts
 * and means.
 */
const sums = {
  means: new Float64Array(DISPERSION_SPAN_DAYS),
  sizes: new Uint8Array(DISPERSION_SPAN_DAYS),
  distance: new Float64Array(DISPERSION_SPAN_DAYS),
  ofDays: new Float64Array(DISPERSION_SPAN_DAYS + 1),
  ofCounts: new Float64Array(DISPERSION_SPAN_DAYS + 1),
  ofMeans: new Float64Array(DISPERSION_SPAN_DAYS + 1),
};

function addUp({ counts, states }: FlowSeries, from: number, marks: Uint8Array): void {
  const { means, sizes, ofDays, ofCounts, ofMeans } = sums;
  for (let day = 7 * COHORT_WINDOWS; day < marks.length; day++) {
    let sum = 0;
    let size = 0;
    for (
      let earlier = day - 7 * COHORT_WINDOWS;
      earlier < day && states[from + day] === FINAL;
      earlier += 7
    ) {
      if (marks[earlier] === 1 || states[from + earlier] !== FINAL) continue;
      sum += counts[from + earlier] ?? 0;
      size++;
    }
    const isMeasured = size >= MIN_COHORT_DAYS;
    const mean = isMeasured ? sum / size : 0;
    means[day] = mean;
    sizes[day] = isMeasured ? size : 0;
    const isTaken = isMeasured && marks[day] !== 1;
    ofDays[day + 1] = (ofDays[day] ?? 0) + (isTaken ? 1 : 0);
    ofCounts[day + 1] = (ofCounts[day] ?? 0) + (isTaken ? (counts[from + day] ?? 0) : 0);
    ofMeans[day + 1] = (ofMeans[day] ?? 0) + (isTaken ? mean : 0);
  }
}

/** Marks the days beyond the limit; whether any mark changed. */
function markStandingOut(marks: Uint8Array, distance: Float64Array, limit: number): boolean {
  let changed = false;
  for (let day = 0; day < marks.length; day++) {
    const beyond = (distance[day] ?? 0) > limit ? 1 : 0;
    if (marks[day] !== beyond) {
      marks[day] = beyond;
      changed = true;
    }
  }
  return changed;
}

function leftOutDays(marks: Uint8Array, firstDay: number): readonly UtcDay[] {
  const days: UtcDay[] = [];
  for (let day = marks.indexOf(1); day >= 0; day = marks.indexOf(1, day + 1))
    days.push(dayOfNumber(firstDay + day));
  return days;
}

/**
 * φ is the ratio where it lies above what a Poisson count shows by chance, half a standard error of n days, else 1; and in
 * the first month something between the ratio and an ordinary one.
 */
function phiOf(
  { ratio, days, eligible }: { readonly ratio: number; readonly days: number; readonly eligible: number },
  fixed: number | "measured",
): Pick<Dispersion, "phi" | "basis"> {
  if (fixed !== "measured") return { phi: fixed, basis: "fixed" };
  if (eligible < MIN_DISPERSION_DAYS || days === 0) {
    const drawn = (ratio * days + ORDINARY_RATIO * ORDINARY_DAYS) / (days + ORDINARY_DAYS);
    return { phi: Math.max(1, drawn), basis: "too_few_days" };
  }
  if (ratio <= 1 + 0.5 * Math.sqrt(2 / days)) return { phi: 1, basis: "steady" };
  return { phi: ratio, basis: "measured" };
}
