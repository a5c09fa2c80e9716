/**
 * A metric's daily counts as the flow rules read them: one count and one state per calendar day, without gaps. Days
 * before the first and after the last are missing. What is absent stays absent: a day without a value is never 0.
 */

import {
  calendarDay,
  DAY_MS,
  dayNumber,
  dayOfNumber,
  startOfDay,
  type UtcDay,
  utcDayOf,
} from "../base/time.ts";
import { isProvider, type Provider } from "../providers/adapter.ts";
import { findSeries, readBlocks } from "../reports/series.ts";
import { FINAL, MISSING, type SeriesKey, stretchOf, unlessDamaged } from "../reports/series_days.ts";
import { findLastTold } from "../signals/signal_list.ts";
import { listConsentSteps } from "../sites/annotations.ts";
import { type MarkedDays, markOn } from "../sites/thresholds.ts";
import type { Db } from "../store/store.ts";

/** A day that the operator marked, whatever is known of it. It is no stored state: the marks of today say which days it is. */
export const MARKED = 255;

export interface FlowSeries {
  /** Day number of the first element. */
  readonly firstDay: number;
  /** Counts by day; read only where the state is final. */
  readonly counts: Float64Array;
  /** State codes by day, as a series has them. */
  readonly states: Uint8Array;
  /** Days, as numbers in ascending order, from which it is counted otherwise; the day itself is half the one and half the other. */
  readonly steps?: readonly number[];
}

/** A series without the days at either end of which nothing is known. */
export function trimmed({ firstDay, counts, states, ...rest }: FlowSeries): FlowSeries {
  let [first, last] = [0, states.length];
  while (first < last && states[first] === MISSING) first++;
  while (last > first && states[last - 1] === MISSING) last--;
  return {
    ...rest,
    firstDay: firstDay + first,
    // Copied: a view would first give the memory of both arrays to a buffer, which takes four times as long.
    counts: counts.slice(first, last),
    states: states.slice(first, last),
  };
}

/** State code of a place in the series; outside of it, missing. */
export function stateAt(series: FlowSeries, index: number): number {
  return series.states[index] ?? MISSING;
}

/** Place of the first day that has any reading; the length of the series when there is none. */
export function historyStart(series: FlowSeries): number {
  let index = 0;
  while (index < series.states.length && series.states[index] === MISSING) index++;
  return index;
}

/** The newest final day, which is the day a rule tests when nothing else is said. */
export function newestFinalDay(series: FlowSeries): UtcDay | undefined {
  const found = series.states.lastIndexOf(FINAL);
  return found < 0 ? undefined : dayOfNumber(series.firstDay + found);
}

// Days that may not be compared: those before a step, from which the series is counted otherwise, and those that the operator marked.

/**
 * The series as it stands for a day: without the day of the last step up to it and all that was before, which is neither compared nor
 * measured. `step` is that day; undefined where the series has none of its days before it.
 */
export function sinceStep(
  series: FlowSeries,
  day: UtcDay,
): { readonly since: FlowSeries; readonly step: UtcDay | undefined } {
  const last = series.steps?.findLast((step) => step <= dayNumber(day));
  if (last === undefined || last < series.firstDay) return { since: series, step: undefined };
  const states = series.states.slice().fill(MISSING, 0, last - series.firstDay + 1);
  return { since: { ...series, states }, step: dayOfNumber(last) };
}

/**
 * The series with its marked days told apart. They are not final, so a window or cohort that holds one stops the test, and level,
 * weekday shares and spread pass over it.
 */
export function withMarks(series: FlowSeries, marks: readonly MarkedDays[]): FlowSeries {
  if (marks.length === 0) return series;
  const states = series.states.map((state, place) =>
    markOn(marks, dayOfNumber(series.firstDay + place)) === undefined ? state : MARKED,
  );
  return { ...series, states };
}

// What a provider told of one figure of a site, as the rules read it: days of the provider's own calendar, each with its state.

/** The provider whose figures a change of consent mode moves: its tags are loaded in browsers that may refuse them. */
export const MOVED_BY_CONSENT: Provider = "analytics";

/** The days of a series from so many before today on, where nothing is known of those at its ends. */
export function stretchOfSignal(db: Db, id: number, today: UtcDay, reach: number): FlowSeries {
  // East of Greenwich tomorrow has begun; it is never final, but it is never out of reach either.
  const to = dayNumber(today) + 1;
  const from = to - reach;
  const { firstDay, values: counts, states } = stretchOf(readBlocks(db, id, from, to), from, to);
  return trimmed({ firstDay, counts, states });
}

/** The days of the provider's calendar on which consent mode changed, since so many days before today. */
export function consentSteps(
  db: Db,
  {
    asset,
    source,
    timeZone,
  }: { readonly asset: string; readonly source: Provider; readonly timeZone: string },
  today: UtcDay,
  reach: number,
): number[] {
  if (source !== MOVED_BY_CONSENT) return [];
  return listConsentSteps(db, asset, startOfDay(today) - reach * DAY_MS).map((at) =>
    calendarDay(at, timeZone),
  );
}

/**
 * One figure of a site with what may be compared of it; undefined where nothing was ever told of it, and where its stored days are
 * damaged.
 */
export function findFlowSeries(db: Db, of: SeriesKey, now: number, reach: number): FlowSeries | undefined {
  const { asset, source } = of;
  const today = utcDayOf(now);
  const id = findSeries(db, of);
  const series = id === undefined ? undefined : unlessDamaged(() => stretchOfSignal(db, id, today, reach));
  if (series === undefined || !isProvider(source)) return series;
  const timeZone = findLastTold(db, asset, source)?.timeZone ?? "";
  const steps = consentSteps(db, { asset, source, timeZone }, today, reach);
  return { ...series, ...(steps.length > 0 && { steps }) };
}
