/** The thresholds that can be tuned for one metric of a site, or for its codebase rules: what holds, and what would otherwise. Pure. */
import {
  type Constants,
  FLOW_KEYS,
  flowThresholds,
  type KeyPath,
  metricOverridesOf,
  siteOverridesOf,
} from "../../constants/mod.ts";
import { ruleOf, SENT, THRESHOLDS, type ThresholdValue } from "../../rules/mod.ts";

/** What is tuned: one metric of a site under the flow rules, or some of its codebase rules. */
export interface Tuned {
  readonly asset: string;
  /** Whose metric it is; null for the codebase rules. */
  readonly source: string | null;
  /** Null for the codebase rules. */
  readonly metric: string | null;
  readonly rules: readonly string[];
}

/** A threshold with where its value comes from. */
export interface Threshold {
  /** Name of its form field, and of its key in the document where that is not ambiguous. */
  readonly field: string;
  /** The key as it is read in sentences: `percent_drop.percent`. */
  readonly name: string;
  readonly label: string;
  /** What the values are counted in, or what else is to be known. */
  readonly unit: string;
  /** Where an override stands in the document. */
  readonly path: KeyPath;
  readonly inEffect: ThresholdValue;
  /** What holds without an override at `path`. */
  readonly wider: ThresholdValue;
  readonly isOverridden: boolean;
}

/** A sent metric named like one of the rules' own keys: the document has no place for thresholds of its own. */
export function hasNoTable({ source, metric }: Tuned): boolean {
  return source === SENT && metric !== null && FLOW_KEYS.includes(metric);
}

/** The tables whose keys a form asks for, with where each stands below the table of a site or metric. */
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

/** Where overrides stand below the site's table, what they hold, and the values that hold with and without them. */
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
