/** What stands in the way of reading a window and its cohort. */
import { blockerOf } from "./baseline.ts";
import { EXCLUDED, type FlowSeries, historyStart, MARKED, PROVISIONAL, stateAt } from "./series.ts";
import { historyDaysNeeded } from "./window.ts";

/** The metric is too young for its four earlier windows; `start` is the place of its first reading, if it has one. */
export interface YoungHistory {
  readonly reason: "too_little_history";
  readonly start: number | undefined;
}

/** A day that is not final. */
export interface BlockedDay {
  readonly reason: "missing_day" | "provisional_day" | "excluded_day" | "marked_day";
  readonly index: number;
  readonly within: "test_window" | "cohort";
}

/** Why the windows of `days` days could not be read: the tested days come first, then the metric's youth, then its cohort. */
export function obstacleAt(series: FlowSeries, end: number, days: number): YoungHistory | BlockedDay {
  const start = historyStart(series);
  if (start >= series.states.length) return { reason: "too_little_history", start: undefined };
  const blocker = blockerOf(series, end, days);
  const young = end - historyDaysNeeded(days) < start;
  if (blocker === undefined || (young && (blocker.within === "cohort" || blocker.index < start))) {
    return { reason: "too_little_history", start };
  }
  return { ...blocker, reason: reasonOf(stateAt(series, blocker.index)) };
}

function reasonOf(state: number): BlockedDay["reason"] {
  if (state === PROVISIONAL) return "provisional_day";
  if (state === MARKED) return "marked_day";
  return state === EXCLUDED ? "excluded_day" : "missing_day";
}
