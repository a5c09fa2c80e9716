/** Everything the flow rules say of one metric on its newest day: the flow test, and percent-drop beside it. */
import type { JudgedRule, RuleInputs, Verdict } from "../flags/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { flagsExpectedByChance } from "./expected_flags.ts";
import { flowMessage, percentDropMessage } from "./message.ts";
import { evaluatePercentDrop, type PercentDropVerdict } from "./percent_drop.ts";
import { evaluateFlow } from "./rule.ts";
import { flowRuleInputs, percentDropInputs } from "./rule_inputs.ts";
import type { FlowSeries } from "./series.ts";
import { flowRuleId, flowSeverity } from "./severity.ts";
import { SOURCE } from "./source.ts";
import type { FlowThresholds } from "./thresholds.ts";
import type { FlowVerdict } from "./verdict.ts";

/** The verdict on one metric. */
export interface MetricVerdict {
  readonly flow: FlowVerdict;
  readonly percentDrop: PercentDropVerdict;
}

/** The rules of which a metric holds at most one open flag. */
const RULES = ["flow-drop", "flow-rise", "percent-drop"] as const;

const CLEAR: Verdict = { state: "clear" };
const NEXT_READING: Verdict = { state: "next_reading" };

/** Judges one metric on one day. It never throws: a rule that cannot be worked out is `not tested: failed` with its reason. */
export function judgeMetric(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): MetricVerdict {
  return {
    flow: evaluateFlow(series, day, thresholds),
    percentDrop: evaluatePercentDrop(series, day, thresholds),
  };
}

/**
 * What the verdict means for the flags of the metric: a new reading first resolves whatever flow flag is open, then at most one
 * is raised, and percent-drop speaks only where the flow test does not. Those that clear come first, so that the flag before
 * is closed when the new one opens.
 */
export function judgedRules(
  metric: string,
  { flow, percentDrop }: MetricVerdict,
  thresholds: FlowThresholds,
): JudgedRule[] {
  const fired = firedRule(metric, flow, percentDrop, thresholds);
  const cleared = RULES.filter((rule) => rule !== fired?.rule).map((rule) => ({
    rule,
    source: SOURCE,
    subject: metric,
    metric,
    verdict: (rule === "percent-drop" ? percentDrop : flow).outcome === "tested" ? CLEAR : NEXT_READING,
  }));
  return fired === undefined ? cleared : [...cleared, fired];
}

function firedRule(
  metric: string,
  flow: FlowVerdict,
  percentDrop: PercentDropVerdict,
  thresholds: FlowThresholds,
): JudgedRule | undefined {
  if (flow.outcome === "tested" && flow.fires !== null) {
    const inputs: RuleInputs = flowRuleInputs(flow);
    const message = flowMessage(metric, flow);
    const verdict: Verdict = {
      state: "fires",
      ...flowSeverity(flow.fires, thresholds.negative),
      message,
      inputs,
    };
    return { rule: flowRuleId(flow.fires), source: SOURCE, subject: metric, metric, verdict };
  }
  if (percentDrop.outcome === "tested" && percentDrop.fires) {
    const inputs: RuleInputs = percentDropInputs(percentDrop);
    const message = percentDropMessage(metric, percentDrop);
    const verdict: Verdict = {
      state: "fires",
      ...flowSeverity("drop", thresholds.negative),
      message,
      inputs,
    };
    return { rule: "percent-drop", source: SOURCE, subject: metric, metric, verdict };
  }
  return undefined;
}

/** Flags that chance alone would raise in one judging: both tails of the flow test; percent-drop is no test of chance. */
export function expectedByChance({ flow }: MetricVerdict): number {
  return flow.outcome === "tested" ? flagsExpectedByChance(1, flow.alpha) : 0;
}
