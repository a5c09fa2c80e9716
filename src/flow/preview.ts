/** What given thresholds would have raised on a stored history: the preview that is shown before a metric is tuned. */

import { dayNumber, dayOfNumber } from "../lib/day_number.ts";
import { countWords } from "../lib/plural.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { FlowThresholds } from "../rules/mod.ts";
import { flagsExpectedByChance } from "./expected_flags.ts";
import { evaluateFlow } from "./rule.ts";
import { type FlowSeries, MAX_SERIES_DAYS } from "./series.ts";
import type { Direction, NotTestedReason } from "./verdict.ts";
import { countText, dayText } from "./wording.ts";

/** A day on which a flag would have been raised. */
export interface RaisedDay {
  readonly day: UtcDay;
  readonly direction: Direction;
  readonly count: number;
  readonly expected: number;
  readonly windowDays: number;
}

export interface FlowPreview {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly raised: readonly RaisedDay[];
  /** Days that were tested. */
  readonly tests: number;
  /** Days that were not tested, by reason; an absent reason did not occur. */
  readonly notTested: Readonly<Partial<Record<NotTestedReason, number>>>;
  readonly expectedByChance: number;
}

/** Replays every day from `from` to `to`, both included, each with what was before it. The days as they are stored now. */
export function previewFlow(
  series: FlowSeries,
  thresholds: FlowThresholds,
  from: UtcDay,
  to: UtcDay,
): FlowPreview {
  const last = dayNumber(to);
  const first = Math.max(dayNumber(from), last - MAX_SERIES_DAYS + 1);
  const raised: RaisedDay[] = [];
  const notTested: Partial<Record<NotTestedReason, number>> = {};
  let tests = 0;
  for (let number = first; number <= last; number++) {
    const day = dayOfNumber(number);
    const verdict = evaluateFlow(series, day, thresholds);
    if (verdict.outcome === "not_tested") {
      notTested[verdict.reason] = (notTested[verdict.reason] ?? 0) + 1;
      continue;
    }
    tests++;
    const { fires, observed, expected, windowDays } = verdict;
    if (fires !== null) raised.push({ day, direction: fires, count: observed.count, expected, windowDays });
  }
  const expectedByChance = flagsExpectedByChance(tests, thresholds.alpha);
  return { from: dayOfNumber(first), to, raised, tests, notTested, expectedByChance };
}

/** "With alpha 0.001 this metric would have raised 2 flags in the 90 days to 18 Nov instead of 9." */
export function previewSentence(change: string, proposed: FlowPreview, current: FlowPreview): string {
  const days = dayNumber(proposed.to) - dayNumber(proposed.from) + 1;
  const flags = countWords(proposed.raised.length, "flag");
  const span = `${days === 1 ? "on" : `in the ${days} days to`} ${dayText(proposed.to)}`;
  const now =
    current.raised.length === proposed.raised.length
      ? ", as now"
      : ` instead of ${countText(current.raised.length)}`;
  return `With ${change} this metric would have raised ${flags} ${span}${now}.`;
}
