/**
 * Every rule that raises flags by itself: its id, what it speaks of, what it is raised as, the thresholds it reads and what can be
 * drawn of it stand here once. How a rule judges is the matter of the folder that judges it.
 */

import {
  diskTitle,
  flowTitle,
  issueTitle,
  lastingTitle,
  logTitle,
  milestoneTitle,
  percentDropTitle,
  pullFailedTitle,
  silenceTitle,
  sourceSilentTitle,
  type Title,
  type TitleInputs,
} from "./flag_titles.ts";
import type { ThresholdKey, ThresholdTable } from "./thresholds.ts";

/** How a flag is raised: two separate fields (spec, Flag). */
export interface RaisedAs {
  readonly severity: "info" | "warn" | "error";
  readonly kind: "anomaly" | "opportunity" | "milestone";
}

/**
 * What a rule judges, and so what its flags are about: a site's codebase reports; the daily counts of one metric of a site, or its
 * total; what lasts of them over weeks; the silence of a site (on the service's own asset, the site as its subject); the machine
 * the service runs on; the results of pulls; or what a provider itself reports as an issue of a site.
 */
export type Judged = "codebase" | "flow" | "lasting" | "total" | "silence" | "machine" | "pull" | "issue";

/** A table of the constants document with the keys of it that a rule reads. */
type Reads = {
  readonly [T in ThresholdTable]: { readonly table: T; readonly keys: readonly ThresholdKey<T>[] };
}[ThresholdTable];

/** What a picture of the test shows. */
export type Drawn =
  /** A measure a month before and now, and from where on the rule fires. */
  | { readonly as: "month"; readonly measure: string }
  /** The sum of what the latest report measured, and from where on the rule fires. */
  | { readonly as: "level"; readonly measures: readonly string[]; readonly unit: "count" | "percent" };

/** One rule. */
export interface Rule {
  readonly judges: Judged;
  readonly raised: RaisedAs;
  /** What its flags say, made of their inputs; absent where the specification fixes the words. */
  readonly title?: Title;
  /** What it is raised as for a metric where more is worse (errors, refunds); absent where that makes no difference. */
  readonly raisedIfNegative?: RaisedAs;
  readonly reads?: Reads;
  /** Whether an operator can tune its thresholds for one site or metric, starting from a flag. */
  readonly isTunable: boolean;
  /** Whether chance alone would raise some of its flags, which are held against those it was expected to raise. */
  readonly isTestOfChance?: boolean;
  /**
   * Which lasting thing its flag is about, where others are about the same or a pause does not end it: a metric that is down is one thing,
   * whichever rule says so. Without it only a flag that is resolved and raised in the same judging lasts.
   */
  readonly lasts?: { readonly thing: "down" | "up"; readonly pauseDays: number };
  /** What its flags are called in a table of them. */
  readonly short?: string;
  readonly drawn?: Drawn;
  /** The chart of the codebase tab that its flags stand over. */
  readonly chart?: "lines" | "repeated" | "unused" | "complex";
}

const FLOW_READS = { table: "flow_rules", keys: ["alpha", "max_window_days", "dispersion"] } as const;
const LASTING_READS = { table: "flow_rules", keys: ["lasting_percent"] } as const;
const WARNS = { severity: "warn", kind: "anomaly" } as const;
const INFORMS = { severity: "info", kind: "opportunity" } as const;

/** The rules by their ids, those of one kind in the order they are judged and shown. */
export const RULES = {
  "codebase-growth": {
    judges: "codebase",
    raised: WARNS,
    reads: { table: "codebase_rules", keys: ["growth_percent", "growth_lines"] },
    isTunable: true,
    drawn: { as: "month", measure: "code_lines" },
    chart: "lines",
  },
  "codebase-duplication": {
    judges: "codebase",
    raised: { severity: "warn", kind: "opportunity" },
    reads: { table: "codebase_rules", keys: ["duplication_percent"] },
    isTunable: true,
    drawn: { as: "level", measures: ["duplication_percent"], unit: "percent" },
    chart: "repeated",
  },
  "codebase-unused": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["unused_items"] },
    isTunable: true,
    drawn: { as: "level", measures: ["unused_files", "unused_dependencies"], unit: "count" },
    chart: "unused",
  },
  "codebase-complexity": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["complex_functions"] },
    isTunable: true,
    drawn: { as: "month", measure: "complex_functions" },
    chart: "complex",
  },
  "codebase-vulnerabilities": {
    judges: "codebase",
    raised: INFORMS,
    reads: { table: "codebase_rules", keys: ["vulnerable"] },
    isTunable: true,
    drawn: { as: "level", measures: ["vulnerable_dependencies"], unit: "count" },
  },
  "flow-drop": {
    judges: "flow",
    title: flowTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: FLOW_READS,
    isTunable: true,
    isTestOfChance: true,
    lasts: { thing: "down", pauseDays: 7 },
    short: "drop",
  },
  "flow-rise": {
    judges: "flow",
    title: flowTitle,
    raised: INFORMS,
    raisedIfNegative: WARNS,
    reads: FLOW_READS,
    isTunable: true,
    isTestOfChance: true,
    lasts: { thing: "up", pauseDays: 7 },
    short: "rise",
  },
  "percent-drop": {
    judges: "flow",
    title: percentDropTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: { table: "percent_drop", keys: ["percent", "minimum_count"] },
    isTunable: true,
    lasts: { thing: "down", pauseDays: 7 },
    short: "percent drop",
  },
  "flow-decline": {
    judges: "lasting",
    title: lastingTitle,
    raised: WARNS,
    raisedIfNegative: INFORMS,
    reads: LASTING_READS,
    isTunable: true,
    short: "decline",
  },
  "flow-growth": {
    judges: "lasting",
    title: lastingTitle,
    raised: INFORMS,
    raisedIfNegative: WARNS,
    reads: LASTING_READS,
    isTunable: true,
    short: "growth",
  },
  "milestone-total": {
    judges: "total",
    title: milestoneTitle,
    raised: { severity: "info", kind: "milestone" },
    isTunable: false,
  },
  "stale-ingest": {
    judges: "silence",
    title: silenceTitle,
    raised: { severity: "error", kind: "anomaly" },
    reads: { table: "freshness", keys: ["silent_hours"] },
    isTunable: false,
  },
  "disk-space": { judges: "machine", title: diskTitle, raised: WARNS, isTunable: false },
  "wal-size": { judges: "machine", title: logTitle, raised: WARNS, isTunable: false },
  "asset-pull-failed": { judges: "pull", title: pullFailedTitle, raised: WARNS, isTunable: false },
  "source-silent": { judges: "pull", title: sourceSilentTitle, raised: WARNS, isTunable: false },
  // How bad each type is stands with the types.
  "provider-issue": { judges: "issue", title: issueTitle, raised: INFORMS, isTunable: false },
} as const satisfies Readonly<Record<string, Rule>>;

