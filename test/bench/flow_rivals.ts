/** The rules that the flow simulation sets side by side, each an answer about the last day of a history. */

import { negativeBinomialTails, negativeBinomialZero, poissonTails } from "../../src/base/statistics.ts";
import { addDays, type UtcDay } from "../../src/base/time.ts";
import { FINAL } from "../../src/reports/series_days.ts";
import { measureSpread } from "../../src/rules/dispersion.ts";
import { evaluateFlow } from "../../src/rules/flow.ts";
import type { FlowSeries } from "../../src/rules/flow_series.ts";
import type { FlowThresholds } from "../../src/sites/thresholds.ts";
import { DEFAULT_FLOW_THRESHOLDS } from "../support/thresholds.ts";

const FIRST = "2026-01-05" as UtcDay;
const FIRST_NUMBER = Date.parse(`${FIRST}T00:00:00Z`) / 86_400_000;
const ALPHA = 0.01;

/** What a rule says about the last day of a history; a day it cannot test is quiet. */
export type Answer = "drop" | "rise" | "quiet";
export type Rule = (counts: Float64Array) => Answer;

/** A history as a series in which every day is final. */
export function seriesOf(counts: Float64Array): FlowSeries {
  return {
    firstDay: FIRST_NUMBER,
    counts,
    states: new Uint8Array(counts.length).fill(FINAL),
  };
}

function flowRule(thresholds: FlowThresholds): Rule {
  return (counts) => {
    const verdict = evaluateFlow(seriesOf(counts), addDays(FIRST, counts.length - 1), thresholds);
    return (verdict.outcome === "tested" ? verdict.fires : null) ?? "quiet";
  };
}

/**
 * The rule before this one: mean of the four matching weekdays, 1.25 times the measured ratio over 96 days, whole tails,
 * and a window that grows until a stop would be improbable under both.
 */
function before(counts: Float64Array): Answer {
  const recent = counts.subarray(Math.max(0, counts.length - 97));
  const end = recent.length - 1;
  const { phi: measured, basis } = measureSpread(seriesOf(recent), end).dispersion;
  const phi = basis === "measured" ? 1.25 * measured : 1;
  for (let days = 1; days <= 14; days++) {
    const spacing = 7 * Math.ceil(days / 7);
    const from = counts.length - days;
    if (from - 4 * spacing < 0) return "quiet";
    let mean = 0;
    for (let back = 1; back <= 4; back++)
      mean += sum(counts, from - back * spacing, from - back * spacing + days) / 4;
    if (negativeBinomialZero(mean, phi) >= ALPHA) continue;
    const count = sum(counts, from, counts.length);
    const poisson = poissonTails(count, mean);
    const spread = negativeBinomialTails(count, mean, phi);
    if (poisson.atMost < ALPHA && spread.atMost < ALPHA) return "drop";
    return poisson.atLeast < ALPHA && spread.atLeast < ALPHA ? "rise" : "quiet";
  }
  return "quiet";
}

/** Week against the week before: 20 percent and at least 5 events. */
function weekOnWeek(counts: Float64Array): Answer {
  const end = counts.length;
  const last = sum(counts, end - 7, end);
  const earlier = sum(counts, end - 14, end - 7);
  if (Math.abs(last - earlier) < 5 || Math.abs(last - earlier) < 0.2 * earlier) return "quiet";
  return last < earlier ? "drop" : "rise";
}

const FARRINGTON_WEEKS = 12;
/** Quantile of the normal distribution at 1 − alpha. */
const Z = 2.326;

/** The same of a trend, at one in twenty on both sides. */
const SIGNIFICANT = 1.96;
/** Anscombe residual beyond which a week counts less (Noufaily and others, 2013). */
const STANDS_OUT = 2.58;

/**
 * After Farrington and others (1996): a quasi-Poisson line through the same weekday of twelve weeks, with a trend where it
 * is significant, weeks that stand out weighted down, and limits on the two-thirds power scale. The spread is the pooled
 * one of the flow rule: that of twelve counts alone would triple the false flags.
 */
