/** Text of the flow flags: each carries its own proof, so that a reader can check it without opening anything. */
import { percentText } from "../lib/percent.ts";
import type { TestedPercentDrop } from "./percent_drop.ts";
import type { NotTestedFlow, TestedFlow } from "./verdict.ts";
import { countText, dayText, probabilityText, weekdayText } from "./wording.ts";

/**
 * "0 sign-ups in the 4 days to 18 Nov. Expected 6, from four earlier windows (7, 5, 6, 6). Chance of this few at the old
 * rate: 0.0025, below alpha 0.01." and the second probability. `label` is the metric's name as the reader knows it.
 */
export function flowMessage(label: string, verdict: TestedFlow): string {
  const { observed, windowDays, expected, cohort, alpha } = verdict;
  const when =
    windowDays === 1 ? `on ${dayText(observed.to)}` : `in the ${windowDays} days to ${dayText(observed.to)}`;
  const windows = windowDays === 1 ? `${weekdayText(observed.to)}s` : "windows";
  const counts = cohort.map((window) => countText(window.count)).join(", ");
  const low = verdict.fires === "drop" || (verdict.fires === null && observed.count < expected);
  const tail = low ? "atMost" : "atLeast";
  const first = verdict.poisson[tail];
  const side = first < alpha ? "below" : "not below";
  return [
    `${countText(observed.count)} ${label} ${when}.`,
    `Expected ${countText(expected)}, from four earlier ${windows} (${counts}).`,
    `Chance of this ${low ? "few" : "many"} at the old rate: ${probabilityText(first, alpha)}, ${side} alpha ${alpha}.`,
    ...spreadSentence(verdict, tail),
    ...oddWindowSentence(verdict),
  ].join(" ");
}

/** The second probability, or why there is none beside the first. */
function spreadSentence(verdict: TestedFlow, tail: "atMost" | "atLeast"): string[] {
  const { dispersion, negativeBinomial, alpha } = verdict;
  if (dispersion.phi > 1) {
    const spread = `variance ${countText(dispersion.phi)} times the mean`;
    const source = dispersion.basis === "fixed" ? "the spread set for it" : "its own spread";
    return [`With ${source} (${spread}): ${probabilityText(negativeBinomial[tail], alpha)}.`];
  }
  if (dispersion.basis === "steady") return ["Its own spread is no wider than that of chance alone."];
  if (dispersion.basis === "too_few_days") return ["Its own spread is not measured yet."];
  return [];
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
    case "too_few_events_for_spread":
      return `Not tested: ${countText(verdict.expected)} expected in ${verdict.windowDays} days is too few for a metric whose variance is ${countText(verdict.dispersion.phi)} times its mean.`;
    case "failed":
      return `Not tested: the rule failed, ${verdict.detail}.`;
  }
}
