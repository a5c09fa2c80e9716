/** What the flow rule answers for one metric on one day: tested, with its whole proof, or not tested, and why. */
import type { Tails } from "../lib/tails.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import type { Dispersion } from "./dispersion.ts";

/** Whether the count was too small or too large. */
export type Direction = "drop" | "rise";

/** Whole days from `from` to `to`, both included, and their count. */
export interface CountedWindow {
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly count: number;
}

/** A window of the cohort. */
export interface CohortWindow extends CountedWindow {
  /** Whether it holds a day that stood out (see `Dispersion.leftOut`): the expectation is then off by its share. */
  readonly standsOut: boolean;
}

export interface TestedFlow {
  readonly outcome: "tested";
  readonly day: UtcDay;
  /** w, the length of the test window in days. */
  readonly windowDays: number;
  /** The specification's smallest window; shorter than w where the metric's own spread asks for more events. */
  readonly specificationWindowDays: number;
  /** λ, the mean of the cohort's counts. */
  readonly expected: number;
  readonly observed: CountedWindow;
  /** The four earlier windows, newest first. */
  readonly cohort: readonly CohortWindow[];
  /** The first condition: tails under Poisson(λ). */
  readonly poisson: Tails;
  /** The second condition: tails under a negative binomial of mean λ and variance φλ. */
  readonly negativeBinomial: Tails;
  readonly dispersion: Dispersion;
  readonly alpha: number;
  readonly fires: Direction | null;
}

/** A day that is not final stopped the test. */
export interface BlockedFlow {
  readonly outcome: "not_tested";
  readonly reason: "missing_day" | "provisional_day" | "excluded_day";
  readonly day: UtcDay;
  readonly windowDays: number;
  /** The newest day that stopped it. */
  readonly blockedBy: UtcDay;
  readonly within: "test_window" | "cohort";
}

/** The four earlier windows do not all exist yet. */
export interface YoungFlow {
  readonly outcome: "not_tested";
  readonly reason: "too_little_history";
  readonly day: UtcDay;
  readonly windowDays: number;
  /** First day with a reading; undefined when there is none. */
  readonly historyFrom: UtcDay | undefined;
  /** Days of history needed before the tested day. */
  readonly historyDaysNeeded: number;
  /** Earliest day that can be tested over this window; undefined when there is no reading. */
  readonly startsOn: UtcDay | undefined;
}

/** No window up to the longest is expected to hold enough events. */
export interface QuietFlow {
  readonly outcome: "not_tested";
  /** The second reason: enough for the specification's test, too few for a metric of this spread. */
  readonly reason: "too_few_events" | "too_few_events_for_spread";
  readonly day: UtcDay;
  readonly windowDays: number;
  /** λ of the longest window. */
  readonly expected: number;
  /** Events a day in the cohort of the longest window. */
  readonly dailyBaseline: number;
  /** Events a day below which no window can fire: ln(1 / alpha) / max_window_days. */
  readonly lowestTestedDaily: number;
  readonly dispersion: Dispersion;
  readonly alpha: number;
}

/** The rule could not be worked out; whatever a site sends, it answers this instead of throwing. */
export interface FailedJudging {
  readonly outcome: "not_tested";
  readonly reason: "failed";
  readonly day: UtcDay;
  /** What went wrong, in plain words that follow "the rule failed, ". */
  readonly detail: string;
}

export type NotTestedFlow = BlockedFlow | YoungFlow | QuietFlow | FailedJudging;
export type NotTestedReason = NotTestedFlow["reason"];
export type FlowVerdict = TestedFlow | NotTestedFlow;
