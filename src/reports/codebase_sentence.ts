/**
 * How much visitors changed over the days over which the code did, from the daily figures of the analytics provider. Pure.
 *
 * The code is a level: so many lines in the one report, so many in the other. Visitors come day by day, and what an operator sets
 * beside the two reports is how busy the site was around each. So the four weeks that end with the latest report stand against the
 * four weeks that end with the comparison report:
 *
 * - whole weeks, since every weekday counts as often in the one as in the other, and four of them, since a single week of a small
 *   site moves by a fifth with nothing behind it; the comparison lies at least 28 days back, so that no day counts in both;
 * - only days that are final: today and yesterday are part of a day, and would read as a fall at every look. So both windows end a
 *   few days earlier where the last days are not settled, and both by as many: the distance stays that of the two reports;
 * - all of them or nothing: a day that is missing, provisional or distorted by a change of the reporting time zone would read as a
 *   fall, and filling it would be a guess.
 */

import { countText, countWords, percentText } from "../base/text.ts";
import { FINAL, type Stretch } from "./series_days.ts";

// The sentence at the top of the Codebase tab: two counts side by side, no cause (spec, Presentation).

/** The visitors' change over the same 30 days, growth from none to so many, or why nothing is known. */
type VisitorsChange =
  | { readonly percent: number }
  | { readonly fromNone: number }
  | { readonly notMeasured: string };

/** Lines of code now and in the comparison report; undefined where that report did not measure them. */
interface CodeChange {
  readonly now: number | undefined;
  readonly before: number | undefined;
}

/** Shown when no report lies 28 to 45 days before the latest (spec, Presentation). */
export const NO_COMPARISON = "No report from a month before yet";

/** Changes up to this many percent, either way, read "did not change". */
const STILL_PERCENT = 0.5;

/** The change in percent; undefined when a side is unmeasured, or when it would be growth from nothing. */
function changePercent({ now, before }: CodeChange): number | undefined {
  if (now === undefined || before === undefined) return undefined;
  if (before === 0) return now === 0 ? 0 : undefined;
  return ((now - before) / before) * 100;
}

function moved(percent: number, less: "shrank" | "fell"): string {
  if (Math.abs(percent) <= STILL_PERCENT) return "did not change";
  return percent > 0 ? `grew ${percentText(percent)}%` : `${less} ${percentText(-percent)}%`;
}

/**
 * "The code grew 10% in 30 days while visitors grew 14%." With no comparison report, the sentence that says so.
 * `change` is null when there is no comparison report.
 */
export function codebaseSentence(change: CodeChange | null, visitors: VisitorsChange): string {
  if (change === null) return NO_COMPARISON;
  const code = codeClause(change);
  if ("notMeasured" in visitors) return `${code}. Visitors: Not measured.`;
  const visited =
    "percent" in visitors
      ? moved(visitors.percent, "fell")
      : `grew from none to ${countText(visitors.fromNone)}`;
  const measured = change.now !== undefined && change.before !== undefined;
  return measured ? `${code} while visitors ${visited}.` : `${code}. Visitors ${visited} in 30 days.`;
}

function codeClause(change: CodeChange): string {
  const percent = changePercent(change);
  if (percent !== undefined) return `The code ${moved(percent, "shrank")} in 30 days`;
  if (change.now === undefined || change.before === undefined) return "Lines of code: Not measured";
  return `The code grew from 0 to ${countWords(change.now, "line")} in 30 days`;
}

/** Days of a window. */
export const WINDOW_DAYS = 28;
/** How many days the last settled one may lie before the latest report: beyond that it is another month than the code's. */
const MOST_BEHIND = 7;

/** One window: its last day and what it sums up to. Days are day numbers. */
type VisitorWindow = NonNullable<ReturnType<typeof windowTo>>;

/** The change with what it is made of. */
export type VisitorsMeasured =
  | Extract<VisitorsChange, { readonly notMeasured: string }>
  | (Exclude<VisitorsChange, { readonly notMeasured: string }> & {
      /** The window that ends with the latest report, and the one that ends with the comparison report. */
      readonly windows: readonly [now: VisitorWindow, before: VisitorWindow];
    });

/** Days of visitors that have to be read for two reports: from the first of the earlier window to the latest report. */
export function visitorDays(of: { readonly latest: number; readonly comparison: number }) {
  return { from: of.comparison - MOST_BEHIND - WINDOW_DAYS + 1, to: of.latest };
}

/** The change of daily visitors between two reports, both as day numbers. */
export function visitorsChange(
  days: Pick<Stretch, "firstDay" | "states" | "values">,
  of: { readonly latest: number; readonly comparison: number },
): VisitorsMeasured {
  const stateOf = (day: number) => days.states[day - days.firstDay];
  let end = of.latest;
  while (end > of.latest - MOST_BEHIND && stateOf(end) !== FINAL) end--;
  if (stateOf(end) !== FINAL) {
    return { notMeasured: "No day of visitors is settled in the week before the latest report." };
  }
  const now = windowTo(days, end);
  const before = windowTo(days, end - (of.latest - of.comparison));
  if (now === undefined || before === undefined) {
    const which = now === undefined ? "the latest report" : "the comparison report";
    return { notMeasured: `The ${WINDOW_DAYS} days of visitors to ${which} are not all settled.` };
  }
  const windows = [now, before] as const;
  if (before.visits === 0) {
    return now.visits === 0 ? { percent: 0, windows } : { fromNone: now.visits, windows };
  }
  return { percent: ((now.visits - before.visits) / before.visits) * 100, windows };
}

/** The sum of the days of a window; undefined where one of them is not final. */
function windowTo({ firstDay, states, values }: Pick<Stretch, "firstDay" | "states" | "values">, to: number) {
  let visits = 0;
  for (let day = to - WINDOW_DAYS + 1; day <= to; day++) {
    const place = day - firstDay;
    const value = values[place];
    if (states[place] !== FINAL || value === undefined || Number.isNaN(value)) return undefined;
    visits += value;
  }
  return { to, visits };
}