function farrington(counts: Float64Array): Answer {
  const end = counts.length - 1;
  const weeks = Math.min(FARRINGTON_WEEKS, Math.floor(end / 7));
  if (weeks < 4) return "quiet";
  const seen = Float64Array.from({ length: weeks }, (_, place) => counts[end - 7 * (weeks - place)] ?? 0);
  const weights = new Float64Array(weeks).fill(1);
  const phi = Math.max(1, measureSpread(seriesOf(counts), end).dispersion.ratio ?? 1);
  reweigh(seen, weights, fitLine(seen, weights, true).means, phi);
  let fit = fitLine(seen, weights, true);
  if (Math.abs(fit.slope) < SIGNIFICANT * Math.sqrt(phi * fit.slopeVariance))
    fit = fitLine(seen, weights, false);
  const mean = Math.exp(fit.intercept + fit.slope * weeks);
  const variance = phi * mean + mean * mean * phi * fit.varianceAt(weeks);
  const width = (2 / 3) * Z * (Math.sqrt(variance) / mean);
  const count = counts[end] ?? 0;
  if (count > mean * (1 + width) ** 1.5) return "rise";
  return width < 1 && count < mean * (1 - width) ** 1.5 ? "drop" : "quiet";
}

interface Line {
  readonly intercept: number;
  readonly slope: number;
  /** Variance of the slope, and of the log mean at a week, both before φ. */
  readonly slopeVariance: number;
  readonly varianceAt: (week: number) => number;
  readonly means: Float64Array;
}

function fitLine(seen: Float64Array, weights: Float64Array, withSlope: boolean): Line {
  const total = seen.reduce((all, count, week) => all + count * (weights[week] ?? 0), 0);
  const weight = weights.reduce((all, one) => all + one, 0);
  let intercept = Math.log(Math.max(total / weight, 0.1));
  let slope = 0;
  let [a, b, c] = [0, 0, 0];
  for (let round = 0; round < 8; round++) {
    let [score, slopeScore] = [0, 0];
    [a, b, c] = [0, 0, 0];
    for (const [week, count] of seen.entries()) {
      const mean = Math.exp(intercept + slope * week) * (weights[week] ?? 0);
      score += count * (weights[week] ?? 0) - mean;
      slopeScore += (count * (weights[week] ?? 0) - mean) * week;
      a += mean;
      b += mean * week;
      c += mean * week * week;
    }
    const determinant = a * c - b * b;
    if (withSlope && determinant > 1e-9) {
      intercept += (c * score - b * slopeScore) / determinant;
      slope = Math.max(-0.5, Math.min(0.5, slope + (a * slopeScore - b * score) / determinant));
    } else if (a > 0) intercept += score / a;
    intercept = Math.max(-3, Math.min(25, intercept));
  }
  const means = Float64Array.from(seen, (_, week) => Math.exp(intercept + slope * week));
  const determinant = a * c - b * b;
  return {
    intercept,
    slope,
    slopeVariance: a / determinant,
    varianceAt: (week) => (withSlope ? (c - 2 * b * week + a * week * week) / determinant : 1 / a),
    means,
  };
}

/** Weeks that stand out count less, by the square of their residual, as the method has it. */
function reweigh(seen: Float64Array, weights: Float64Array, means: Float64Array, phi: number): void {
  for (const [week, count] of seen.entries()) {
    const mean = means[week] ?? 1;
    const residual = (1.5 * (count ** (2 / 3) - mean ** (2 / 3))) / mean ** (1 / 6) / Math.sqrt(phi);
    weights[week] = Math.abs(residual) > STANDS_OUT ? residual ** -2 : 1;
  }
}

function sum(counts: Float64Array, from: number, to: number): number {
  let total = 0;
  for (let day = from; day < to; day++) total += counts[day] ?? 0;
  return total;
}

/** The rules by name, the columns of every table. */
export const RULES = [
  ["bare test", flowRule({ ...DEFAULT_FLOW_THRESHOLDS, dispersion: 1 })],
  ["before", before],
  ["flow rule", flowRule(DEFAULT_FLOW_THRESHOLDS)],
  ["Farrington", farrington],
  ["-20% week", weekOnWeek],
] as const satisfies readonly (readonly [string, Rule])[];
