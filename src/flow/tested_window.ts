/** The specification's test of one window against its cohort: counts, their mean and the Poisson tails. */

import { dayOfNumber } from "../lib/day_number.ts";
import { poissonTails } from "../lib/poisson.ts";
import { windowSum } from "./baseline.ts";
import type { Spread } from "./dispersion.ts";
import type { FlowSeries } from "./series.ts";
import type { CohortWindow, CountedWindow, Direction, WindowTest } from "./verdict.ts";
import { COHORT_WINDOWS, windowEnd } from "./window.ts";

/** Tests the window of `days` days that ends at a place, of which the count and the cohort's mean are known already. */
export function windowTest(
  series: FlowSeries,
  end: number,
  days: number,
  { count, expected }: { readonly count: number; readonly expected: number },
  spread: Spread,
): WindowTest {
  const cohort: CohortWindow[] = [];
  for (let back = 1; back <= COHORT_WINDOWS; back++) {
    const last = windowEnd(end, days, back);
    const window = counted(series, last, days, windowSum(series, last, days));
    cohort.push({ ...window, standsOut: holdsOdd(spread, last, days) });
  }
  return {
    windowDays: days,
    observed: counted(series, end, days, count),
    cohort,
    expected,
    poisson: poissonTails(count, expected),
  };
}

/** The side on which a window's tails lie below alpha; each tail is tested at alpha. */
export function improbable({ poisson }: WindowTest, alpha: number): Direction | null {
  if (poisson.atMost < alpha) return "drop";
  return poisson.atLeast < alpha ? "rise" : null;
}

function counted(series: FlowSeries, last: number, days: number, count: number): CountedWindow {
  return {
    from: dayOfNumber(series.firstDay + last - days + 1),
    to: dayOfNumber(series.firstDay + last),
    count,
  };
}

function holdsOdd({ marks, from }: Spread, last: number, days: number): boolean {
  for (let index = last; index > last - days; index--) if (marks[index - from] === 1) return true;
  return false;
}
