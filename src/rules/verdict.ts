/** What the flow rule answers for one metric on one day: tested, with its whole proof, or not tested, and why. */

import type { Tails } from "../base/statistics.ts";
import { countText, messageOf, shortText } from "../base/text.ts";
import { dayText, startOfDay, type UtcDay } from "../base/time.ts";
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
  /** Whether it holds an odd day (see `Dispersion.leftOut`): the expectation is then off by its share. */
  readonly standsOut: boolean;
}

/** A window with its cohort and the specification's probability of its count. */
export interface WindowTest {
  /** w, its length in days. */
  readonly windowDays: number;
  readonly observed: CountedWindow;
  /** The four earlier windows, newest first. */
  readonly cohort: readonly CohortWindow[];
  /** λ, the mean of the cohort's counts. */
  readonly expected: number;
  /** Tails under Poisson(λ). */
  readonly poisson: Tails;
}

/** Events of a day of average share, over the clean ones of some days. */
export interface PlainLevel extends CountedWindow {
  /** Clean days. */
  readonly days: number;
  /** The sum of their weekdays' shares. */
  readonly sharesSum: number;
  /** L, count divided by sharesSum. */
  readonly value: number;
}

/** The level of the 28 days before a window, with how far the metric wanders from it anyway. */
export interface Level extends PlainLevel {
  /** The variance of a week's distance from the level before it, as a share of it, beyond chance. */
  readonly wander: number;
}

/** How the week's events spread over its days, over the clean ones of the 91 days before the specification's window. */
export interface WeekdayShares {
  readonly from: UtcDay;
  readonly to: UtcDay;
  /** Clean days. */
  readonly days: number;
  /** k: how much of a weekday's distance from 1 is kept; the rest is what chance explains. */
  readonly kept: number;
  /** N, the noise of a weekday's ratio. */
  readonly noise: number;
  /** s, Sunday first; 1 for a weekday without a clean day. */
  readonly byWeekday: readonly number[];
}

/** The second condition as it was worked out. */
export interface JudgedSecond extends WindowTest {
  readonly state: "judged";
  /** Whether it lets the flag stand. */
  readonly holds: boolean;
  /** Where the mean comes from: level and weekday shares; or the cohort, while there are too few clean days for a level. */
  readonly basis: "level" | "cohort";
  /** m, the count that is expected when nothing changed. */
  readonly mean: number;
  /** f, its variance divided by its mean. */
  readonly varianceFactor: number;
  /** Mid-p tails under a negative binomial of mean m and variance f·m. */
  readonly tails: Tails;
  readonly level: Level | null;
  readonly shares: WeekdayShares | null;
}

/** Why the second condition was not worked out. */
interface UnjudgedSecond {
  /**
   * `not_needed`: the first condition does not hold. `poisson_count`: it varies no more than a Poisson count and no cohort
   * day is odd, so nothing more is asked and the flag stands. `no_window`: no window up to the longest is expected to hold
   * enough events for its spread, so that there is no flag.
   */
  readonly state: "not_needed" | "poisson_count" | "no_window";
}

/** The second condition: it can only take a flag away. */
export type SecondCondition = JudgedSecond | UnjudgedSecond;

/** A level that another took the place of, in events of a day of average share. */
export interface MovedLevel {
  /** The first day of the new level. */
  readonly since: UtcDay;
  readonly level: number;
  readonly before: number;
}

/** The first condition is the specification's own test at its own window; the rest says what came of it. */
export interface TestedFlow extends WindowTest {
  readonly outcome: "tested";
  readonly day: UtcDay;
  readonly second: SecondCondition;
  readonly dispersion: Dispersion;
  readonly alpha: number;
  readonly fires: Direction | null;
  /** Of a flag: since when the metric has another level, so that the mean of its cohort is one that it never had. */
  readonly moved?: MovedLevel;
}

/**
 * The window and the mean that a count is told against. After a burst of forty times the usual, the mean of four windows that hold it was
 * never normal: then they are those of the second condition, whose level leaves odd days out.
 */
export function usualOf<
  Test extends Pick<TestedFlow, "second" | "windowDays" | "observed" | "cohort" | "expected">,
>(flow: Test): Test | Pick<WindowTest, "windowDays" | "observed" | "expected"> {
  const { second, cohort } = flow;
  const isOdd = cohort.some(({ standsOut }) => standsOut);
  return isOdd && second.state === "judged" && second.basis === "level"
    ? { ...second, expected: second.mean }
    : flow;
}

interface NotTested<Reason extends string> {
  readonly outcome: "not_tested";
  readonly reason: Reason;
  readonly day: UtcDay;
}

/** A day that is not final stopped the test. */
interface BlockedFlow extends NotTested<"missing_day" | "provisional_day" | "excluded_day" | "marked_day"> {
  readonly windowDays: number;
  /** The newest day that stopped it. */
  readonly blockedBy: UtcDay;
  readonly within: "test_window" | "cohort";
  /** What the operator called that day, where a mark stopped the test. */
  readonly mark?: string;
}

/** The four earlier windows do not all exist yet. */
interface YoungFlow extends NotTested<"too_little_history"> {
  /** The window the metric needs at its rate so far. */
  readonly windowDays: number;
  /** First day with a reading; undefined when there is none. */
  readonly historyFrom: UtcDay | undefined;
  /** Days of history needed before the tested day. */
  readonly historyDaysNeeded: number;
  /** Earliest day that can be tested over this window; undefined when there is no reading. */
  readonly startsOn: UtcDay | undefined;
}

