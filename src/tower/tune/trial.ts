/** Thresholds tried on what is stored: gathers it and replays it under those in effect and the proposed ones. */
import { COMPARISON_SPAN, findLatest, listReports } from "../../codebase/mod.ts";
import { codebaseThresholds, flowThresholds } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import {
  type FlowSeries,
  findSignalSeries,
  flowSeries,
  HISTORY_DAYS,
  newestFinalDay,
} from "../../flow/mod.ts";
import { addDays, utcDayOf } from "../../lib/utc_day.ts";
import { isProvider } from "../../provider/contract.ts";
import { dayOffsetOf, listDaily } from "../../pulse/mod.ts";
import { daysMoved } from "../shown_days.ts";
import { codebaseTrial, REPLAYED_REPORT_DAYS, replayCodebase } from "./codebase_replay.ts";
import { metricTrial, REPLAYED_DAYS, replayMetric } from "./metric_replay.ts";
import { eachSide, NOTHING_STORED, type Trial } from "./replay.ts";
import type { Tuning } from "./tuning.ts";

/** What a day's verdict looks back on, the days that are replayed, and a year that a silent metric may be old. */
const SPAN_DAYS = HISTORY_DAYS + REPLAYED_DAYS + 365;

/** Tries thresholds on what is stored by `now`. */
export function tryOn(db: Db, tuning: Tuning, now: number): Trial {
  const { asset, source, metric } = tuning.subject;
  if (source === null || metric === null) return tryCodebase(db, tuning, now);
  return tryMetric(db, { asset, source, metric }, tuning, now);
}

/** Whose metric. */
interface MetricOf {
  readonly asset: string;
  readonly source: string;
  readonly metric: string;
}

function tryMetric(db: Db, of: MetricOf, { sides, changes }: Tuning, now: number): Trial {
  const { asset, source, metric } = of;
  const series = isProvider(source)
    ? findSignalSeries(db, { asset, source, metric }, now, SPAN_DAYS)
    : sentSeries(db, asset, metric, now);
  const to = series === undefined ? undefined : newestFinalDay(series);
  if (series === undefined || to === undefined) return NOTHING_STORED;
  const offset = isProvider(source) ? 0 : dayOffsetOf(db, asset);
  const replays = eachSide(sides, (constants) =>
    daysMoved(replayMetric(series, flowThresholds(constants, asset, source, metric), to), offset),
  );
  return metricTrial(replays, changes);
}

/** What a site sent, of which every day is final. */
function sentSeries(db: Db, asset: string, metric: string, now: number): FlowSeries {
  const today = utcDayOf(now);
  const rows = listDaily(db, asset, metric, { from: addDays(today, -SPAN_DAYS), to: addDays(today, 1) }, now);
  return flowSeries(
    rows.flatMap(({ date, last24h }) =>
      last24h === null ? [] : [[date, { value: last24h, state: "final" }] as const],
    ),
  );
}

function tryCodebase(db: Db, { subject, sides, changes }: Tuning, now: number): Trial {
  const { asset, rules } = subject;
  const to = findLatest(db, asset, now)?.date;
  if (to === undefined) return NOTHING_STORED;
  const days = REPLAYED_REPORT_DAYS + COMPARISON_SPAN.farthest;
  const reports = listReports(db, { asset, from: addDays(to, 1 - days), to, allRevisions: false }, days);
  const from = addDays(to, 1 - REPLAYED_REPORT_DAYS);
  const replays = eachSide(sides, (constants) =>
    replayCodebase(reports, from, rules, codebaseThresholds(constants, asset)),
  );
  return codebaseTrial(replays, { from, to }, changes);
}
