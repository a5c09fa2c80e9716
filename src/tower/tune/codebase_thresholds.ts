import { type Constants, codebaseThresholds } from "../../constants/mod.ts";
import { type CodebaseRuleId, RULES, THRESHOLDS, type ThresholdKey } from "../../rules/mod.ts";
import type { Threshold } from "./threshold.ts";

/** The thresholds that some of the codebase rules read for a site. */
export function siteCodebaseThresholds(
  constants: Constants,
  asset: string,
  rules: readonly CodebaseRuleId[],
): readonly Threshold[] {
  const now = codebaseThresholds(constants, asset);
  const site = Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
  return rules
    .flatMap((rule): readonly ThresholdKey<"codebase_rules">[] => RULES[rule].reads.keys)
    .map((key) => ({
      field: key,
      name: key,
      label: THRESHOLDS.codebase_rules[key].label,
      unit: THRESHOLDS.codebase_rules[key].note,
      path: ["assets", asset, "codebase_rules", key],
      inEffect: now[key],
      wider: constants.codebase_rules[key],
      isOverridden: site?.codebase_rules?.[key] !== undefined,
    }));
}
