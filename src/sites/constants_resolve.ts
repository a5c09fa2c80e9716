/** The values that hold for one site or one metric: the metric's own before the site's before the document's. */

import type { AssetId } from "../base/contract.ts";
import type { AssetOverrides, Constants, MetricOverrides } from "./constants_schema.ts";
import { SENT } from "./flag_titles.ts";
import type { CodebaseThresholds, FlowThresholds } from "./thresholds.ts";

/** The codebase thresholds of a site. */
export function codebaseThresholds(constants: Constants, asset: AssetId): CodebaseThresholds {
  return { ...constants.codebase_rules, ...siteOverridesOf(constants, asset)?.codebase_rules };
}

/** The flow thresholds of a site's metric from a source; with `own` as they would be if its own table held that. */
export function flowThresholds(
  constants: Constants,
  asset: AssetId,
  source: string,
  metric: string,
  own: MetricOverrides = metricOverridesOf(constants, asset, source, metric),
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
    marked_days: constants.marked_days.filter(({ assets }) => assets?.includes(asset) ?? true),
  };
}

/** What the document says of one metric of a site from a source alone: a provider's figure shares nothing with a sent one. */
export function metricOverridesOf(
  constants: Constants,
  asset: AssetId,
  source: string,
  metric: string,
): MetricOverrides {
  const site = siteOverridesOf(constants, asset);
  const metrics = source === SENT ? site?.flow_rules?.metrics : ownOf(site?.signal_rules, source);
  return ownOf(metrics, metric) ?? {};
}

/** What a table has under a name, which is data: never what every object has. */
function ownOf<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Hours without a nightly report after which a site is silent. */
export function silentHours(constants: Constants, asset: AssetId): number {
  return siteOverridesOf(constants, asset)?.freshness?.silent_hours ?? usualSilentHours(constants);
}

/** The same for a site that the document says nothing of. */
export const usualSilentHours = (constants: Constants): number => constants.freshness.silent_hours;

/** How much a site weighs where two are equally urgent. It orders, and is never shown. */
export const weightOf = (constants: Constants, asset: AssetId): number =>
  siteOverridesOf(constants, asset)?.weight ?? 1;

/** How much of an archived report of a site is taken, and by which events its errors of scripts are told. */
export function archiveConstants(constants: Constants, asset: AssetId): Constants["archive"] {
  return { ...constants.archive, ...siteOverridesOf(constants, asset)?.archive };
}

/** What the document says of one site alone. */
export function siteOverridesOf(constants: Constants, asset: AssetId): AssetOverrides | undefined {
  return Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
}

/**
 * Whether a metric's name matches a pattern, where `*` stands for any characters and letter case does not count. Each
 * literal part is taken at its first place, which is enough without other wildcards and keeps the work linear.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const text = name.toLowerCase();
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
