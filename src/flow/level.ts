/**
 * What a window would hold if nothing changed: the level of the last four weeks times the shares of its weekdays, both
 * from clean days alone, and how far a count may lie from it. The mean of four weekdays knows too little to tell a full
 * stop of eight a day from an ordinary bad day; 28 days together with the shape of the week do.
 */
import { dayOfNumber } from "../lib/day_number.ts";
import { isClean, type Spread } from "./dispersion.ts";
import type { FlowSeries } from "./series.ts";
import type { Level, WeekdayShares } from "./verdict.ts";

/** Days before the window that make its level. */
const LEVEL_DAYS = 28;
/** Days before the specification's window that make the weekday shares. */
const SHARE_DAYS = 91;
/** Clean days without which a level says too little. */
const MIN_LEVEL_DAYS = 14;

const DAYS_IN_WEEK = 7;
/** Day 0, 1970-01-01, was a Thursday. */
const WEEKDAY_OF_DAY_0 = 4;

/** Weekday of a place in the series, Sunday being 0. */
function weekdayAt(series: FlowSeries, index: number): number {
  const weekday = (series.firstDay + index + WEEKDAY_OF_DAY_0) % DAYS_IN_WEEK;
  return weekday < 0 ? weekday + DAYS_IN_WEEK : weekday;
}

/**
 * Each weekday's share of the mean day, drawn towards 1 as far as chance explains its distance: with r the weekday's mean
 * over the mean of all, V what the seven ratios vary beyond their own noise N, a share is 1 + (r − 1) V / (V + N).
 * Undefined where no clean day has a count.
 */
export function weekdayShares(
  series: FlowSeries,
  spread: Spread,
  before: number,
  phi: number,
): WeekdayShares | undefined {
  const sums = new Float64Array(DAYS_IN_WEEK);
  const sizes = new Float64Array(DAYS_IN_WEEK);
  let sum = 0;
  let days = 0;
  for (let index = Math.max(0, before - SHARE_DAYS); index < before; index++) {
    if (!isClean(series, spread, index)) continue;
    const count = series.counts[index] ?? 0;
    const weekday = weekdayAt(series, index);
    sums[weekday] = (sums[weekday] ?? 0) + count;
    sizes[weekday] = (sizes[weekday] ?? 0) + 1;
    sum += count;
    days++;
  }
  if (sum === 0) return undefined;
  const mean = sum / days;
  const ratios = Array.from(sums, (weekdaySum, weekday) => {
    const size = sizes[weekday] ?? 0;
    return size === 0 ? undefined : weekdaySum / size / mean;
  });
  const seen = ratios.filter((ratio) => ratio !== undefined);
  let noise = 0;
  for (const size of sizes) if (size > 0) noise += phi / (size * mean) / seen.length;
  const squares = seen.reduce((total, ratio) => total + (ratio - 1) * (ratio - 1), 0);
  const variance = Math.max(0, squares / Math.max(1, seen.length - 1) - noise);
  const kept = variance / (variance + noise);
  const drawn = ratios.map((ratio) => (ratio === undefined ? undefined : 1 + kept * (ratio - 1)));
  const scale = seen.length / drawn.reduce<number>((total, share) => total + (share ?? 0), 0);
  return {
    from: dayOfNumber(series.firstDay + before - SHARE_DAYS),
    to: dayOfNumber(series.firstDay + before - 1),
    days,
    kept,
    noise,
    byWeekday: drawn.map((share) => (share === undefined ? 1 : share * scale)),
  };
}

/** The level of the 28 days before a window that ends at a place; undefined with fewer than 14 clean days. */
export function levelBefore(
  series: FlowSeries,
  spread: Spread,
  shares: WeekdayShares,
  window: { readonly end: number; readonly days: number },
): Level | undefined {
  const before = window.end - window.days + 1;
  let count = 0;
  let sharesSum = 0;
  let days = 0;
  for (let index = Math.max(0, before - LEVEL_DAYS); index < before; index++) {
    if (!isClean(series, spread, index)) continue;
    count += series.counts[index] ?? 0;
    sharesSum += shares.byWeekday[weekdayAt(series, index)] ?? 1;
    days++;
  }
  if (days < MIN_LEVEL_DAYS || sharesSum === 0) return undefined;
  return {
    from: dayOfNumber(series.firstDay + before - LEVEL_DAYS),
    to: dayOfNumber(series.firstDay + before - 1),
    days,
    count,
    sharesSum,
    value: count / sharesSum,
  };
}

/** Mean and variance factor (variance over mean) of the count of a window, if nothing changed. */
export interface Expectation {
  readonly mean: number;
  readonly varianceFactor: number;
}

/**
 * m = L · Σ shares of the window's days. Its variance is φ m of the days themselves, what the level does not know
 * (φ L over the shares it was measured on, times the window's squared), and what the shares do not know.
 */
export function expectationOf(
  series: FlowSeries,
  phi: number,
  shares: WeekdayShares,
  level: Level,
  window: { readonly end: number; readonly days: number },
): Expectation {
  const times = new Float64Array(DAYS_IN_WEEK);
  let sum = 0;
  for (let index = window.end - window.days + 1; index <= window.end; index++) {
    const weekday = weekdayAt(series, index);
    times[weekday] = (times[weekday] ?? 0) + 1;
    sum += shares.byWeekday[weekday] ?? 1;
  }
  const mean = level.value * sum;
  if (mean === 0) return { mean: 0, varianceFactor: phi };
  let squares = 0;
  for (const time of times) squares += time * time;
  const ofLevel = (phi * sum) / level.sharesSum;
  const ofShares = (shares.kept * shares.noise * level.value * squares) / sum;
  return { mean, varianceFactor: phi + ofLevel + ofShares };
}
