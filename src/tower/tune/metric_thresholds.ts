import { FLOW_KEYS } from "../../constants/contract.ts";
import { type Constants, flowThresholds } from "../../constants/mod.ts";
import { type FlowThresholds, keysOf, THRESHOLDS, type ThresholdKey } from "../../rules/mod.ts";
import type { Threshold } from "./threshold.ts";

/** A metric named like one of the rules' own keys: the document has no place for thresholds of its own. */
export function hasNoTable(metric: string): boolean {
  return FLOW_KEYS.includes(metric);
}

/** The thresholds of the flow rules for one metric of a site. */
export function metricThresholds(constants: Constants, asset: string, metric: string): readonly Threshold[] {
  const now = flowThresholds(constants, asset, metric);
  const wider = widerThresholds(constants, asset, metric);
  const own = ownOf(constants, asset, metric);
  const table = ["assets", asset, "flow_rules", metric];
  const direct = (field: ThresholdKey<"flow_rules">) => ({
    field,
    name: field,
    label: THRESHOLDS.flow_rules[field].label,
    unit: THRESHOLDS.flow_rules[field].note,
    path: [...table, field],
    inEffect: now[field],
    wider: wider[field],
    isOverridden: own?.[field] !== undefined,
  });
  const drop = (field: ThresholdKey<"percent_drop">) => ({
    field,
    name: `percent_drop.${field}`,
    label: THRESHOLDS.percent_drop[field].label,
    unit: THRESHOLDS.percent_drop[field].note,
    path: [...table, "percent_drop", field],
    inEffect: now.percent_drop[field],
    wider: wider.percent_drop[field],
    isOverridden: own?.percent_drop?.[field] !== undefined,
  });
  return [...keysOf("flow_rules").map(direct), ...keysOf("percent_drop").map(drop)];
}

function ownOf(constants: Constants, asset: string, metric: string) {
  const metrics = siteOf(constants, asset)?.flow_rules?.metrics;
  return metrics !== undefined && Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
}

/** What would hold if the metric had no table of its own. */
function widerThresholds(constants: Constants, asset: string, metric: string): FlowThresholds {
  const site = siteOf(constants, asset);
  if (site?.flow_rules === undefined) return flowThresholds(constants, asset, metric);
  const { [metric]: _own, ...metrics } = site.flow_rules.metrics;
  const without = { ...site, flow_rules: { ...site.flow_rules, metrics } };
  return flowThresholds({ ...constants, assets: { ...constants.assets, [asset]: without } }, asset, metric);
}

function siteOf(constants: Constants, asset: string) {
  return Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
}
