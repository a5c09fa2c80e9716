/**
 * Lasting change of a metric: its last four weeks against the four before, and against what the same weeks did a year ago.
 *
 * With a and b the levels of both (events of a day of average share, see `levelOf`), A and B the sums of their days'
 * shares, L the level of all those days, and φ the measured dispersion: z = (a − b) / √(φ L (1/A + 1/B)). A flag is raised
 * beyond 3.5 where the smaller level lies more than `lasting_percent` below the larger, and stays until z is back within
 * 1.64: between the two nothing is raised or resolved, so that no flag comes and goes from day to day. Odd days are left out
 * of a level while they are at most a quarter of its days, and of an outage that has ended; else they are a level of their own. A window with fewer than
 * 21 final days stops the test. Once both windows exist a year before (364 days, the same weekdays), with
 * levels a' and b', the change must also be more than theirs: log(a/b) − log(a'/b') beyond 1.64 standard errors, and by the
 * same percentage. That can only take a flag away.
 *
 * Each day is a look: beyond 3 a steady series would be flagged in 10 to 20 % of its years, beyond 3.5 in 0 to 6 %, a decline
 * or a growth each (1x to 3x, with quiet weekends too). A fall of 5 % a week is found within 35 days in 96 % of series at 100 a
 * day and 1x, in 62 % at 2x and 41 % at 3x, and in all at 1,000 a day and more. A level that wanders by 5 % from week to
 * week is flagged in nearly every year of 1,000 a day; page loads of six years had 5.8 such flags a year.
 */

import { dayNumber, dayOfNumber, type UtcDay } from "../base/time.ts";
import { FINAL } from "../reports/series_days.ts";
import type { FlowThresholds } from "../sites/thresholds.ts";
import { isClean, measureSpread, type Spread } from "./dispersion.ts";
import { type FlowSeries, sinceStep, withMarks } from "./flow_series.ts";
import {
  type FailedJudging,
  type Level,
  type MovedLevel,
  orFailed,
  type PlainLevel,
  type WeekdayShares,
} from "./verdict.ts";

const WINDOW_DAYS = 28;
/** Share of a window's days without which it says too little. */
const MIN_SHARE = 0.75;
const YEAR_DAYS = 364;
/** Standard errors beyond which a flag is raised, and within which it is over. */
export const RAISED_BEYOND = 3.5;
const OVER_WITHIN = 1.64;
/** The last days, which say whether odd days before them have ended, and the fewest clean ones that stand for a window then. */
const RECENT_DAYS = 7;
/** Days that make a level since a day: before a week is over no day is compared with one of the new level. */
const MIN_SINCE_DAYS = 7;

export type TestedLasting = NonNullable<ReturnType<typeof judged>>;

export type LastingVerdict =
  | TestedLasting
  | { readonly outcome: "not_tested"; readonly reason: "too_few_days"; readonly day: UtcDay }
  | FailedJudging;

/** Judges the 28 days ending at `day`; it never throws. */
export function evaluateLasting(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): LastingVerdict {
  return orFailed(day, () => {
    const { since } = sinceStep(withMarks(series, thresholds.marked_days), day);
    return judged(since, day, thresholds) ?? { outcome: "not_tested", reason: "too_few_days", day };
  });
}

/** Whether the verdict reads what the same weeks did a year ago. */
export function readsYearAgo(verdict: LastingVerdict | undefined): boolean {
  return verdict?.outcome === "tested" && Math.abs(verdict.z) > OVER_WITHIN;
}

function judged(
  series: FlowSeries,
  day: UtcDay,
  { dispersion: fixed, lasting_percent: percent }: FlowThresholds,
) {
  const end = dayNumber(day) - series.firstDay + 1;
  const months = monthsBefore(series, end, fixed);
  if (months === undefined || months.spread.dispersion.basis === "too_few_days") return undefined;
  const { now, before, spread } = months;
  const { dispersion } = spread;
  const z = distance(now, before, dispersion.phi);
  const trend = z < 0 ? "decline" : "growth";
  const told = { outcome: "tested", day, trend, z, now, before, dispersion, percent } as const;
  if (Math.abs(z) <= OVER_WITHIN) return { ...told, state: "over", moved: null, yearAgo: null } as const;
  const yearAgo = yearAgoOf(months, monthsBefore(series, end - YEAR_DAYS, fixed), z < 0 ? -1 : 1);
  const agrees =
    yearAgo === null || (yearAgo.beyond > OVER_WITHIN && isMoved(now.value, yearAgo.expected, percent));
  /** Where the level moved most. */
  const moved = movedLevel(series, end - 1, spread) ?? null;
  // A fall that most of the level has come back from since is none that lasts.
  const isBack = moved !== null && moved.level < moved.before !== z < 0;
  const fires = Math.abs(z) > RAISED_BEYOND && isMoved(now.value, before.value, percent) && agrees && !isBack;
  const stays = yearAgo === null || yearAgo.beyond > 0;
  /** Raised; or it stays open where it is, and is over where it is not. */
  const state = fires ? "fires" : stays ? "stays" : "over";
  return { ...told, state, moved, yearAgo } as const;
}

