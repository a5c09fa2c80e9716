/** The thresholds of a site that differ from the document's, because an override names them. Pure. */

import { type Constants, siteOverridesOf } from "../../constants/mod.ts";
import { PROVIDERS } from "../../provider/contract.ts";
import { CODEBASE_RULES, METRIC_RULES, SENT, seriesName } from "../../rules/mod.ts";
import { countOf } from "../format.ts";
import { paths } from "../paths.ts";
import { type Tuned, thresholdsFor } from "../tune/thresholds.ts";

/** One override. */
export interface Override {
  /** The metric it is for, with its provider where one tells it; null when it is for the whole site. */
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
  const site = siteOverridesOf(constants, asset);
  const { negative_metrics: negative, percent_drop, ...flow } = site?.flow_rules?.own ?? {};
  const document = constants.flow_rules;
  return [
    ...tunedOf(constants, { asset, source: null, metric: null, rules: CODEBASE_RULES }),
    ...inDocument("flow_rules", flow, document),
    ...inDocument("flow_rules.percent_drop", percent_drop, document.percent_drop),
    ...(negative === undefined
      ? []
      : inDocument(
          "flow_rules",
          { negative_metrics: patterns(negative) },
          { negative_metrics: patterns(document.negative_metrics) },
        )),
    ...Object.keys(site?.flow_rules?.metrics ?? {}).flatMap((metric) =>
      tunedOf(constants, { asset, source: SENT, metric, rules: METRIC_RULES }),
    ),
    ...PROVIDERS.flatMap((source) =>
      Object.keys(site?.signal_rules?.[source] ?? {}).flatMap((metric) =>
        tunedOf(constants, { asset, source, metric, rules: METRIC_RULES }),
      ),
    ),
    ...inDocument("freshness", site?.freshness, constants.freshness),
  ];
}

/** Those that have a page to tune them. */
function tunedOf(constants: Constants, tuned: Tuned): Override[] {
  const { asset, source, metric } = tuned;
  const [table, href] =
    source === null || metric === null
      ? ["codebase_rules", paths.tuneCodebase(asset)]
      : source === SENT
        ? ["flow_rules", paths.tuneMetric(asset, metric)]
        : ["signal_rules", paths.tuneSignal(asset, source, metric)];
  return thresholdsFor(constants, tuned)
    .filter(({ isOverridden }) => isOverridden)
    .map(({ name, inEffect, wider }) => {
      return {
        metric: metric === null ? null : seriesName(metric, source),
        name: `${table}.${name}`,
        value: String(inEffect),
        wider: String(wider),
        href,
      };
    });
}

/** Those that are edited in the document: the keys of one of its tables, in the order of `wider`. */
function inDocument(table: string, own: object = {}, wider: object): Override[] {
  const held = new Map(Object.entries(own));
  return Object.entries(wider)
    .filter(([key]) => held.has(key))
    .map(([key, otherwise]) => ({
      metric: null,
      name: `${table}.${key}`,
      value: String(held.get(key)),
      wider: String(otherwise),
      href: paths.constants,
    }));
}

function patterns(list: readonly string[]): string {
  return countOf(list.length, "pattern");
}
