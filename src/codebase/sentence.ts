/** The sentence at the top of the Codebase tab: two counts side by side, no cause (spec, Presentation). */

import { countText } from "../lib/number_text.ts";
import { percentText } from "../lib/percent.ts";
import { countWords } from "../lib/plural.ts";

/** The visitors' change over the same 30 days, growth from none to so many, or why nothing is known. */
export type VisitorsChange =
  | { readonly percent: number }
  | { readonly fromNone: number }
  | { readonly notMeasured: string };

/** Lines of code now and in the comparison report; undefined where that report did not measure them. */
export interface CodeChange {
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
