/** What the rules say of one series on one day, whoever told its figures. Pure. */
import type { JudgedRule, SeriesSource } from "../flags/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { FlowThresholds } from "../rules/mod.ts";
import {
  judgedRules,
  judgeMetric,
  type LastingRule,
  lastingRules,
  type MetricVerdict,
  type SeriesName,
} from "./metric_verdict.ts";
import type { FlowSeries } from "./series.ts";
import { orFailed } from "./total.ts";
import type { FailedJudging } from "./verdict.ts";

/** Days of history a verdict may read: a year, and the span of the dispersion before it. */
export const HISTORY_DAYS = 488;

/** The thresholds that hold for a metric of a site from a source. */
export type ThresholdsOf = (asset: string, metric: string, source: SeriesSource) => FlowThresholds;

/** A series with what the rules say of its day. */
export interface JudgedSeries {
  readonly day: UtcDay;
  readonly verdict: MetricVerdict;
  readonly rules: readonly JudgedRule[];
  readonly lasting: readonly LastingRule[];
}

/** Judges a day of a series. It never throws: what no rule can work with is not tested, with its reason. */
export function judgeSeries(
  name: SeriesName,
  series: FlowSeries,
  day: UtcDay,
  thresholdsOf: () => FlowThresholds,
): JudgedSeries {
  // The rules answer whatever they are asked; so must what is made of their answers.
  const judged = orFailed(day, () => {
    const thresholds = thresholdsOf();
    const verdict = judgeMetric(series, day, thresholds);
    return {
      day,
      verdict,
      rules: judgedRules(name, verdict, thresholds),
      lasting: lastingRules(name, verdict, thresholds),
    };
  });
  return "outcome" in judged ? failedSeries(day, judged) : judged;
}

/** A series on which no rule can say anything. */
export function failedSeries(day: UtcDay, verdict: FailedJudging): JudgedSeries {
  return { day, verdict: { flow: verdict, percentDrop: verdict }, rules: [], lasting: [] };
}

/** Why a series could not be judged; undefined when it could. */
export function failureOf({ flow, percentDrop, lasting }: MetricVerdict): string | undefined {
  const failed = [flow, percentDrop, lasting].find(
    (verdict): verdict is FailedJudging => verdict?.outcome === "not_tested" && verdict.reason === "failed",
  );
  return failed?.detail;
}
