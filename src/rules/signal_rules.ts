/**
 * Judging what a provider told of a site: each of its counts on its final days, in turn. Reads and decides; writes nothing.
 *
 * Days are those of the provider's own calendar. A day that is provisional, missing or excluded stops a test with its reason wherever
 * it is compared, so that neither a lag nor a distorted day is ever taken for a change.
 */

import { calendarDay, dayNumber, dayOfNumber, type UtcDay, utcDayOf } from "../base/time.ts";
import { NO_COUNTS, type Provider, SIGNAL_METRICS, WINDOW_DAYS } from "../providers/adapter.ts";
import { listSeries } from "../reports/series.ts";
import { EXCLUDED, FINAL } from "../reports/series_days.ts";
import type { WaitingSignals } from "../signals/answer_record.ts";
import { findLastTold, type LastTold, movingDays } from "../signals/day_revisions.ts";
import { isAwaited, type Lateness } from "../signals/late_source.ts";
import type { Db } from "../store/store.ts";
import { consentSteps, type FlowSeries, newestFinalDay, stretchOfSignal, trimmed } from "./flow_series.ts";
import { orFailed } from "./percent_drop.ts";
import {
  evaluateSeries,
  failedSeries,
  HISTORY_DAYS,
  type JudgedSeries,
  type ThresholdsOf,
} from "./report_rules.ts";
import { judgedDays } from "./verdicts.ts";

/** Days before today that a verdict can reach back to: a newest final day is sought as far back as days are pulled. */
export const REACH_DAYS = WINDOW_DAYS + HISTORY_DAYS;

/** The provider whose days wait to be tested: it goes on telling of a day after that is settled. */
export const WAITS: Provider = "analytics";

/** Days after such a day when it is tested though two collections in a row never agreed on it. */
const LATEST_DAYS = 5;

/** A site and source with what the rules say of its figures; those without any final day are left out. */
export interface JudgedSignals {
  readonly turn: WaitingSignals;
  /** What the figures were last told by. */
  readonly told: LastTold | undefined;
  /** Each figure on each day since it was judged last, else on that day; days ascending. */
  readonly metrics: readonly { readonly metric: string; readonly judged: JudgedSeries }[];
}

/** What judging a source reads beside its days. */
export interface SignalDeps {
  readonly db: Db;
  readonly thresholdsOf: ThresholdsOf;
  /** How late the source of the site's account is. */
  readonly lateness: Lateness | undefined;
}

/** Judges every figure of a site and source. A figure that no rule can work with is not tested, with its reason. */
export function evaluateSignals(deps: SignalDeps, turn: WaitingSignals, now: number): JudgedSignals {
  const { db, thresholdsOf } = deps;
  const { asset, source } = turn;
  const today = utcDayOf(now);
  const told = findLastTold(db, asset, source);
  const calendar = { asset, source, timeZone: told?.timeZone ?? "" };
  const steps = consentSteps(db, calendar, today, REACH_DAYS);
  const ids = new Map(listSeries(db, asset, source).map(({ id, metric }) => [metric, id]));
  const judgedOn = judgedDays(db, asset, source);
  const isTestable = testable(deps, turn, told, now);
  const metrics = SIGNAL_METRICS[source].flatMap((metric) => {
    const id = ids.get(metric);
    if (id === undefined) return [];
    const history = orFailed(today, () => stretchOfSignal(db, id, today, REACH_DAYS));
    if ("outcome" in history) return [{ metric, judged: failedSeries(today, history) }];
    if (NO_COUNTS.includes(metric)) {
      const day = newestFinalDay(history);
      return day === undefined ? [] : [{ metric, judged: notACount(day) }];
    }
    return daysToJudge(history, judgedOn.get(metric), isTestable).map((day) => {
      const series = { ...upTo(history, day), ...(steps.length > 0 && { steps }) };
      const judge = () => thresholdsOf(asset, metric, source);
      return { metric, judged: evaluateSeries({ source, metric }, series, dayOfNumber(day), judge) };
    });
  });
  return { turn, told, metrics };
}

/** Whether a figure of a site has a final day that was not judged. */
export function hasUnjudgedDay(db: Db, asset: string, source: Provider, now: number): boolean {
  const today = utcDayOf(now);
  const judged = judgedDays(db, asset, source);
  return listSeries(db, asset, source).some(({ id, metric }) => {
    const history = orFailed(today, () => stretchOfSignal(db, id, today, WINDOW_DAYS));
    const newest = "outcome" in history ? undefined : newestFinalDay(history);
    return newest !== undefined && dayNumber(newest) > (judged.get(metric) ?? Number.NEGATIVE_INFINITY);
  });
}

/**
 * Which days may be tested. An analytics day waits until two collections in a row agree on it, and one that a late source lacks until
 * its data arrives; neither for ever. What is waited for is read from what was collected: a restart changes nothing of it.
 */
function testable(
  { db, lateness }: SignalDeps,
  { asset, source }: WaitingSignals,
  told: LastTold | undefined,
  now: number,
): (day: number) => boolean {
  if (source !== WAITS || told === undefined) return () => true;
  const today = calendarDay(now, told.timeZone);
  const moving = movingDays(db, { asset, provider: source }, told, today - LATEST_DAYS + 1);
  return (day) => (day <= today - LATEST_DAYS || !moving.has(day)) && !isAwaited(day, lateness, today);
}

/**
 * Every final day since the one that was judged last, up to the first that waits: none is skipped and none is judged out of turn.
 * Where there is none, the one that was judged last, which may have been revised. Of a series that was never judged, or whose judged day is no day of it any more, the newest that
 * does not wait.
 */
function daysToJudge(
  { firstDay, states }: FlowSeries,
  last: number | undefined,
  isTestable: (day: number) => boolean,
): number[] {
  const finals = [...states.keys()].flatMap((place) => (states[place] === FINAL ? firstDay + place : []));
  const newest = finals.at(-1);
  if (newest === undefined) return [];
  const isKnown = last !== undefined && (last <= newest || states[last - firstDay] === EXCLUDED);
  if (!isKnown || last < newest - WINDOW_DAYS) return finals.filter(isTestable).slice(-1);
  const since = finals.filter((day) => day > last);
  const waits = since.findIndex((day) => !isTestable(day));
  const next = since.slice(0, waits < 0 ? since.length : waits);
  // A new day ends what was said of the one before, whatever became of that.
  return next.length > 0 ? next : [last];
}

/**
 * What a verdict on a day reads. It begins so many days before that day and not before today, or the same days would not always lead
 * to the same verdict.
 */
function upTo({ firstDay, counts, states }: FlowSeries, day: number): FlowSeries {
  const begin = Math.max(0, day - HISTORY_DAYS - firstDay);
  return trimmed({
    firstDay: firstDay + begin,
    counts: counts.slice(begin),
    states: states.slice(begin),
  });
}

function notACount(day: UtcDay): JudgedSeries {
  const verdict = { outcome: "not_tested", reason: "not_a_count", day } as const;
  return { day, verdict: { flow: verdict, percentDrop: verdict }, rules: [], lasting: [] };
}
