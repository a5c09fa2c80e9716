/** Thresholds of the site that differ from the document's, and the ways to tune others. */

import { countWords as countOf } from "../../base/text.ts";
import { NO_COUNTS, PROVIDERS } from "../../providers/adapter.ts";
import { listMetricNames } from "../../reports/pulse_routes.ts";
import { listMetrics } from "../../reports/series.ts";
import type { Constants } from "../../sites/constants_schema.ts";
import { siteOverridesOf } from "../../sites/constants_store.ts";
import { CODEBASE_RULES, METRIC_RULES, SENT, seriesName } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import { address, PAGE, sought } from "../kit/address.tsx";
import { SearchForm } from "../kit/field.tsx";
import { Told, Unseen } from "../kit/links.tsx";
import { Block, List, Pager, type Paging, pageOf } from "../kit/list.tsx";
import { paths } from "../paths.ts";
import { type Tuned, thresholdsFor } from "../settings/thresholds.ts";

/** What a filter may hold: no name is longer. */
const LONGEST_NAME = 200;

/** The query of a site's settings: which of its metrics are sought, and the page of them. */
const settingsAddress = address({ metric: sought(LONGEST_NAME), page: PAGE });

/** Metrics on one page of the list: a site that reported before names were bounded may have thousands. */
const METRICS_PAGE = 50;

/** A metric that the site sends, or a count that a provider tells of it. */
interface ChosenMetric {
  readonly source: string;
  readonly metric: string;
}

/** A page of the site's metrics, of those whose name holds `q`. */
export interface MetricChoice {
  readonly names: readonly ChosenMetric[];
  readonly paging: Paging;
  readonly q: string;
  /** Whether the list was asked for: it then stands open. */
  readonly isAsked: boolean;
}

/** The metrics that an address asks for. */
export function metricChoice(db: Db, asset: string, sent: URLSearchParams): MetricChoice {
  const { metric: q, page } = settingsAddress.read(sent);
  const found = metricsOf(db, asset).filter(({ metric, source }) =>
    seriesName(metric, source).toLowerCase().includes(q.toLowerCase()),
  );
  const { items: names, paging } = pageOf(found, page, METRICS_PAGE);
  return { names, paging, q, isAsked: q !== "" || sent.has("page") };
}

/** What can be tuned of a site: what it sends first. */
function metricsOf(db: Db, asset: string): ChosenMetric[] {
  return [
    ...listMetricNames(db, asset).map((metric) => ({ source: SENT, metric })),
    ...PROVIDERS.flatMap((source) =>
      listMetrics(db, { asset, source })
        .filter((metric) => !NO_COUNTS.includes(metric))
        .map((metric) => ({ source, metric })),
    ),
  ];
}

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

export function SiteThresholds({
  asset,
  overrides,
  metrics,
}: {
  readonly asset: string;
  readonly overrides: readonly Override[];
  readonly metrics: MetricChoice;
}) {
  const { names, paging, q, isAsked } = metrics;
  return (
    <Block
      heading="Own thresholds"
      note="where this site differs from the constants document"
      tools={<a href={paths.constants}>Constants</a>}
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
      <details class="items" id="tune" open={isAsked}>
        <summary>
          {paging.total === 0
            ? "Tune the codebase rules"
            : `Tune the codebase rules or a metric (${formatCount(paging.total)})`}
        </summary>
        {paging.pages === 1 && q === "" ? null : (
          <SearchForm
            action={`${paths.siteSettings(asset)}#tune`}
            words="Metric's name"
            id="tune-metric"
            name="metric"
            value={q}
            maxlength={LONGEST_NAME}
          />
        )}
        <ul>
          {isAsked ? null : (
            <li>
              <a href={paths.tuneCodebase(asset)}>Codebase rules</a>
            </li>
          )}
          {names.map(({ source, metric }) => (
            <li>
              <a href={tuneHref(asset, source, metric)}>
                <Told class="wrap">{seriesName(metric, source)}</Told>
              </a>
            </li>
          ))}
        </ul>
        <Pager
          paging={paging}
          what="metrics"
          href={(page) =>
            `${paths.siteSettings(asset)}${settingsAddress.search({ metric: q }, { page: String(page) })}#tune`
          }
        />
      </details>
    </Block>
  );
}

const tuneHref = (asset: string, source: string, metric: string) =>
  source === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, source, metric);
