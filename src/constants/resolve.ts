/** The values that hold for one site or one metric: the metric's own before the site's before the document's. */
import type { AssetId } from "../lib/asset_id.ts";
import type { CodebaseThresholds, FlowThresholds } from "../rules/mod.ts";
import type { AssetOverrides, Constants } from "./contract.ts";
import { matchesPattern } from "./pattern.ts";

/** The codebase thresholds of a site. */
export function codebaseThresholds(constants: Constants, asset: AssetId): CodebaseThresholds {
  return { ...constants.codebase_rules, ...overridesOf(constants, asset)?.codebase_rules };
}

/** The flow thresholds of a site's metric. */
export function flowThresholds(constants: Constants, asset: AssetId, metric: string): FlowThresholds {
  const site = overridesOf(constants, asset)?.flow_rules;
  const metrics = site?.metrics;
  const own = metrics !== undefined && Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  const { percent_drop, negative_metrics, ...rules } = { ...constants.flow_rules, ...site?.own };
  return {
    ...rules,
    ...own,
    percent_drop: {
      ...constants.flow_rules.percent_drop,
      ...percent_drop,
      ...own?.percent_drop,
    },
    negative: negative_metrics.some((pattern) => matchesPattern(pattern, metric)),
  };
}

/** Hours without a nightly report after which a site is silent. */
export function silentHours(constants: Constants, asset: AssetId): number {
  return overridesOf(constants, asset)?.freshness?.silent_hours ?? constants.freshness.silent_hours;
}

function overridesOf(constants: Constants, asset: AssetId): AssetOverrides | undefined {
  return Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
}
