/** How often codebase rules would have been raised over stored reports. Pure. */

import { COMPARISON_SPAN, comparisonFor, judgeCodebase, type StoredReport } from "../../codebase/mod.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import type { CodebaseRuleId, CodebaseThresholds } from "../../rules/mod.ts";

/** Days of stored reports a preview looks back over. */
export const CODEBASE_PREVIEW_DAYS = 365;

/** A report at which a rule fires under one of two sets of thresholds. */
export interface FiredReport {
  readonly date: UtcDay;
  readonly inEffect: boolean;
  readonly proposed: boolean;
  /** The alert's words. */
  readonly message: string;
}

/** One rule over the stored reports. */
export interface RulePreview {
  readonly rule: CodebaseRuleId;
  /** Reports at which the rule could be judged. */
  readonly judged: number;
  readonly inEffect: number;
  readonly proposed: number;
  /** Newest first. */
  readonly fired: readonly FiredReport[];
}

/**
 * Judges each report against the one a month before it, under both sets of thresholds. `reports` are current ones, newest
 * first, one a day; those before `from` only serve to be compared with.
 */
export function previewCodebase(
  reports: readonly StoredReport[],
  from: UtcDay,
  rules: readonly CodebaseRuleId[],
  thresholds: { readonly inEffect: CodebaseThresholds; readonly proposed: CodebaseThresholds },
): RulePreview[] {
  const judged = reports.flatMap((report, place) => {
    if (report.date < from) return [];
    const earlier = reports.slice(place + 1, place + 1 + COMPARISON_SPAN.farthest);
    const comparison = comparisonFor(report.date, earlier);
    const now = verdictsOf(judgeCodebase(report, comparison, thresholds.inEffect));
    const then = verdictsOf(judgeCodebase(report, comparison, thresholds.proposed));
    return [{ date: report.date, now, then }];
  });
  return rules.map((rule) => {
    const fired = judged.flatMap(({ date, now, then }): FiredReport[] => {
      const [a, b] = [now.get(rule), then.get(rule)];
      const loud = a?.state === "fires" ? a : b;
      if (loud?.state !== "fires") return [];
      const [inEffect, proposed] = [a?.state === "fires", b?.state === "fires"];
      return [{ date, inEffect, proposed, message: loud.message }];
    });
    return {
      rule,
      judged: judged.filter(({ now }) => now.get(rule)?.state !== "not_run").length,
      inEffect: fired.filter(({ inEffect }) => inEffect).length,
      proposed: fired.filter(({ proposed }) => proposed).length,
      fired,
    };
  });
}

function verdictsOf(verdicts: ReturnType<typeof judgeCodebase>) {
  return new Map(verdicts.map(({ rule, verdict }) => [rule, verdict]));
}

/** "With growth_percent 40 codebase-growth would have been raised at 2 of 52 stored reports instead of 9." */
export function codebaseSentence(change: string, { rule, judged, inEffect, proposed }: RulePreview): string {
  const reports = judged === 1 ? "report" : "reports";
  const now = inEffect === proposed ? ", as now" : ` instead of ${inEffect}`;
  const against = change === "" ? "" : now;
  const thresholds = change === "" ? "the thresholds in effect" : change;
  return `With ${thresholds} ${rule} would have been raised at ${proposed} of ${judged} stored ${reports}${against}.`;
}