/** No window up to the longest is expected to hold enough events: `expected` is λ of the longest. */
export interface QuietFlow
  extends NotTested<"too_few_events">,
    Pick<TestedFlow, "windowDays" | "expected" | "dispersion" | "alpha"> {
  /** Events a day in the cohort of the longest window. */
  readonly dailyBaseline: number;
  /** Events a day below which no window can fire: ln(1 / alpha) / max_window_days. */
  readonly lowestTestedDaily: number;
}

/**
 * The series was counted otherwise from some day on (consent mode), and that day lies within the tested days, the days they are
 * compared with, or between them.
 */
interface SteppedFlow extends NotTested<"consent_step"> {
  readonly windowDays: number;
  /** The day of the change. */
  readonly step: UtcDay;
  /** Earliest day whose windows lie after it; undefined while there is no final day after it. */
  readonly startsOn: UtcDay | undefined;
}

/** The figure is no count (a ratio, a position), so no rule on counts judges it. */
type NotACount = NotTested<"not_a_count">;

/** The rule could not be worked out; whatever a site sends, it answers this instead of throwing. */
export interface FailedJudging extends NotTested<"failed"> {
  /** What went wrong, in plain words that follow "the rule failed, ". */
  readonly detail: string;
}

export type NotTestedFlow = BlockedFlow | YoungFlow | SteppedFlow | QuietFlow | NotACount | FailedJudging;
export type NotTestedReason = NotTestedFlow["reason"];
export type FlowVerdict = TestedFlow | NotTestedFlow;

// A rule answers whatever it is asked: what it cannot work out is `not tested: failed` with a reason, never an exception.

/** Longest text of an unforeseen error that is kept: a verdict is stored with each metric. */
const LONGEST_DETAIL = 200;

/** The answer of a rule on a day, or that it failed. */
export function orFailed<T>(day: UtcDay, judge: () => T): T | FailedJudging {
  try {
    return judge();
  } catch (error) {
    return { outcome: "not_tested", reason: "failed", day, detail: detailOf(error) };
  }
}

function detailOf(error: unknown): string {
  if (error instanceof UncountableError) return error.message;
  return shortText(`it broke off: ${messageOf(error)}`, LONGEST_DETAIL);
}

/** A sum that a number cannot hold exactly: each day was a legal count, but together they are more than can be judged. */
export class UncountableError extends Error {
  override readonly name = "UncountableError";
}

// What the rules say of a metric that raised nothing, as sentences.

/** The tail that was judged: that of the flag, or the one the count lies in. */
export function judgedTail({ fires, observed, expected, poisson, alpha }: TestedFlow): keyof Tails {
  if (fires !== null) return fires === "drop" ? "atMost" : "atLeast";
  if (poisson.atMost < alpha || poisson.atLeast < alpha) return poisson.atMost < alpha ? "atMost" : "atLeast";
  return observed.count < expected ? "atMost" : "atLeast";
}

/** "Not tested: the rule failed, the counts of 2 days add up to more than 9,007,199,254,740,991." */
export function failedMessage({ detail }: FailedJudging): string {
  return `Not tested: the rule failed, ${detail}.`;
}

/** Why a metric was not tested, as one sentence. */
export function notTestedMessage(verdict: NotTestedFlow): string {
  switch (verdict.reason) {
    case "missing_day":
      return `Not tested: the reading of ${dayText(verdict.blockedBy)} is missing.`;
    case "provisional_day":
      return `Not tested: ${dayText(verdict.blockedBy)} is provisional.`;
    case "excluded_day":
      return `Not tested: ${dayText(verdict.blockedBy)} is excluded.`;
    case "marked_day":
      return `Not tested: marked day, ${verdict.mark ?? "marked"} on ${dayText(verdict.blockedBy)}.`;
    case "too_little_history":
      return verdict.startsOn === undefined
        ? "Not tested: no reading yet."
        : `Starts ${dayText(verdict.startsOn)}: needs ${verdict.historyDaysNeeded} days of history.`;
    case "consent_step": {
      const starts = verdict.startsOn === undefined ? "" : ` Starts ${dayText(verdict.startsOn)}.`;
      return `Not tested: consent mode changed on ${dayText(verdict.step)}, among the days that are compared.${starts}`;
    }
    case "not_a_count":
      return "Not tested: not a count.";
    case "too_few_events":
      return `Not tested: fewer than ${countText(Math.ceil(verdict.lowestTestedDaily * 100) / 100)} a day.`;
    case "failed":
      return failedMessage(verdict);
  }
}

// How numbers and days read in a flag's text. One fixed form for stored text: English, UTC days, no locale of a machine.

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;

/** `Tuesday`. */
export function weekdayText(day: UtcDay): string {
  return WEEKDAYS[new Date(startOfDay(day)).getUTCDay()] ?? "";
}

/**
 * A probability in two digits, or as many as it takes to lie on its own side of alpha, so that the text never seems to
 * contradict the flag. Below one in a million it says only that.
 */
export function probabilityText(probability: number, alpha: number): string {
  if (probability < 1e-6) return "less than 0.000001";
  for (let digits = 2; digits < 15; digits++) {
    const text = plain(probability, digits);
    if (Number(text) < alpha === probability < alpha) return text;
  }
  return String(probability);
}

function plain(probability: number, digits: number): string {
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(probability)));
  return probability
    .toFixed(Math.min(20, places))
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}
