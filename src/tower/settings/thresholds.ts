/** The thresholds that can be tuned for one metric of a site, or for its codebase rules, and the change to the document that was typed. */

import { orNotFound, Problem } from "../../base/problem.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { findFlag } from "../../flags/queries.ts";
import { isProvider } from "../../providers/adapter.ts";
import { flagsShown } from "../../reports/nights.ts";
import { findSeries } from "../../reports/series.ts";
import { lineDifference, setOverride, unsetOverride } from "../../sites/constants_edit.ts";
import { parseConstants } from "../../sites/constants_parse.ts";
import { type Constants, FLOW_KEYS } from "../../sites/constants_schema.ts";
import {
  type ConstantsStore,
  flowThresholds,
  metricOverridesOf,
  siteOverridesOf,
} from "../../sites/constants_store.ts";
import {
  CODEBASE_RULES,
  isCodebaseRule,
  isCount,
  METRIC_RULES,
  ruleOf,
  SENT,
} from "../../sites/rule_catalogue.ts";
import { findAsset } from "../../sites/sites.ts";
import { THRESHOLDS, type ThresholdValue } from "../../sites/thresholds.ts";
import type { KeyPath } from "../../sites/toml.ts";
import type { Db } from "../../store/store.ts";
import { paths } from "../paths.ts";

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
  const flag = orNotFound(stored && flagsShown(db)(stored), "No such flag.");
  const { asset, rule, source, metric } = flag;
  const common = { asset, flag, action: paths.tuneFlag(id) };
  if (METRIC_RULES.some((id) => id === rule) && metric !== null)
    return { ...common, source: source ?? SENT, metric, rules: METRIC_RULES };
  if (isCodebaseRule(rule)) return { ...common, source: null, metric: null, rules: [rule] };
  throw new Problem("not-found", "The rule of this flag has no thresholds to tune.");
}

/** A metric that a site sends. */
export function metricOfSite(db: Db, asset: string, metric: string): TuneSubject {
  orNotFound(findSeries(db, { asset, source: SENT, metric }), "This site never reported such a metric.");
  return countOf(asset, SENT, metric, paths.tuneMetric(asset, metric));
}

/** A count of a site from a provider. */
export function signalOfSite(db: Db, asset: string, source: string, metric: string): TuneSubject {
  if (!isProvider(source) || findSeries(db, { asset, source, metric }) === undefined) {
    throw new Problem("not-found", "No provider has such a figure of this site.");
  }
  return countOf(asset, source, metric, paths.tuneSignal(asset, source, metric));
}

function countOf(asset: string, source: string, metric: string, action: string): TuneSubject {
  if (!isCount(source, metric))
    throw new Problem("not-found", "This figure is no count, so no rule tests it.");
  return { asset, source, metric, rules: METRIC_RULES, action, flag: undefined };
}

/** All codebase rules of a site. */
export function codebaseOfSite(db: Db, asset: string): TuneSubject {
  orNotFound(findAsset(db, asset), "No such site.");
  const action = paths.tuneCodebase(asset);
  return { asset, source: null, metric: null, rules: CODEBASE_RULES, action, flag: undefined };
}

/** One threshold that would change. */
export interface ThresholdChange {
  readonly name: string;
  readonly from: ThresholdValue;
  readonly to: ThresholdValue;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Reads what was typed for each threshold; an absent field means what is in effect. */
export function typedValues(
  thresholds: readonly Threshold[],
  sent: URLSearchParams,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    thresholds.map(({ field, inEffect }) => [field, (sent.get(field) ?? String(inEffect)).trim()]),
  );
}

/**
 * The document with the typed values. An empty field, or the value that holds without an override, takes the override out;
 * every other value is written. Each refused value has its sentence in `errors`.
 */
export function propose(
  document: string,
  thresholds: readonly Threshold[],
  typed: Readonly<Record<string, string>>,
) {
  let text = document;
  const changes: ThresholdChange[] = [];
  const errors: Record<string, string> = {};
  const edits: { readonly field: string; readonly path: KeyPath; readonly to: ThresholdValue | null }[] = [];
  for (const { field, name, path, inEffect, wider, isOverridden } of thresholds) {
    const value = readValue(typed[field] ?? "", wider);
    if (typed[field] === "" ? !isOverridden : value === inEffect) continue;
    edits.push({ field, path, to: value === wider ? null : value });
    if (value !== inEffect) changes.push({ name, from: inEffect, to: value });
  }
  // Taken out last, so that a table that loses one key and gets another stays where it is.
  for (const { field, path, to } of edits.toSorted((a, b) => Number(a.to === null) - Number(b.to === null))) {
    const edit = to === null ? unsetOverride(text, path) : setOverride(text, path, to);
    if (edit.ok) text = edit.text;
    else errors[field] = `It ${edit.problems[0]?.message ?? "cannot be written"}.`;
  }
  return Object.keys(errors).length === 0
    ? { text, changes, errors }
    : { text: document, changes: [], errors };
}

/** What is no number is refused by its threshold's own rule, which NaN breaks. */
function readValue(typed: string, wider: ThresholdValue): ThresholdValue {
  if (typed === "") return wider;
  if (typed === "measured") return typed;
  return NUMBER.test(typed) ? Number(typed) : Number.NaN;
}

/** "alpha 0.001 and max_window_days 7": the values a proposal would put in effect; "the thresholds in effect" for none. */
export function changeWords(changes: readonly ThresholdChange[]): string {
  const words = changes.map(({ name, to }) => `${name} ${to}`);
  const last = words.pop() ?? "the thresholds in effect";
  return words.length === 0 ? last : `${words.join(", ")} and ${last}`;
}

/** "alpha 0.01 to 0.001": what was changed, for a record. */
export function changeRecord(changes: readonly ThresholdChange[]): string {
  return changes.map(({ name, from, to }) => `${name} ${from} to ${to}`).join(", ");
}

/** Something for the thresholds in effect, and for the proposed ones; undefined where nothing is proposed. */
export interface Sides<T> {
  readonly inEffect: T;
  readonly proposed: T | undefined;
}

/** A tuning before it is saved. */
export type Tuning = ReturnType<typeof tuningOf>;

/** The tuning that a form asks for. */
export function tuningOf(constants: ConstantsStore, subject: TuneSubject, sent: URLSearchParams) {
  const document = constants.document();
  const inEffect = constants.current().constants;
  const thresholds = thresholdsFor(inEffect, subject);
  const values = typedValues(thresholds, sent);
  const broken = constants.problem && ("broken-document" as const);
  /** Why nothing can be written now. */
  const obstacle = hasNoTable(subject) ? ("no-table" as const) : broken;
  const { text, changes, errors } = propose(document.text, obstacle === undefined ? thresholds : [], values);
  const parsed = changes.length === 0 ? undefined : parseConstants(text);
  return {
    subject,
    thresholds,
    /** The typed values, and a sentence for each refused one. */
    filled: { values, errors },
    isRefused: Object.keys(errors).length > 0,
    /** Thresholds that would change. */
    changes,
    /** The constants in effect, and as they would be where a threshold changes. */
    sides: { inEffect, proposed: parsed?.ok ? parsed.constants : undefined },
    /** The change to the constants document; null while nothing is proposed. */
    change: text === document.text ? null : { text, hunks: lineDifference(document.text, text) },
    digest: document.digest,
    obstacle,
  };
}
