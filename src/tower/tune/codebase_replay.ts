/** What codebase rules would have raised over stored reports. Pure. */
import { COMPARISON_SPAN, comparisonFor, judgeCodebase, type StoredReport } from "../../codebase/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { type CodebaseThresholds, ruleOf } from "../../rules/mod.ts";
import { countOf, formatCount } from "../format.ts";
import { changeWords, type ThresholdChange } from "./proposal.ts";
import { againstNow, type RaisedList, raisedDays, type Sides, type Trial } from "./replay.ts";

/** Days of stored reports that are replayed. */
export const REPLAYED_REPORT_DAYS = 365;

/** Reports listed for each rule. */
const MOST_LISTED = 20;

/** One rule over the stored reports. */
export interface RuleReplay {
  readonly rule: string;
  /** Reports at which the rule could be judged. */
  readonly judged: number;
  /** Its flags' words, by the report that raises each. */
  readonly raised: ReadonlyMap<UtcDay, string>;
}

/**
 * Judges each report against the one a month before it. `reports` are current ones, newest first, one a day; those before `from`
 * only serve to be compared with.
 */
export function replayCodebase(
  reports: readonly StoredReport[],
  from: UtcDay,
  rules: readonly string[],
  thresholds: CodebaseThresholds,
): readonly RuleReplay[] {
  const judged = reports.flatMap((report, place) => {
    if (report.date < from) return [];
    const earlier = reports.slice(place + 1, place + 1 + COMPARISON_SPAN.farthest);
    const verdicts = judgeCodebase(report, comparisonFor(report.date, earlier), thresholds);
    return verdicts.map(({ rule, verdict }) => ({ date: report.date, rule, verdict }));
  });
  return rules.map((rule) => {
    const verdicts = judged.filter((one) => one.rule === rule && one.verdict.state !== "not_run");
    const raised = verdicts.flatMap(({ date, verdict }) =>
      verdict.state === "fires" ? [[date, verdict.message ?? rule] as const] : [],
    );
    return { rule, judged: verdicts.length, raised: new Map(raised) };
  });
}

/** Both replays of some reports, and a sentence on each rule that would change. */
export function codebaseTrial(
  sides: Sides<readonly RuleReplay[]>,
  span: { readonly from: UtcDay; readonly to: UtcDay },
  changes: readonly ThresholdChange[],
): Trial {
  const hasProposal = sides.proposed !== undefined;
  const rules = sides.inEffect.map((inEffect, place) => ({
    ...inEffect,
    proposed: (sides.proposed?.[place] ?? inEffect).raised,
    changes: changes.filter(({ name }) => keysOf(inEffect.rule).includes(name)),
  }));
  return {
    history: {
      heading: "Over the stored reports",
      ...span,
      note: "the current report of each day",
      columns: ["Rule", "Reports judged", "Raised now", ...(hasProposal ? ["Proposed"] : [])],
      figures: rules.map(({ rule, judged, raised, proposed }) => {
        const counts = [judged, raised.size, ...(hasProposal ? [proposed.size] : [])];
        return [rule, ...counts.map((count) => formatCount(count))];
      }),
      headClass: "mono",
      lists: rules
        .filter(({ raised, proposed }) => rules.length === 1 || !hasProposal || raised.size !== proposed.size)
        .map(({ rule, raised, proposed }) => listOf(rule, raised, proposed))
        .filter(({ days }) => days.length > 0),
      hasProposal,
    },
    sentences: rules
      .filter((rule) => rule.judged > 0 && (rules.length === 1 || rule.changes.length > 0))
      .map(sentenceOf),
  };
}

function keysOf(rule: string): readonly string[] {
  return ruleOf(rule)?.reads?.keys ?? [];
}

function listOf(rule: string, inEffect: RuleReplay["raised"], proposed: RuleReplay["raised"]): RaisedList {
  const days = raisedDays(inEffect, proposed);
  const raised = (said: string | undefined) => (said === undefined ? undefined : "raised");
  return {
    heading: `Reports that raise ${rule}`,
    note:
      days.length > MOST_LISTED ? `the newest ${MOST_LISTED} of ${formatCount(days.length)}` : "newest first",
    day: "Report",
    days: days.slice(0, MOST_LISTED).map(({ day, inEffect: now, proposed: then }) => {
      return { day, said: now ?? then ?? "", inEffect: raised(now), proposed: raised(then) };
    }),
    nothing: "no flag",
  };
}

/** "With growth_percent 40 codebase-growth would have been raised at 2 of 52 stored reports instead of 9." */
function sentenceOf(
  rule: RuleReplay & {
    readonly proposed: RuleReplay["raised"];
    readonly changes: readonly ThresholdChange[];
  },
): string {
  const { judged, proposed, raised, changes } = rule;
  const at = `at ${formatCount(proposed.size)} of ${countOf(judged, "stored report")}`;
  const against = changes.length === 0 ? "" : againstNow(proposed.size, raised.size);
  return `With ${changeWords(changes)} ${rule.rule} would have been raised ${at}${against}.`;
}