/** The id of a rule. */
export type RuleId = keyof typeof RULES;

/** The ids of the rules that judge one thing. */
type Judging<J extends Judged> = {
  [Id in RuleId]: (typeof RULES)[Id]["judges"] extends J ? Id : never;
}[RuleId];

export type CodebaseRuleId = Judging<"codebase">;
export type FlowRuleId = Judging<"flow">;
export type LastingRuleId = Judging<"lasting">;

/** The rule that speaks of a site on the service's own asset, the site as its subject. */
export const STALE_INGEST = "stale-ingest" satisfies RuleId;
export const FLOW_DROP = "flow-drop" satisfies RuleId;
export const FLOW_RISE = "flow-rise" satisfies RuleId;
export const PERCENT_DROP = "percent-drop" satisfies RuleId;
export const MILESTONE_TOTAL = "milestone-total" satisfies RuleId;
export const DISK_SPACE = "disk-space" satisfies RuleId;
export const WAL_SIZE = "wal-size" satisfies RuleId;
export const ASSET_PULL_FAILED = "asset-pull-failed" satisfies RuleId;
export const SOURCE_SILENT = "source-silent" satisfies RuleId;
export const PROVIDER_ISSUE = "provider-issue" satisfies RuleId;

const IDS = Object.keys(RULES) as RuleId[];

/** The codebase rules, in the order of the specification. */
export const CODEBASE_RULES = IDS.filter((id): id is CodebaseRuleId => RULES[id].judges === "codebase");

/** The flow rules: a metric holds at most one open flag of them. */
export const FLOW_RULES = IDS.filter((id): id is FlowRuleId => RULES[id].judges === "flow");

/** The rules of lasting change: one open flag of a metric, beside those of its days. */
export const LASTING_RULES = IDS.filter((id): id is LastingRuleId => RULES[id].judges === "lasting");

/** All rules that judge a metric's daily counts, and so those that are tuned together. */
export const METRIC_RULES: readonly RuleId[] = [...FLOW_RULES, ...LASTING_RULES];

/** What is known of a rule by the id a flag carries; undefined for what a site sent, and for a rule of another release. */
export function ruleOf(id: string | null): Rule | undefined {
  return id !== null && Object.hasOwn(RULES, id) ? RULES[id as RuleId] : undefined;
}

/**
 * What a flag says, made of what it is about and the inputs it was raised with; undefined where its rule has no words of its own, or
 * the inputs (of another release) do not say it.
 */
export function titleFrom(
  id: string | null,
  about: string,
  inputs: TitleInputs | null,
  now: number,
): string | undefined {
  return inputs === null ? undefined : ruleOf(id)?.title?.(about, inputs, now);
}

/** What a rule says as it raises its flag; of inputs that do not say it, its name. */
export function raisedTitle(id: RuleId, about: string, inputs: TitleInputs, now: number): string {
  return titleFrom(id, about, inputs, now) ?? id;
}

/** The rules about the same lasting thing as one of them, itself among them. */
export function rulesOfThing(id: string): readonly string[] {
  const thing = ruleOf(id)?.lasts?.thing;
  return thing === undefined ? [id] : IDS.filter((other) => ruleOf(other)?.lasts?.thing === thing);
}

/** Whether a flag's rule is one of the codebase rules. */
export function isCodebaseRule(id: string | null): id is CodebaseRuleId {
  return ruleOf(id)?.judges === "codebase";
}

/** Whether a flag's rule is one of the flow rules. */
export function isFlowRule(id: string | null): id is FlowRuleId {
  return ruleOf(id)?.judges === "flow";
}

/** The rule of the flow test that says in which direction a count went. */
export function flowRuleId(direction: "drop" | "rise"): FlowRuleId {
  return direction === "drop" ? FLOW_DROP : FLOW_RISE;
}

/** The rule of lasting change that says in which direction a level went. */
export function lastingRuleId(trend: "decline" | "growth"): LastingRuleId {
  return trend === "decline" ? "flow-decline" : "flow-growth";
}

/** Severity and kind of a flow flag; where more is worse a rise warns and a drop informs. */
export function flowRaisedAs(id: FlowRuleId | LastingRuleId, negative: boolean): RaisedAs {
  return negative ? RULES[id].raisedIfNegative : RULES[id].raised;
}
