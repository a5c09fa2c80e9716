/** Text of the flow flags: each carries its own proof, so that a reader can check it without opening anything. */
import { percentText } from "../lib/percent.ts";
import type { Tails } from "../lib/tails.ts";
import type { Dispersion } from "./dispersion.ts";
import type { TestedPercentDrop } from "./percent_drop.ts";
import type { FailedJudging, NotTestedFlow, TestedFlow, WindowTest } from "./verdict.ts";
import { countText, dayText, probabilityText, weekdayText } from "./wording.ts";

/**
 * "0 sign-ups in the 4 days to 18 Nov. Expected 6, from four earlier windows (7, 5, 6, 6). Chance of this few at the old
 * rate: 0.0025, below alpha 0.01." and what the second condition said. `label` is the metric's name as the reader knows it.
 */
export function flowMessage(label: string, verdict: TestedFlow): string {
  const { observed, windowDays, expected, cohort, alpha, poisson } = verdict;
  const windows = windowDays === 1 ? `${weekdayText(observed.to)}s` : "windows";
  const counts = cohort.map((window) => countText(window.count)).join(", ");
  const tail = judgedTail(verdict);
  const side = poisson[tail] < alpha ? "below" : "not below";
  return [
    `${countText(observed.count)} ${label} ${whenText(verdict)}.`,
    `Expected ${countText(expected)}, from four earlier ${windows} (${counts}).`,
    `Chance of this ${tail === "atMost" ? "few" : "many"} at the old rate: ${probabilityText(poisson[tail], alpha)}, ${side} alpha ${alpha}.`,
    ...secondSentence(verdict, tail),
    ...oddWindowSentence(verdict),
  ].join(" ");
}

/** The tail that was judged: that of the flag, or the one the count lies in. */
export function judgedTail({ fires, observed, expected, poisson, alpha }: TestedFlow): keyof Tails {
  if (fires !== null) return fires === "drop" ? "atMost" : "atLeast";
  if (poisson.atMost < alpha || poisson.atLeast < alpha) return poisson.atMost < alpha ? "atMost" : "atLeast";
  return observed.count < expected ? "atMost" : "atLeast";
}

function whenText({ windowDays, observed }: WindowTest): string {
  return windowDays === 1
    ? `on ${dayText(observed.to)}`
    : `in the ${windowDays} days to ${dayText(observed.to)}`;
}

/** The second probability, or why there is none beside the first. */
function secondSentence(verdict: TestedFlow, tail: keyof Tails): string[] {
  const { second, dispersion, alpha, windowDays } = verdict;
  switch (second.state) {
    case "not_needed":
      return [];
    case "poisson_count":
      return dispersion.basis === "fixed" ? [] : ["Its own spread is no wider than that of chance alone."];
    case "no_window":
      return ["No window is expected to hold enough events for its spread, so there is no flag."];
    case "judged": {
      const level = second.basis === "level" ? "at its level of the 28 days before" : "at the same old rate";
      const longer =
        second.windowDays > windowDays
          ? `${countText(second.observed.count)} ${whenText(second)}, where ${countText(second.mean)} are expected`
          : `${countText(second.mean)} expected`;
      const side = second.tails[tail] < alpha ? "below" : "not below";
      return [
        `With ${spreadText(dispersion)}, ${level}: ${longer}, mid-p chance ${probabilityText(second.tails[tail], alpha)}, ${side} alpha.`,
      ];
    }
  }
}

function spreadText({ phi, basis }: Dispersion): string {
  if (phi === 1) return "a spread no wider than that of chance";
  const ratio = `variance ${countText(phi)} times the mean`;
  if (basis === "fixed") return `the spread set for it (${ratio})`;
  return basis === "measured"
    ? `its own spread (${ratio})`
    : `a spread assumed until it is measured (${ratio})`;
}

function oddWindowSentence(verdict: TestedFlow): string[] {
  const odd = verdict.cohort.filter((window) => window.standsOut).map((window) => dayText(window.to));
  if (odd.length === 0) return [];
  const subject = odd.length === 1 ? "The earlier window to" : "The earlier windows to";
  return [`${subject} ${odd.join(", ")} stood out ${odd.length === 1 ? "itself" : "themselves"}.`];
}

/** "2,310 page_views in the 7 days to 18 Nov. Expected 4,200, from four earlier weeks (…). That is 45% down; …" */
export function percentDropMessage(label: string, verdict: TestedPercentDrop): string {
  const { observed, cohort, expected, dropPercent, percent } = verdict;
  const counts = cohort.map((window) => countText(window.count)).join(", ");
  return [
    `${countText(observed.count)} ${label} in the 7 days to ${dayText(observed.to)}.`,
    `Expected ${countText(expected)}, from four earlier weeks (${counts}).`,
    `That is ${percentText(dropPercent)}% down; the rule fires at ${percentText(percent)}%.`,
  ].join(" ");
}

/** "The total of page_views passed 20,000." */
export function milestoneMessage(label: string, milestone: number): string {
  return `The total of ${label} passed ${countText(milestone)}.`;
}

/** "Not tested: the rule failed, the counts of the 2 days to 18 Nov add up to more than 9,007,199,254,740,991." */
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
    case "too_little_history":
      return verdict.startsOn === undefined
        ? "Not tested: no reading yet."
        : `Starts ${dayText(verdict.startsOn)}: needs ${verdict.historyDaysNeeded} days of history.`;
    case "too_few_events":
      return `Not tested: fewer than ${countText(Math.ceil(verdict.lowestTestedDaily * 100) / 100)} a day.`;
    case "failed":
      return failedMessage(verdict);
    case "too_few_events_for_spread":
      return `Not tested: ${countText(verdict.expected)} expected in ${verdict.windowDays} days is too few for a metric whose variance is ${countText(verdict.dispersion.phi)} times its mean.`;
  }
}