type Months = NonNullable<ReturnType<typeof monthsBefore>>;

/** The levels of the last 28 days before a place and of the 28 before them; undefined where either has too few final days. */
function monthsBefore(series: FlowSeries, end: number, fixed: FlowThresholds["dispersion"]) {
  const spread = measureSpread(series, end, fixed);
  const shares = weekdayShares(series, spread, end, spread.dispersion.phi);
  if (shares === undefined) return undefined;
  const levels = levelsAround(series, spread, shares, end - WINDOW_DAYS, end);
  return levels === undefined ? undefined : { ...levels, spread };
}

/** The levels of the days from a place on, and of the 28 before it. */
function levelsAround(series: FlowSeries, spread: Spread, shares: WeekdayShares, since: number, end: number) {
  let recent = 0;
  for (let index = end - RECENT_DAYS; index < end; index++) if (isClean(series, spread, index)) recent++;
  const isEnded = recent * 2 > RECENT_DAYS;
  const levelFrom = (from: number, before: number): PlainLevel | undefined => {
    const all = levelOf(series, undefined, shares, from, before);
    if (all === undefined || all.days < MIN_SHARE * (before - from)) return undefined;
    if (spread.dispersion.leftOut.length === 0) return all;
    const clean = levelOf(series, spread, shares, from, before);
    if (clean !== undefined && clean.days >= MIN_SHARE * (before - from)) return clean;
    if (!isEnded) return all;
    return clean !== undefined && clean.days >= RECENT_DAYS ? clean : undefined;
  };
  const now = levelFrom(since, end);
  const before = levelFrom(since - WINDOW_DAYS, since);
  return now === undefined || before === undefined ? undefined : { now, before };
}

/** Standard errors between two levels, above 0 where the first is the larger. */
function distance(one: PlainLevel, other: PlainLevel, phi: number): number {
  const level = (one.count + other.count) / (one.sharesSum + other.sharesSum);
  const error = Math.sqrt(phi * level * (1 / one.sharesSum + 1 / other.sharesSum));
  return error === 0 ? 0 : (one.value - other.value) / error;
}

/** Whether the smaller level lies more than so many percent below the larger; never at 100. */
export function isMoved(one: number, other: number, percent: number): boolean {
  return Math.min(one, other) * 100 < Math.max(one, other) * (100 - percent);
}

/** The change against that of the same weeks a year ago; null where these are not known or had no events. */
function yearAgoOf(months: Months, then: Months | undefined, side: 1 | -1) {
  if (then === undefined || then.now.count === 0 || then.before.count === 0) return null;
  const { now, before } = then;
  const expected = (months.before.value * now.value) / before.value;
  const variance = (of: Months) =>
    of.spread.dispersion.phi * (1 / Math.max(1, of.now.count) + 1 / Math.max(1, of.before.count));
  // Of no events at all the logarithm is taken as of one.
  const level = Math.max(1, months.now.count) / months.now.sharesSum;
  const change = months.before.count === 0 ? side : Math.log(level / expected);
  return {
    now,
    before,
    /** The level of the last weeks if they had changed as those did. */
    expected,
    /** Standard errors by which the change lies beyond theirs; above 0 on its own side. */
    beyond: (side * change) / Math.sqrt(variance(months) + variance(then)),
  };
}

/**
 * Since when the metric has another level: the day of the last four weeks from which on the days lie furthest from the 28
 * before it, where that is further than a flag needs. The mean of windows on both sides of it is a level that the metric
 * never had. `last` is the last of these days.
 */
export function movedLevel(series: FlowSeries, last: number, spread: Spread): MovedLevel | undefined {
  const { phi } = spread.dispersion;
  const shares = weekdayShares(series, spread, last + 1, phi);
  if (shares === undefined) return undefined;
  let moved: MovedLevel | undefined;
  let furthest = RAISED_BEYOND;
  for (let since = last - WINDOW_DAYS + 1; since < last; since++) {
    const levels = levelsAround(series, spread, shares, since, last + 1);
    const far = levels === undefined ? 0 : Math.abs(distance(levels.now, levels.before, phi));
    if (levels === undefined || far <= furthest) continue;
    furthest = far;
    const isLong = last - since + 1 >= MIN_SINCE_DAYS;
    const { now, before } = levels;
    moved = isLong
      ? { since: dayOfNumber(series.firstDay + since), level: now.value, before: before.value }
      : undefined;
  }
  return moved;
}

// What a window would hold if nothing changed: the level of the last four weeks times the shares of its weekdays, both
// from clean days alone, and how far a count may lie from it. The mean of four weekdays knows too little to tell a full
// stop of eight a day from an ordinary bad day; 28 days together with the shape of the week do.

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
function levelOf(
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
