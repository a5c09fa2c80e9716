/** Judging one report's metrics on the history as it stands once its readings are in place. Reads and decides; writes nothing. */
import type { Db } from "../db/mod.ts";
import type { JudgedRule } from "../flags/mod.ts";
import { addDays, type UtcDay } from "../lib/utc_day.ts";
import { type DailyReading, listDaily, type Pulse, type StoredPulse } from "../pulse/mod.ts";
import type { FlowThresholds } from "../rules/mod.ts";
import { judgedRules, judgeMetric, type MetricVerdict } from "./metric_verdict.ts";
import { milestonePassed } from "./milestone.ts";
import { flowSeries } from "./series.ts";
import { orFailed } from "./total.ts";
import type { FailedJudging } from "./verdict.ts";

/** Days of history a verdict may read: the longest cohort of the longest allowed window, and the span of the dispersion. */
export const HISTORY_DAYS = 200;

/** What judging reads beside the history. */
export interface JudgeDeps {
  readonly thresholdsOf: (asset: string, metric: string) => FlowThresholds;
  /** Metrics that another rule judges already. */
  readonly isJudgedElsewhere: (asset: string, metric: string) => boolean;
}

/** A report with what it says, taken up to be judged. */
export interface TakenReport {
  readonly report: StoredPulse;
  readonly pulse: Pulse;
}

/** What the rules say of one metric of a report. */
export interface JudgedMetric {
  readonly metric: string;
  /** Undefined where the report has no daily count of it, or another rule judges it. */
  readonly judged:
    | { readonly day: UtcDay; readonly verdict: MetricVerdict; readonly rules: readonly JudgedRule[] }
    | undefined;
  /** The milestone its total passed. */
  readonly passed: { readonly milestone: number; readonly total: number } | undefined;
}

/** A report with what the rules say of its metrics, from the one at place `from` on. */
export interface JudgedReport {
  readonly report: StoredPulse;
  readonly from: number;
  readonly metrics: readonly JudgedMetric[];
}

/**
 * Judges one metric of a report. A metric whose figures no rule can work with is not tested, with its reason: it must not stop the
 * others. Only storage that fails is the caller's to bear.
 */
export function judgeReported(
  db: Db,
  deps: JudgeDeps,
  report: StoredPulse,
  metric: string,
  figures: Pulse["metrics"][string],
): JudgedMetric {
  const { asset, date } = report;
  const { last24h, total } = figures;
  const isCounted = last24h !== undefined && !deps.isJudgedElsewhere(asset, metric);
  if (!isCounted && total === undefined) return { metric, judged: undefined, passed: undefined };
  const span = { from: addDays(date, -HISTORY_DAYS), to: addDays(date, HISTORY_DAYS) };
  // Judged as of its acceptance, also when that is made up later; a report that was accepted did not lie ahead itself.
  const history = listDaily(db, asset, metric, span, Math.max(report.receivedAt, report.generatedAt));
  return {
    metric,
    judged: isCounted
      ? judgeHistory(metric, date, history, () => deps.thresholdsOf(asset, metric))
      : undefined,
    passed: total === undefined ? undefined : milestoneOf(date, history, total),
  };
}

function judgeHistory(
  metric: string,
  date: UtcDay,
  history: readonly DailyReading[],
  thresholdsOf: () => FlowThresholds,
): NonNullable<JudgedMetric["judged"]> {
  const counts = history.flatMap(({ date: day, last24h }) =>
    last24h === null ? [] : [[day, { value: last24h, state: "final" }] as const],
  );
  const day = counts.at(-1)?.[0] ?? date;
  // The rules answer whatever they are asked; so must what is made of their answers.
  const judged = orFailed(day, () => {
    const thresholds = thresholdsOf();
    const verdict = judgeMetric(flowSeries(counts), day, thresholds);
    return { day, verdict, rules: judgedRules(metric, verdict, thresholds) };
  });
  return "outcome" in judged ? { day, verdict: { flow: judged, percentDrop: judged }, rules: [] } : judged;
}

/** Why a metric could not be judged; undefined when it could. */
export function failureOf({ flow, percentDrop }: MetricVerdict): string | undefined {
  const failed = [flow, percentDrop].find(
    (verdict): verdict is FailedJudging => verdict.outcome === "not_tested" && verdict.reason === "failed",
  );
  return failed?.detail;
}

/** A total of a day before the newest one passes nothing. */
function milestoneOf(date: UtcDay, history: readonly DailyReading[], total: number): JudgedMetric["passed"] {
  if (history.some((reading) => reading.date > date)) return undefined;
  const earlier = history.flatMap((reading) =>
    reading.total === null || reading.date === date ? [] : [reading.total],
  );
  const milestone = milestonePassed(earlier.length === 0 ? undefined : Math.max(...earlier), total);
  return milestone === undefined ? undefined : { milestone, total };
}
