import type { FlagRow } from "../../flags/mod.ts";
import { CODEBASE_RULES, type CodebaseRuleId, isCodebaseRule, isFlowRule } from "../../rules/mod.ts";
import { paths } from "../paths.ts";

/** What is tuned, and where its page is. */
export type TuneSubject = {
  readonly asset: string;
  readonly flag: FlagRow | undefined;
  readonly action: string;
} & (
  | { readonly kind: "metric"; readonly metric: string }
  | { readonly kind: "codebase"; readonly rules: readonly CodebaseRuleId[] }
);

/** What tuning because of a flag is about; undefined for a flag whose rule has no thresholds of a site or metric. */
export function subjectOfFlag(flag: FlagRow): TuneSubject | undefined {
  const { asset, rule, metric } = flag;
  const common = { asset, flag, action: paths.tuneFlag(flag.id) };
  if (isFlowRule(rule) && metric !== null) return { ...common, kind: "metric", metric };
  return isCodebaseRule(rule) ? { ...common, kind: "codebase", rules: [rule] } : undefined;
}

/** A metric of a site. */
export function metricSubject(asset: string, metric: string): TuneSubject {
  return { kind: "metric", asset, metric, flag: undefined, action: paths.tuneMetric(asset, metric) };
}

/** All codebase rules of a site. */
export function codebaseSubject(asset: string): TuneSubject {
  const action = paths.tuneCodebase(asset);
  return { kind: "codebase", asset, rules: CODEBASE_RULES, flag: undefined, action };
}
