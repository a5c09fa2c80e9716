/**
 * Judging what a provider told of a site: each of its counts on its newest final day. Reads and decides; writes nothing.
 *
 * Days are those of the provider's own calendar. A day that is provisional, missing or excluded stops a test with its reason wherever
 * it is compared, so that neither a lag nor a distorted day is ever taken for a change.
 */
import type { Db } from "../db/mod.ts";
import { dayNumber } from "../lib/day_number.ts";
import { type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import { NO_COUNTS, SIGNAL_METRICS } from "../provider/contract.ts";
import { WINDOW_DAYS } from "../provider/window.ts";
import { listSeries } from "../series/mod.ts";
import { findLastTold, type LastTold, type WaitingSignals } from "../signals/mod.ts";
import {
  failedSeries,
  HISTORY_DAYS,
  type JudgedSeries,
  judgeSeries,
  type ThresholdsOf,
} from "./judge_series.ts";
import { type FlowSeries, newestFinalDay, trimmed } from "./series.ts";
import { consentSteps, stretchOfSignal } from "./signal_series.ts";
import { orFailed } from "./total.ts";

/** Days before today that a verdict can reach back to: a newest final day is sought as far back as days are pulled. */
export const REACH_DAYS = WINDOW_DAYS + HISTORY_DAYS;

/** A site and source with what the rules say of its figures; those without any final day are left out. */
export interface JudgedSignals {
  readonly turn: WaitingSignals;
  /** What the figures were last told by. */
  readonly told: LastTold | undefined;
  readonly metrics: readonly { readonly metric: string; readonly judged: JudgedSeries }[];
}

/** Judges every figure of a site and source. A figure that no rule can work with is not tested, with its reason. */
export function judgeSignals(
  db: Db,
  thresholdsOf: ThresholdsOf,
  turn: WaitingSignals,
  now: number,
): JudgedSignals {
  const { asset, source } = turn;
  const today = utcDayOf(now);
  const told = findLastTold(db, asset, source);
  const calendar = { asset, source, timeZone: told?.timeZone ?? "" };
  const steps = consentSteps(db, calendar, today, REACH_DAYS);
  const ids = new Map(listSeries(db, asset, source).map(({ id, metric }) => [metric, id]));
  const metrics = SIGNAL_METRICS[source].flatMap((metric) => {
    const id = ids.get(metric);
    if (id === undefined) return [];
    const history = orFailed(today, () => historyOf(db, id, today, steps));
    if (history === undefined) return [];
    if ("outcome" in history) return [{ metric, judged: failedSeries(today, history) }];
    const { series, day } = history;
    if (NO_COUNTS.includes(metric)) return [{ metric, judged: notACount(day) }];
    const judged = judgeSeries({ source, metric }, series, day, () => thresholdsOf(asset, metric, source));
    return [{ metric, judged }];
  });
  return { turn, told, metrics };
}

/**
 * What a verdict on the newest final day reads. It begins so many days before that day and not before today, or the same days would
 * not always lead to the same verdict. Undefined where no day is final.
 */
function historyOf(
  db: Db,
  id: number,
  today: UtcDay,
  steps: readonly number[],
): { readonly series: FlowSeries; readonly day: UtcDay } | undefined {
  const { firstDay, counts, states } = stretchOfSignal(db, id, today, REACH_DAYS);
  const day = newestFinalDay({ firstDay, counts, states });
  if (day === undefined) return undefined;
  const begin = Math.max(0, dayNumber(day) - HISTORY_DAYS - firstDay);
  const series = {
    firstDay: firstDay + begin,
    counts: counts.subarray(begin),
    states: states.subarray(begin),
  };
  return { series: { ...trimmed(series), ...(steps.length > 0 && { steps }) }, day };
}

function notACount(day: UtcDay): JudgedSeries {
  const verdict = { outcome: "not_tested", reason: "not_a_count", day } as const;
  return { day, verdict: { flow: verdict, percentDrop: verdict }, rules: [] };
}
