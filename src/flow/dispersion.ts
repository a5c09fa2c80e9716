/**
 * How much more a metric varies than a Poisson count: the variance of a day around its four-weekday mean, divided by
 * that mean. Measured on the metric's own past days, so that the second condition of the flow rules knows its spread.
 */
import type { UtcDay } from "../lib/utc_day.ts";
import { dayOfNumber } from "./day_number.ts";
import { FINAL, type FlowSeries } from "./series.ts";
import { COHORT_WINDOWS } from "./window.ts";

/**
 * Days read, ending before the tested day: together the 97 daily dates that are pulled, so that a site that was just
 * connected is judged like an old one, the cost does not grow with the history, and a change of habit is forgotten
 * after three months.
 */
export const DISPERSION_SPAN_DAYS = 96;

/** Days with a place for a full cohort inside the span that must exist before the spread is trusted. */
export const MIN_DISPERSION_DAYS = 28;

/** What the noise of a mean of four makes of a Poisson count's variance: 1 + 1/4. */
const BASELINE_NOISE = 1 + 1 / COHORT_WINDOWS;

/** A day whose squared deviation, in units of the measured variance, is beyond this stands out and is left out. */
const STANDS_OUT = 7;

/** Leaving out what stands out also cuts the ordinary tails; this puts the cut-off part of the variance back. */
const TAIL_CORRECTION = 1.06;

/** Cohort days that must remain when others stand out or have no final reading. */
const MIN_COHORT_DAYS = 2;

/** Bound of the rounds below; they settle in two or three. */
const MAX_ROUNDS = 10;

/** Where the dispersion comes from: `steady` is a spread within what a Poisson count shows by chance. */
export type DispersionBasis = "fixed" | "measured" | "steady" | "too_few_days";

export interface Dispersion {
  /** Variance divided by mean that the second condition uses; 1 makes it the bare Poisson test. */
  readonly phi: number;
  readonly basis: DispersionBasis;
  /** The ratio as measured, before `steady` and `too_few_days` make it 1; null when there was nothing to measure. */
  readonly ratio: number | null;
  /** Days it was measured on. */
  readonly days: number;
  /** Days left out because they stood out, oldest first. An outage in the history must not hide the next one. */
  readonly leftOut: readonly UtcDay[];
}

/** A dispersion that the operator fixed. */
export function fixedDispersion(phi: number): Dispersion {
  return { phi, basis: "fixed", ratio: null, days: 0, leftOut: [] };
}

/**
 * Measures the dispersion as it was known on the morning of a day (a place in the series), from earlier days alone.
 *
 * With e a day's distance from the mean m of its k cohort days, Var(e) = φ m (1 + 1/k), so φ is the sum of
 * e² / (1 + 1/k) over the sum of m: a ratio of sums, which quiet weekdays cannot bend the way a mean of ratios bends.
 * Then days that stand out are left out, also of the cohorts of later days, and the rest is measured again until
 * nothing changes. It starts from all days, so that a metric that is always wild counts as wild; starting from "days
 * that raised a flag" would keep its spread small for ever and flag it for ever. What stands out is judged on the
 * Freeman–Tukey scale √x + √(x+1) − √(4m+1), on which a full stop of a small count is as far away as it should be.
 */
export function measureDispersion(series: FlowSeries, tested: number): Dispersion {
  const from = Math.max(0, tested - DISPERSION_SPAN_DAYS);
  const length = Math.max(0, Math.min(tested, series.counts.length) - from);
  const out = new Uint8Array(length);
  const distance = new Float64Array(length);
  let ratio = 0;
  let days = 0;
  let eligible = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let squares = 0;
    let means = 0;
    days = 0;
    eligible = 0;
    for (let day = 7 * COHORT_WINDOWS; day < length; day++) {
      distance[day] = 0;
      if (series.states[from + day] !== FINAL) continue;
      let sum = 0;
      let size = 0;
      for (let earlier = day - 7 * COHORT_WINDOWS; earlier < day; earlier += 7) {
        if (out[earlier] === 1 || series.states[from + earlier] !== FINAL) continue;
        sum += series.counts[from + earlier] ?? 0;
        size++;
      }
      if (size < MIN_COHORT_DAYS) continue;
      eligible++;
      const mean = sum / size;
      const noise = 1 + 1 / size;
      const count = series.counts[from + day] ?? 0;
      const scaled = Math.sqrt(count) + Math.sqrt(count + 1) - Math.sqrt(4 * mean + 1);
      distance[day] = (scaled * scaled) / noise;
      if (out[day] === 1) continue;
      squares += ((count - mean) * (count - mean)) / noise;
      means += mean;
      days++;
    }
    ratio = means > 0 ? (TAIL_CORRECTION * squares) / means : 0;
    if (!markStandingOut(out, distance, STANDS_OUT * Math.max(1, ratio))) break;
  }
  return judged(ratio * BASELINE_NOISE, days, eligible, leftOutDays(out, series.firstDay + from));
}

/** Marks the days beyond the limit; whether any mark changed. */
function markStandingOut(out: Uint8Array, distance: Float64Array, limit: number): boolean {
  let changed = false;
  for (let day = 0; day < out.length; day++) {
    const beyond = (distance[day] ?? 0) > limit ? 1 : 0;
    if (out[day] !== beyond) {
      out[day] = beyond;
      changed = true;
    }
  }
  return changed;
}

function leftOutDays(out: Uint8Array, firstDay: number): readonly UtcDay[] {
  const days: UtcDay[] = [];
  for (let day = out.indexOf(1); day >= 0; day = out.indexOf(1, day + 1))
    days.push(dayOfNumber(firstDay + day));
  return days;
}

/** φ is the ratio where it lies above what a Poisson count shows by chance, half a standard error of n days, else 1. */
function judged(ratio: number, days: number, eligible: number, leftOut: readonly UtcDay[]): Dispersion {
  const known = days === 0 ? null : ratio;
  if (eligible < MIN_DISPERSION_DAYS || days === 0) {
    return { phi: 1, basis: "too_few_days", ratio: known, days, leftOut };
  }
  const steadyUpTo = BASELINE_NOISE * (1 + 0.5 * Math.sqrt(2 / days));
  if (ratio <= steadyUpTo) return { phi: 1, basis: "steady", ratio: known, days, leftOut };
  return { phi: ratio, basis: "measured", ratio: known, days, leftOut };
}
