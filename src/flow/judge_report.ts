/** Judging one report's metrics on the history as it stands once its readings are in place. Reads and decides; writes nothing. */
import type { Db } from "../db/mod.ts";
import { dayNumber } from "../lib/day_number.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { newestDay } from "../platform/not_ahead.ts";
import type { Pulse, StoredPulse } from "../pulse/mod.ts";
import { SENT } from "../rules/mod.ts";
import { listSeries, readBlocks, type Stretch, stretchOf } from "../series/mod.ts";
import {
  failedSeries,
  HISTORY_DAYS,
  type JudgedSeries,
  judgeSeries,
  type ThresholdsOf,
} from "./judge_series.ts";
import { milestonePassed } from "./milestone.ts";
import { newestFinalDay, trimmed } from "./series.ts";
import { orFailed } from "./total.ts";

/** What judging reads beside the history. */
export interface JudgeDeps {
  readonly thresholdsOf: ThresholdsOf;
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
  readonly judged: JudgedSeries | undefined;
  /** The milestone its total passed. */
  readonly passed: { readonly milestone: number; readonly total: number } | undefined;
}

/** A report with what the rules say of its metrics, from the one at place `from` on. */
export interface JudgedReport {
  readonly report: StoredPulse;
  readonly from: number;
  readonly metrics: readonly JudgedMetric[];
}

/** The series of a site, by metric. */
export type SeriesOfSite = ReadonlyMap<string, number>;

/** The series of a report's site. */
export function seriesOfSite(db: Db, asset: string): SeriesOfSite {
  return new Map(listSeries(db, asset, SENT).map(({ id, metric }) => [metric, id]));
}

/**
 * Judges one metric of a report. A metric whose figures no rule can work with is not tested, with its reason: it must not stop the
 * others. Only storage that fails is the caller's to bear.
 */
export function judgeReported(
  db: Db,
  deps: JudgeDeps,
  { report, series }: { readonly report: StoredPulse; readonly series: SeriesOfSite },
  metric: string,
  figures: Pulse["metrics"][string],
): JudgedMetric {
  const { asset, date } = report;
  const { last24h, total } = figures;
  const isCounted = last24h !== undefined && !deps.isJudgedElsewhere(asset, metric);
  if (!isCounted && total === undefined) return { metric, judged: undefined, passed: undefined };
  const day = dayNumber(date);
  // Judged as of its acceptance, also when that is made up later; a report that was accepted did not lie ahead itself.
  const newest = dayNumber(newestDay(Math.max(report.receivedAt, report.generatedAt)));
  const [from, to] = [day - HISTORY_DAYS, Math.min(day + HISTORY_DAYS, newest)];
  const id = series.get(metric);
  const blocks = id === undefined ? [] : readBlocks(db, id, from, to);
  const history = orFailed(date, () => stretchOf(blocks, from, to));
  if ("outcome" in history) {
    return { metric, judged: isCounted ? failedSeries(date, history) : undefined, passed: undefined };
  }
  return {
    metric,
    judged: isCounted ? judgeHistory(deps, asset, metric, date, history) : undefined,
    passed: total === undefined ? undefined : milestoneOf(day, history, total),
  };
}

function judgeHistory(
  deps: JudgeDeps,
  asset: string,
  metric: string,
  date: UtcDay,
  { firstDay, values: counts, states }: Stretch,
): JudgedSeries {
  const series = trimmed({ firstDay, counts, states });
  const day = newestFinalDay(series) ?? date;
  return judgeSeries({ source: SENT, metric }, series, day, () => deps.thresholdsOf(asset, metric, SENT));
}

/** A total of a day before the newest one passes nothing. */
function milestoneOf(
  day: number,
  { firstDay, totals, lastDay }: Stretch,
  total: number,
): JudgedMetric["passed"] {
  if (lastDay > day) return undefined;
  let highest: number | undefined;
  for (let place = 0; place < day - firstDay; place++) {
    const told = totals[place] ?? Number.NaN;
    if (told > (highest ?? -1)) highest = told;
  }
  const milestone = milestonePassed(highest, total);
  return milestone === undefined ? undefined : { milestone, total };
}
