import type { CodebaseRuleId } from "../../codebase/mod.ts";
import type { FlagRow } from "../../flags/mod.ts";
import { paths } from "../paths.ts";
import { ALL_CODEBASE_RULES, isCodebaseRule } from "./codebase_thresholds.ts";

/** What is tuned, and where its page is. */
export type TuneSubject = {
  readonly asset: string;
  readonly flag: FlagRow | undefined;
  readonly action: string;
} & (
  | { readonly kind: "metric"; readonly metric: string }
  | { readonly kind: "codebase"; readonly rules: readonly CodebaseRuleId[] }
);

const FLOW_RULES: readonly (string | null)[] = ["flow-drop", "flow-rise", "percent-drop"];

/** What tuning because of a flag is about; undefined for a flag whose rule has no thresholds of a site or metric. */
export function subjectOfFlag(flag: FlagRow): TuneSubject | undefined {
  const { asset, rule, metric } = flag;
  const common = { asset, flag, action: paths.tuneFlag(flag.id) };
  if (FLOW_RULES.includes(rule) && metric !== null) return { ...common, kind: "metric", metric };
  return isCodebaseRule(rule) ? { ...common, kind: "codebase", rules: [rule] } : undefined;
}

/** A metric of a site. */
export function metricSubject(asset: string, metric: string): TuneSubject {
  return { kind: "metric", asset, metric, flag: undefined, action: paths.tuneMetric(asset, metric) };
}

/** All codebase rules of a site. */
export function codebaseSubject(asset: string): TuneSubject {
  const action = paths.tuneCodebase(asset);
  return { kind: "codebase", asset, rules: ALL_CODEBASE_RULES, flag: undefined, action };
}
