/**
 * What a window would hold if nothing changed: the level of the last four weeks times the shares of its weekdays, both
 * from clean days alone, and how far a count may lie from it. The mean of four weekdays knows too little to tell a full
 * stop of eight a day from an ordinary bad day; 28 days together with the shape of the week do.
 */

import { dayOfNumber } from "../base/time.ts";
import { FINAL } from "../reports/series_days.ts";
import { isClean, type Spread } from "./dispersion.ts";
import type { FlowSeries } from "./flow_series.ts";
import type { Level, PlainLevel, WeekdayShares } from "./verdict.ts";

/** Days before the window that make its level. */
const LEVEL_DAYS = 28;
/** Days before the specification's window that make the weekday shares. */
const SHARE_DAYS = 91;
/** Clean days without which a level says too little. */
const MIN_LEVEL_DAYS = 14;
/** Weeks before the window that show how a metric wanders, the fewest that do, and the clean days of one. */
const WANDER_WEEKS = 13;
const MIN_WANDER_WEEKS = 6;
const MIN_WEEK_DAYS = 4;
/** Times its mean that the variance of a dozen weeks reaches by chance: one standard error more. */
const WANDER_BY_CHANCE = 1.4;

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
  const level = levelOf(series, spread, shares, before - LEVEL_DAYS, before);
  if (level === undefined || level.days < MIN_LEVEL_DAYS) return undefined;
  return { ...level, wander: wanderBefore(series, spread.dispersion.phi, shares, before) };
}

/** The level of the clean days, or without a spread of all final ones, from a place up to another, which is not among them; undefined where there is none. */
export function levelOf(
  series: FlowSeries,
  spread: Spread | undefined,
  shares: WeekdayShares,
  from: number,
  before: number,
): PlainLevel | undefined {
  const { days, count, sharesSum } = sumsOf(series, spread, shares, from, before);
  if (sharesSum === 0) return undefined;
  return {
    from: dayOfNumber(series.firstDay + from),
    to: dayOfNumber(series.firstDay + before - 1),
    days,
    count,
    sharesSum,
    value: count / sharesSum,
  };
}

/** The clean days, or without a spread all final ones, from one place to before another, their events, and the sum of their weekdays' shares. */
function sumsOf(
  series: FlowSeries,
  spread: Spread | undefined,
  { byWeekday }: WeekdayShares,
  from: number,
  before: number,
) {
  let count = 0;
  let sharesSum = 0;
  let days = 0;
  for (let index = Math.max(0, from); index < before; index++) {
    if (spread === undefined ? series.states[index] !== FINAL : !isClean(series, spread, index)) continue;
    count += series.counts[index] ?? 0;
    sharesSum += byWeekday[weekdayAt(series, index)] ?? 1;
    days++;
  }
  return { count, sharesSum, days };
}

/**
 * The variance of a week's distance from the level before it, as a share of that level and beyond what chance makes of it.
 * Real traffic wanders up and down within weeks, so that a distance is no news by itself; a steady fall or rise is no wandering.
 * With r the logarithm of a week over the four weeks before it, the wander is the smaller of r's variance and the mean square
 * of its change from week to week: a lasting distance has neither, one that begins little of the second. Odd days are part
 * of how a metric wanders and are not left out. On page loads of six years 34 flags a year stand instead of 55, and of
 * those on 5,000 a day falling 5 % a week 98 of 100.
 */
function wanderBefore(series: FlowSeries, phi: number, shares: WeekdayShares, before: number): number {
  const distances: number[] = [];
  let noise = 0;
  for (let end = before - DAYS_IN_WEEK * (WANDER_WEEKS - 1); end <= before; end += DAYS_IN_WEEK) {
    const start = end - DAYS_IN_WEEK;
    const week = sumsOf(series, undefined, shares, start, end);
    const earlier = sumsOf(series, undefined, shares, start - LEVEL_DAYS, start);
    if (week.days < MIN_WEEK_DAYS || earlier.days < MIN_LEVEL_DAYS || week.count * earlier.count === 0)
      continue;
    distances.push(Math.log((week.count * earlier.sharesSum) / (week.sharesSum * earlier.count)));
    noise += phi * (1 / week.count + 1 / earlier.count);
  }
  const weeks = distances.length;
  if (weeks < MIN_WANDER_WEEKS) return 0;
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / weeks;
  let squares = 0;
  let changes = 0;
  for (const [week, distance] of distances.entries()) {
    squares += (distance - mean) ** 2;
    changes += (distance - (distances[week - 1] ?? distance)) ** 2;
  }
  return Math.max(0, Math.min(squares, changes) / (weeks - 1) - (WANDER_BY_CHANCE * noise) / weeks);
}

/**
 * Mean and variance factor (variance over mean) of the count of a window, if nothing changed.
 *
 * m = L · Σ shares of the window's days. Its variance is φ m of the days themselves, what the level does not know
 * (φ L over the shares it was measured on, times the window's squared), what the shares do not know, and how far the
 * metric wanders from its level anyway.
 */
export function expectationOf(
  series: FlowSeries,
  phi: number,
  shares: WeekdayShares,
  level: Level,
  window: { readonly end: number; readonly days: number },
) {
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
  return { mean, varianceFactor: phi + ofLevel + ofShares + level.wander * mean };
}
