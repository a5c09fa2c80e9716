/** The thresholds of a site that differ from the document's, because an override names them. Pure. */
import type { Constants } from "../../constants/mod.ts";
import { CODEBASE_RULES, keysOf } from "../../rules/mod.ts";
import { paths } from "../paths.ts";
import { siteCodebaseThresholds } from "../tune/codebase_thresholds.ts";
import { metricThresholds } from "../tune/metric_thresholds.ts";

/** One override. */
export interface Override {
  /** The metric it is for; null when it is for the whole site. */
  readonly metric: string | null;
  /** The key below the site's table, for example `flow_rules.alpha`. */
  readonly name: string;
  readonly value: string;
  /** What holds without it. */
  readonly wider: string;
  /** Where it is changed. */
  readonly href: string;
}

/** Every override of a site: its codebase rules, its flow rules, those of its metrics, its freshness. */
export function overridesOf(constants: Constants, asset: string): Override[] {
  const site = Object.hasOwn(constants.assets, asset) ? constants.assets[asset] : undefined;
  if (site === undefined) return [];
  const codebase = siteCodebaseThresholds(constants, asset, CODEBASE_RULES)
    .filter(({ isOverridden }) => isOverridden)
    .map(({ name, inEffect, wider }) =>
      override(null, `codebase_rules.${name}`, inEffect, wider, paths.tuneCodebase(asset)),
    );
  const { percent_drop, negative_metrics, ...direct } = site.flow_rules?.own ?? {};
  const document = constants.flow_rules;
  const flow = keysOf("flow_rules")
    .filter((key) => direct[key] !== undefined)
    .map((key) => override(null, `flow_rules.${key}`, direct[key], document[key]));
  const drop = keysOf("percent_drop")
    .filter((key) => percent_drop?.[key] !== undefined)
    .map((key) =>
      override(null, `flow_rules.percent_drop.${key}`, percent_drop?.[key], document.percent_drop[key]),
    );
  const negative =
    negative_metrics === undefined
      ? []
      : [
          override(
            null,
            "flow_rules.negative_metrics",
            patterns(negative_metrics),
            patterns(document.negative_metrics),
          ),
        ];
  const metrics = Object.keys(site.flow_rules?.metrics ?? {}).flatMap((metric) =>
    metricThresholds(constants, asset, metric)
      .filter(({ isOverridden }) => isOverridden)
      .map(({ name, inEffect, wider }) =>
        override(metric, `flow_rules.${name}`, inEffect, wider, paths.tuneMetric(asset, metric)),
      ),
  );
  const freshness = keysOf("freshness")
    .filter((key) => site.freshness?.[key] !== undefined)
    .map((key) => override(null, `freshness.${key}`, site.freshness?.[key], constants.freshness[key]));
  return [...codebase, ...flow, ...drop, ...negative, ...metrics, ...freshness];
}

function override(
  metric: string | null,
  name: string,
  value: string | number | undefined,
  wider: string | number,
  href: string = paths.constants,
): Override {
  return { metric, name, value: String(value), wider: String(wider), href };
}

function patterns(list: readonly string[]): string {
  return list.length === 1 ? "1 pattern" : `${list.length} patterns`;
}
