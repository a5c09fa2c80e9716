/** Everything the flow rules say of one metric on its newest day: the flow test, and percent-drop beside it. */
import type { JudgedRule, RuleInputs, SeriesSource, Verdict } from "../flags/mod.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import {
  FLOW_RULES,
  type FlowRuleId,
  type FlowThresholds,
  flowRaisedAs,
  flowRuleId,
  LASTING_RULES,
  type LastingRuleId,
  lastingRuleId,
  PERCENT_DROP,
  type RaisedAs,
} from "../rules/mod.ts";
import { flagsExpectedByChance } from "./expected_flags.ts";
import { evaluateLasting, type LastingVerdict, type TestedLasting } from "./lasting.ts";
import { evaluatePercentDrop, type PercentDropVerdict } from "./percent_drop.ts";
import { evaluateFlow } from "./rule.ts";
import { flowRuleInputs, lastingInputs, percentDropInputs } from "./rule_inputs.ts";
import type { FlowSeries } from "./series.ts";
import type { FlowVerdict } from "./verdict.ts";

/** The verdict on one metric. */
export interface MetricVerdict {
  readonly flow: FlowVerdict;
  readonly percentDrop: PercentDropVerdict;
  /** Absent in verdicts of earlier releases, and of what is no count. */
  readonly lasting?: LastingVerdict;
}

/** Whose metric: the same name from another source is another series. */
export interface SeriesName {
  readonly source: SeriesSource;
  readonly metric: string;
}

/** What is said of a lasting change of a metric on one side. */
export interface LastingRule extends SeriesName, RaisedAs {
  readonly rule: LastingRuleId;
  readonly state: TestedLasting["state"];
  readonly inputs: RuleInputs;
}

const CLEAR: Verdict = { state: "clear" };
const NEXT_READING: Verdict = { state: "next_reading" };

/** Judges one metric on one day. It never throws: a rule that cannot be worked out is `not tested: failed` with its reason. */
export function judgeMetric(series: FlowSeries, day: UtcDay, thresholds: FlowThresholds): MetricVerdict {
  return {
    flow: evaluateFlow(series, day, thresholds),
    percentDrop: evaluatePercentDrop(series, day, thresholds),
    lasting: evaluateLasting(series, day, thresholds),
  };
}

/**
 * What the verdict means for the flags of the metric: a new reading first resolves whatever flow flag is open, then at most one
 * is raised, and percent-drop speaks only where the flow test does not. Those that clear come first, so that the flag before
 * is closed when the new one opens.
 */
export function judgedRules(
  name: SeriesName,
  { flow, percentDrop }: MetricVerdict,
  thresholds: FlowThresholds,
): JudgedRule[] {
  const { source, metric } = name;
  const fired = firedRule(name, flow, percentDrop, thresholds);
  const cleared = FLOW_RULES.filter((rule) => rule !== fired?.rule).map((rule) => ({
    rule,
    source,
    subject: metric,
    metric,
    verdict: (rule === PERCENT_DROP ? percentDrop : flow).outcome === "tested" ? CLEAR : NEXT_READING,
  }));
  return fired === undefined ? cleared : [...cleared, fired];
}

/**
 * What the verdict means for the flags of lasting change, of which each side has one of its own. `stays` leaves an open flag
 * open and raises none.
 */
export function lastingRules(
  { source, metric }: SeriesName,
  { lasting }: MetricVerdict,
  { negative }: FlowThresholds,
): LastingRule[] {
  if (lasting?.outcome !== "tested") return [];
  const inputs = lastingInputs(lasting);
  return LASTING_RULES.map((rule) => {
    const state = rule === lastingRuleId(lasting.trend) ? lasting.state : "over";
    return { rule, source, metric, state, inputs, ...flowRaisedAs(rule, negative) };
  });
}

function firedRule(
  { source, metric }: SeriesName,
  flow: FlowVerdict,
  percentDrop: PercentDropVerdict,
  thresholds: FlowThresholds,
): JudgedRule | undefined {
  const fires = (rule: FlowRuleId, inputs: RuleInputs): JudgedRule => {
    const raised = flowRaisedAs(rule, thresholds.negative);
    return {
      rule,
      source,
      subject: metric,
      metric,
      verdict: { state: "fires", ...raised, inputs },
    };
  };
  if (flow.outcome === "tested" && flow.fires !== null) {
    return fires(flowRuleId(flow.fires), flowRuleInputs(flow));
  }
  if (percentDrop.outcome === "tested" && percentDrop.fires) {
    return fires(PERCENT_DROP, percentDropInputs(percentDrop));
  }
  return undefined;
}

/** Flags that chance alone would raise in one judging: both tails of the flow test; percent-drop is no test of chance. */
export function expectedByChance({ flow }: MetricVerdict): number {
  return flow.outcome === "tested" ? flagsExpectedByChance(1, flow.alpha) : 0;
}
