/** What a day of a figure says, in words. Pure. */

import { formatDay, formatPercent } from "../format.ts";
import type { Comparison } from "./compare.ts";
import { changeOf } from "./compare.ts";
import type { FigureDay, FigureState } from "./figures.ts";
import { type FigureUnit, figureText } from "./named.ts";

/** The states as they are said. */
export const STATE_WORDS: Readonly<Record<FigureState, string>> = {
  final: "final",
  provisional: "provisional",
  missing: "no value",
  excluded: "left out of the rules",
  none: "none due",
};

/** What follows a day whose value is not final, short: ", left out"; "" where it is. */
export function stateAfter(state: FigureState): string {
  return state === "final" ? "" : `, ${state === "excluded" ? "left out" : STATE_WORDS[state]}`;
}

/** A day's value with its state, where that is not final: "1,204", "98, provisional", "no value"; "" where none is due. */
export function dayWords(unit: FigureUnit, { state, value }: FigureDay): string {
  if (value === null) return state === "none" || state === "final" ? "" : STATE_WORDS[state];
  const text = figureText(unit, value);
  return state === "final" ? text : `${text}, ${STATE_WORDS[state]}`;
}

/** What two stretches of days come to: "512 in the 30 days to 18 Nov, 498 in the 30 before", or why they are not compared. */
export function comparisonWords(comparison: Comparison, unit: FigureUnit, now: number): string {
  if (comparison.outcome === "compared") {
    const { count, to } = comparison;
    const change = changeOf(comparison);
    const percent = change === undefined ? "" : ` (${change > 0 ? "+" : ""}${formatPercent(change)})`;
    const span = count === 1 ? `on ${formatDay(to, now)}` : `in the ${count} days to ${formatDay(to, now)}`;
    const before = count === 1 ? "on the day before" : `in the ${count} before`;
    return `${figureText(unit, comparison.now)} ${span}, ${figureText(unit, comparison.before)} ${before}${percent}`;
  }
  const { reason, day } = comparison;
  const on = day === undefined ? "" : formatDay(day, now);
  switch (reason) {
    case "no_sum":
      return "Not compared: its days do not add up.";
    case "nothing_final":
      return "Not compared: no day is final yet.";
    case "before_first":
      return on === ""
        ? "Not compared: the days before were never told."
        : `Not compared: nothing was told of ${on} and before.`;
    case "missing":
      return `Not compared: ${on} has no value.`;
    case "provisional":
      return `Not compared: ${on} is provisional.`;
    case "excluded":
      return `Not compared: ${on} is left out.`;
  }
}
