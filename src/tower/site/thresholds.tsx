/** Thresholds of the site that differ from the document's, and the ways to tune others. */

import { countWords as countOf } from "../../base/text.ts";
import { PROVIDERS } from "../../providers/adapter.ts";
import type { Constants } from "../../sites/constants_schema.ts";
import { siteOverridesOf } from "../../sites/constants_store.ts";
import { CODEBASE_RULES, METRIC_RULES, SENT, seriesName } from "../../sites/rule_catalogue.ts";
import { Told, Unseen } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { type Tuned, thresholdsFor } from "../settings/thresholds.ts";

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
      : [source === SENT ? "flow_rules" : "signal_rules", tuneHref(asset, source, metric)];
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

export function SiteThresholds(props: { readonly asset: string; readonly overrides: readonly Override[] }) {
  const { asset, overrides } = props;
  return (
    <Block
      heading="Own thresholds"
      note="where this site differs from the constants document"
      tools={
        <>
          <a href={paths.tuningOfSite(asset)}>Tune a metric</a>
          <a href={paths.tuneCodebase(asset)}>Tune the codebase rules</a>
        </>
      }
    >
      <List
        of="Own thresholds"
        items={overrides}
        empty={<p>None. This site uses the thresholds of the constants.</p>}
        columns={[
          [
            "Threshold",
            ({ name, metric }) => (
              <>
                <span class="mono wrap">{name}</span>
                {metric === null ? null : (
                  <small class="block-sm">
                    for <Told class="wrap">{metric}</Told>
                  </small>
                )}
              </>
            ),
          ],
          ["Here", ({ value }) => value, { numeric: true }],
          ["Otherwise", ({ wider }) => wider, { numeric: true }],
          [
            "Action",
            ({ href, name, metric }) => (
              <a href={href}>
                {href === paths.constants ? "Edit" : "Tune"}
                <Unseen>{` ${name}${metric === null ? "" : ` of ${metric}`}`}</Unseen>
              </a>
            ),
            { unseen: true, class: "act" },
          ],
        ]}
      />
    </Block>
  );
}

const tuneHref = (asset: string, source: string, metric: string) =>
  source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric);
