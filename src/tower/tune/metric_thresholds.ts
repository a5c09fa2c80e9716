import { FLOW_KEYS } from "../../constants/contract.ts";
import { type Constants, type FlowThresholds, flowThresholds } from "../../constants/mod.ts";
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
  const direct = (field: "alpha" | "max_window_days" | "dispersion", label: string, unit: string) => ({
    field,
    name: field,
    label,
    unit,
    path: [...table, field],
    inEffect: now[field],
    wider: wider[field],
    isOverridden: own?.[field] !== undefined,
  });
  const drop = (field: "percent" | "minimum_count", label: string, unit: string) => ({
    field,
    name: `percent_drop.${field}`,
    label,
    unit,
    path: [...table, "percent_drop", field],
    inEffect: now.percent_drop[field],
    wider: wider.percent_drop[field],
    isOverridden: own?.percent_drop?.[field] !== undefined,
  });
  return [
    direct("alpha", "A flag needs a probability below", "a smaller one raises fewer flags"),
    direct("max_window_days", "Longest window", "whole days, 1 to 28"),
    direct("dispersion", "Dispersion", "measured, or variance divided by mean, 1 to 100"),
    drop("percent", "Percent drop: at least", "percent down"),
    drop("minimum_count", "Percent drop: needs at least", "events in the mean earlier week"),
  ];
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
