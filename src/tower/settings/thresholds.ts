/** The thresholds that can be tuned for one metric of a site, or for its codebase rules, each with its value and default. Pure. */

import { Problem } from "../../base/problem.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { findFlag } from "../../flags/queries.ts";
import { isProvider, NO_COUNTS } from "../../providers/adapter.ts";
import { findFirstDay } from "../../reports/readings.ts";
import { findSeries } from "../../reports/series.ts";
import { type Constants, FLOW_KEYS } from "../../sites/constants_schema.ts";
import { flowThresholds, metricOverridesOf, siteOverridesOf } from "../../sites/constants_store.ts";
import { CODEBASE_RULES, isCodebaseRule, METRIC_RULES, ruleOf, SENT } from "../../sites/rule_catalogue.ts";
import { findAsset } from "../../sites/sites.ts";
import { THRESHOLDS, type ThresholdValue } from "../../sites/thresholds.ts";
import type { KeyPath } from "../../sites/toml.ts";
import type { Db } from "../../store/store.ts";
import { paths } from "../paths.ts";
import { flagsShown } from "../shown_days.ts";

/** The subject of a tuning: one metric of a site under the flow rules, or some of its codebase rules. */
export interface Tuned {
  readonly asset: string;
  /** The source of the metric; null for the codebase rules. */
  readonly source: string | null;
  /** Null for the codebase rules. */
  readonly metric: string | null;
  readonly rules: readonly string[];
}

/** A threshold with the origin of its value. */
export interface Threshold {
  /** Name of its form field, and of its key in the document where that is not ambiguous. */
  readonly field: string;
  /** The key as it is read in sentences: `percent_drop.percent`. */
  readonly name: string;
  readonly label: string;
  /** The unit of the values, or a remark. */
  readonly unit: string;
  /** The key of an override in the document. */
  readonly path: KeyPath;
  readonly inEffect: ThresholdValue;
  /** The value without an override at `path`. */
  readonly wider: ThresholdValue;
  readonly isOverridden: boolean;
}

/** A sent metric named like one of the rules' own keys: the document has no place for thresholds of its own. */
export function hasNoTable({ source, metric }: Tuned): boolean {
  return source === SENT && metric !== null && FLOW_KEYS.includes(metric);
}

/** The tables of a form's keys, each with its place below the table of a site or metric. */
const TABLES = [
  ["codebase_rules", []],
  ["flow_rules", []],
  ["percent_drop", ["percent_drop"]],
] as const;

/** The thresholds that the rules read, in the order they are shown. */
export function thresholdsFor(constants: Constants, tuned: Tuned): readonly Threshold[] {
  const { place, inEffect, wider, own } = valuesOf(constants, tuned);
  return TABLES.flatMap(([table, below]) =>
    Object.entries<{ readonly label: string; readonly note: string }>(THRESHOLDS[table])
      .filter(([key]) => tuned.rules.some((rule) => isRead(rule, table, key)))
      .flatMap(([key, { label, note }]) => {
        const [now, otherwise] = [inEffect[key], wider[key]];
        if (now === undefined || otherwise === undefined) return [];
        const names = [...below, key];
        return {
          field: key,
          name: names.join("."),
          label,
          unit: note,
          path: ["assets", tuned.asset, ...place, ...names],
          inEffect: now,
          wider: otherwise,
          isOverridden: own[key] !== undefined,
        };
      }),
  );
}

function isRead(rule: string, table: string, key: string): boolean {
  const reads = ruleOf(rule)?.reads;
  return reads?.table === table && reads.keys.some((read) => read === key);
}

/** Values by their keys, no two of which are the same in one place. */
type Values = Readonly<Record<string, ThresholdValue | undefined>>;

/** The place of overrides below the site's table, and the values with and without them. */
function valuesOf(constants: Constants, { asset, source, metric }: Tuned) {
  if (source === null || metric === null) {
    const own = siteOverridesOf(constants, asset)?.codebase_rules ?? {};
    return levels(["codebase_rules"], constants.codebase_rules, own);
  }
  const { percent_drop: ownDrop, ...own } = metricOverridesOf(constants, asset, source, metric);
  const {
    percent_drop,
    negative: _direction,
    marked_days: _marks,
    ...wider
  } = flowThresholds(constants, asset, source, metric, {});
  return levels(
    source === SENT ? ["flow_rules", metric] : ["signal_rules", source, metric],
    { ...wider, ...percent_drop },
    { ...own, ...ownDrop },
  );
}

function levels(place: readonly string[], wider: Values, own: Values) {
  const inEffect: Values = { ...wider, ...own };
  return { place, wider, own, inEffect };
}

/** The subject of a tuning, its page, and the flag that led to it. */
export interface TuneSubject extends Tuned {
  readonly action: string;
  readonly flag: FlagRow | undefined;
}

/** The metric of a flag, or the codebase rule that raised it. */
export function subjectOfFlag(db: Db, id: string): TuneSubject {
  const stored = findFlag(db, id);
  const flag = stored && flagsShown(db)(stored);
  if (flag === undefined) throw new Problem("not-found", "No such flag.");
  const { asset, rule, source, metric } = flag;
  const common = { asset, flag, action: paths.tuneFlag(id) };
  if (METRIC_RULES.some((id) => id === rule) && metric !== null)
    return { ...common, source: source ?? SENT, metric, rules: METRIC_RULES };
  if (isCodebaseRule(rule)) return { ...common, source: null, metric: null, rules: [rule] };
  throw new Problem("not-found", "The rule of this flag has no thresholds to tune.");
}

/** A metric that a site sends. */
export function metricOfSite(db: Db, asset: string, metric: string): TuneSubject {
  if (findFirstDay(db, asset, metric) === undefined) {
    throw new Problem("not-found", "This site never reported such a metric.");
  }
  const action = paths.tuneMetric(asset, metric);
  return { asset, source: SENT, metric, rules: METRIC_RULES, action, flag: undefined };
}

/** A count of a site from a provider. */
export function signalOfSite(db: Db, asset: string, source: string, metric: string): TuneSubject {
  if (!isProvider(source) || findSeries(db, { asset, source, metric }) === undefined) {
    throw new Problem("not-found", "No provider has such a figure of this site.");
  }
  if (NO_COUNTS.includes(metric)) {
    throw new Problem("not-found", "This figure is no count, so no rule tests it.");
  }
  const action = paths.tuneSignal(asset, source, metric);
  return { asset, source, metric, rules: METRIC_RULES, action, flag: undefined };
}

/** All codebase rules of a site. */
export function codebaseOfSite(db: Db, asset: string): TuneSubject {
  if (findAsset(db, asset) === undefined) throw new Problem("not-found", "No such site.");
  const action = paths.tuneCodebase(asset);
  return { asset, source: null, metric: null, rules: CODEBASE_RULES, action, flag: undefined };
}
