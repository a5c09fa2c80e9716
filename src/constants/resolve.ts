/** The values that hold for one site or one metric: the metric's own before the site's before the document's. */
import type { AssetId } from "../lib/asset_id.ts";
import type { CodebaseThresholds, FlowThresholds } from "../rules/mod.ts";
import type { AssetOverrides, Constants } from "./contract.ts";
import { matchesPattern } from "./pattern.ts";

/** The codebase thresholds of a site. */
export function codebaseThresholds(constants: Constants, asset: AssetId): CodebaseThresholds {
  return { ...constants.codebase_rules, ...siteOverridesOf(constants, asset)?.codebase_rules };
}

/** The flow thresholds of a site's metric; with `own` as they would be if its own table held that. */
export function flowThresholds(
  constants: Constants,
  asset: AssetId,
  metric: string,
  own: MetricOverrides = metricOverridesOf(constants, asset, metric),
): FlowThresholds {
  const site = siteOverridesOf(constants, asset)?.flow_rules?.own;
  const { percent_drop, negative_metrics, ...rules } = { ...constants.flow_rules, ...site };
  return {
    ...rules,
    ...own,
    percent_drop: {
      ...constants.flow_rules.percent_drop,
      ...percent_drop,
      ...own.percent_drop,
    },
    negative: negative_metrics.some((pattern) => matchesPattern(pattern, metric)),
  };
}

type MetricOverrides = NonNullable<AssetOverrides["flow_rules"]>["metrics"][string];

/** What the document says of one metric of a site alone. */
export function metricOverridesOf(constants: Constants, asset: AssetId, metric: string): MetricOverrides {
  const metrics = siteOverridesOf(constants, asset)?.flow_rules?.metrics;
  return (metrics !== undefined && Object.hasOwn(metrics, metric) ? metrics[metric] : undefined) ?? {};
}

/** Hours without a nightly report after which a site is silent. */
export function silentHours(constants: Constants, asset: AssetId): number {
  return siteOverridesOf(constants, asset)?.freshness?.silent_hours ?? constants.freshness.silent_hours;
}

/** What the document says of one site alone. */
export function siteOverridesOf(constants: Constants, asset: AssetId): AssetOverrides | undefined {
  return Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
}
