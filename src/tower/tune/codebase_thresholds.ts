import type { CodebaseRuleId } from "../../codebase/mod.ts";
import { type Constants, codebaseThresholds } from "../../constants/mod.ts";
import type { Threshold } from "./threshold.ts";

/** The codebase rules in the order of the specification, each with the keys it reads. */
export const CODEBASE_RULES = {
  "codebase-growth": ["growth_percent", "growth_lines"],
  "codebase-duplication": ["duplication_percent"],
  "codebase-unused": ["unused_items"],
  "codebase-complexity": ["complex_functions"],
  "codebase-vulnerabilities": ["vulnerable"],
} as const satisfies Readonly<Record<CodebaseRuleId, readonly string[]>>;

type CodebaseKey = (typeof CODEBASE_RULES)[CodebaseRuleId][number];

const WORDS: Readonly<Record<CodebaseKey, readonly [label: string, unit: string]>> = {
  growth_percent: ["Code grew at least", "percent in a month"],
  growth_lines: ["and by at least", "lines"],
  duplication_percent: ["Repeated code at least", "percent"],
  unused_items: ["Unused files plus packages at least", "items"],
  complex_functions: ["More hard-to-change functions, at least", "functions in a month"],
  vulnerable: ["Vulnerable packages at least", "packages; below 1 is read as 1"],
};

/** All five rules. */
export const ALL_CODEBASE_RULES = Object.keys(CODEBASE_RULES) as readonly CodebaseRuleId[];

/** Whether a flag's rule is one of the codebase rules. */
export function isCodebaseRule(rule: string | null): rule is CodebaseRuleId {
  return rule !== null && Object.hasOwn(CODEBASE_RULES, rule);
}

/** The thresholds that some of the codebase rules read for a site. */
export function siteCodebaseThresholds(
  constants: Constants,
  asset: string,
  rules: readonly CodebaseRuleId[],
): readonly Threshold[] {
  const now = codebaseThresholds(constants, asset);
  const site = Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
  return rules
    .flatMap((rule): readonly CodebaseKey[] => CODEBASE_RULES[rule])
    .map((key) => ({
      field: key,
      name: key,
      label: WORDS[key][0],
      unit: WORDS[key][1],
      path: ["assets", asset, "codebase_rules", key],
      inEffect: now[key],
      wider: constants.codebase_rules[key],
      isOverridden: site?.codebase_rules?.[key] !== undefined,
    }));
}
