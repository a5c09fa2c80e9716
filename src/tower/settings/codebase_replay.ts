/** Thresholds before they are saved: the typed values, their edit of the document, and the codebase rules on stored reports. Pure. */

import { countWords as countOf } from "../../base/text.ts";
import type { UtcDay } from "../../base/time.ts";
import { COMPARISON_SPAN, comparisonFor, type StoredReport } from "../../reports/codebase.ts";
import { evaluateCodebase } from "../../reports/codebase_rules.ts";
import { type DifferenceHunk, lineDifference } from "../../sites/constants_diff.ts";
import { setOverride, unsetOverride } from "../../sites/constants_edit.ts";
import { parseConstants } from "../../sites/constants_parse.ts";
import type { Constants } from "../../sites/constants_schema.ts";
import type { ConstantsStore } from "../../sites/constants_store.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import type { CodebaseThresholds, ThresholdValue } from "../../sites/thresholds.ts";
import type { KeyPath } from "../../sites/toml.ts";
import { formatCount } from "../format.ts";
import type { Filled, Refused } from "../kit/field.tsx";
import { hasNoTable, type Threshold, type TuneSubject, thresholdsFor } from "./thresholds.ts";

/** One threshold that would change. */
export interface ThresholdChange {
  readonly name: string;
  readonly from: ThresholdValue;
  readonly to: ThresholdValue;
}

/** A proposal against a document. Where a value is refused nothing is proposed. */
interface Proposal {
  /** The document with the change; the same text when nothing changes. */
  readonly text: string;
  readonly changes: readonly ThresholdChange[];
  /** A sentence for each value that is refused, by field. */
  readonly errors: Refused;
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
): Proposal {
  let text = document;
  const changes: ThresholdChange[] = [];
  const errors: Record<string, string> = {};
  const edits: { readonly field: string; readonly path: KeyPath; readonly to: ThresholdValue | null }[] = [];
  for (const { field, name, path, inEffect, wider, isOverridden } of thresholds) {
    const value = readValue(typed[field] ?? "", wider);
    if (value === undefined) {
      errors[field] = "It must be a number, for example 0.01.";
      continue;
    }
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

function readValue(typed: string, wider: ThresholdValue): ThresholdValue | undefined {
  if (typed === "") return wider;
  if (typed === "measured") return typed;
  return NUMBER.test(typed) ? Number(typed) : undefined;
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

/** Figures over the whole span, and the days with a flag. */
export interface History {
  readonly heading: string;
  readonly from: UtcDay;
  readonly to: UtcDay;
  readonly note: string;
  /** The headings of the figures; the last is of the proposal where there is one. */
  readonly columns: readonly [head: string, ...figures: string[]];
  readonly figures: readonly (readonly [head: string, ...figures: string[]])[];
  /** The class of the first column. */
  readonly headClass?: string;
  readonly remark?: string;
  readonly lists: readonly RaisedList[];
  readonly hasProposal: boolean;
}

/** Days with a flag under either set of thresholds, newest first. */
export interface RaisedList {
  readonly heading: string;
  readonly note: string;
  /** The heading of the days: the day itself, or its report. */
  readonly day: string;
  readonly days: readonly RaisedDay[];
  /** The word for a day without a flag. */
  readonly nothing: string;
}

/** A day's flag in words; undefined where it has none. */
export interface RaisedDay extends Readonly<Record<keyof Sides<unknown>, string | undefined>> {
  readonly day: UtcDay;
  /** The words of the flag, where the sides do not have them. */
  readonly said?: string;
}

/** The result of a preview; empty where nothing is stored. */
export interface Trial {
  readonly history: History | undefined;
  readonly sentences: readonly string[];
}

export const NOTHING_STORED: Trial = { history: undefined, sentences: [] };

/** The same of each side there is. */
export function eachSide<T, To>({ inEffect, proposed }: Sides<T>, of: (side: T) => To): Sides<To> {
  return { inEffect: of(inEffect), proposed: proposed === undefined ? undefined : of(proposed) };
}

/** The days that either side raised, newest first. */
export function raisedDays(
  inEffect: ReadonlyMap<UtcDay, string>,
  proposed: ReadonlyMap<UtcDay, string>,
): readonly RaisedDay[] {
  return [...new Set([...inEffect.keys(), ...proposed.keys()])]
    .sort((a, b) => (a < b ? 1 : -1))
    .map((day) => ({ day, inEffect: inEffect.get(day), proposed: proposed.get(day) }));
}

/** ", as now" or " instead of 9": how a proposal's count stands to the one in effect. */
function againstNow(proposed: number, inEffect: number): string {
  return proposed === inEffect ? ", as now" : ` instead of ${formatCount(inEffect)}`;
}

/** Days of stored reports that are replayed. */
export const REPLAYED_REPORT_DAYS = 365;

/** Reports listed for each rule. */
const MOST_LISTED = 20;

/** One rule over the stored reports. */
interface RuleReplay {
  readonly rule: string;
  /** Reports at which the rule could be judged. */
  readonly judged: number;
  /** Its flags' words, by the report that raises each. */
  readonly raised: ReadonlyMap<UtcDay, string>;
}

/**
 * Judges each report against the one a month before it. `reports` are current ones, newest first, one a day; those before `from`
 * only serve to be compared with.
 */
export function replayCodebase(
  reports: readonly StoredReport[],
  from: UtcDay,
  rules: readonly string[],
  thresholds: CodebaseThresholds,
): readonly RuleReplay[] {
  const judged = reports.flatMap((report, place) => {
    if (report.date < from) return [];
    const earlier = reports.slice(place + 1, place + 1 + COMPARISON_SPAN.farthest);
    const verdicts = evaluateCodebase(report, comparisonFor(report.date, earlier), thresholds);
    return verdicts.map(({ rule, verdict }) => ({ date: report.date, rule, verdict }));
  });
  return rules.map((rule) => {
    const verdicts = judged.filter((one) => one.rule === rule && one.verdict.state !== "not_run");
    const raised = verdicts.flatMap(({ date, verdict }) =>
      verdict.state === "fires" ? [[date, verdict.message ?? rule] as const] : [],
    );
    return { rule, judged: verdicts.length, raised: new Map(raised) };
  });
}

/** Both replays of some reports, and a sentence on each rule that would change. */
export function codebaseTrial(
  sides: Sides<readonly RuleReplay[]>,
  span: { readonly from: UtcDay; readonly to: UtcDay },
  changes: readonly ThresholdChange[],
): Trial {
  const hasProposal = sides.proposed !== undefined;
  const rules = sides.inEffect.map((inEffect, place) => ({
    ...inEffect,
    proposed: (sides.proposed?.[place] ?? inEffect).raised,
    changes: changes.filter(({ name }) => keysOf(inEffect.rule).includes(name)),
  }));
  return {
    history: {
      heading: "On stored reports",
      ...span,
      note: "the newest of each day",
      columns: ["Rule", "Reports judged", "Raised now", ...(hasProposal ? ["Proposed"] : [])],
      figures: rules.map(({ rule, judged, raised, proposed }) => {
        const counts = [judged, raised.size, ...(hasProposal ? [proposed.size] : [])];
        return [rule, ...counts.map((count) => formatCount(count))];
      }),
      headClass: "mono",
      lists: rules
        .filter(({ raised, proposed }) => rules.length === 1 || !hasProposal || raised.size !== proposed.size)
        .map(({ rule, raised, proposed }) => listOf(rule, raised, proposed))
        .filter(({ days }) => days.length > 0),
      hasProposal,
    },
    sentences: rules
      .filter((rule) => rule.judged > 0 && (rules.length === 1 || rule.changes.length > 0))
      .map(sentenceOf),
  };
}

function keysOf(rule: string): readonly string[] {
  return ruleOf(rule)?.reads?.keys ?? [];
}

function listOf(rule: string, inEffect: RuleReplay["raised"], proposed: RuleReplay["raised"]): RaisedList {
  const days = raisedDays(inEffect, proposed);
  const raised = (said: string | undefined) => (said === undefined ? undefined : "raised");
  return {
    heading: `Reports that raise ${rule}`,
    note:
      days.length > MOST_LISTED ? `the newest ${MOST_LISTED} of ${formatCount(days.length)}` : "newest first",
    day: "Report",
    days: days.slice(0, MOST_LISTED).map(({ day, inEffect: now, proposed: then }) => {
      return { day, said: now ?? then ?? "", inEffect: raised(now), proposed: raised(then) };
    }),
    nothing: "no flag",
  };
}

/** "With growth_percent 40 codebase-growth would have been raised at 2 of 52 stored reports instead of 9." */
function sentenceOf(
  rule: RuleReplay & {
    readonly proposed: RuleReplay["raised"];
    readonly changes: readonly ThresholdChange[];
  },
): string {
  const { judged, proposed, raised, changes } = rule;
  const at = `at ${formatCount(proposed.size)} of ${countOf(judged, "stored report")}`;
  const against = changes.length === 0 ? "" : againstNow(proposed.size, raised.size);
  return `With ${changeWords(changes)} ${rule.rule} would have been raised ${at}${against}.`;
}

/** A tuning before it is saved. */
export interface Tuning {
  readonly subject: TuneSubject;
  readonly thresholds: readonly Threshold[];
  /** The typed values, and a sentence for each refused one. */
  readonly filled: Filled;
  readonly isRefused: boolean;
  /** Thresholds that would change. */
  readonly changes: readonly ThresholdChange[];
  /** The constants in effect, and as they would be where a threshold changes. */
  readonly sides: Sides<Constants>;
  /** The change to the constants document; null while nothing is proposed. */
  readonly change: { readonly text: string; readonly hunks: readonly DifferenceHunk[] } | null;
  /** Of the document that the change is made on. */
  readonly digest: string;
  /** Why nothing can be written now. */
  readonly obstacle: "broken-document" | "no-table" | null;
}

/** The tuning that a form asks for. */
export function tuningOf(constants: ConstantsStore, subject: TuneSubject, sent: URLSearchParams): Tuning {
  const document = constants.document();
  const inEffect = constants.current().constants;
  const thresholds = thresholdsFor(inEffect, subject);
  const values = typedValues(thresholds, sent);
  const obstacle = obstacleOf(constants, subject);
  const { text, changes, errors } = propose(document.text, obstacle === null ? thresholds : [], values);
  const parsed = changes.length === 0 ? undefined : parseConstants(text);
  return {
    subject,
    thresholds,
    filled: { values, errors },
    isRefused: Object.keys(errors).length > 0,
    changes,
    sides: { inEffect, proposed: parsed?.ok ? parsed.constants : undefined },
    change: text === document.text ? null : { text, hunks: lineDifference(document.text, text) },
    digest: document.digest,
    obstacle,
  };
}

function obstacleOf(constants: ConstantsStore, subject: TuneSubject): Tuning["obstacle"] {
  if (hasNoTable(subject)) return "no-table";
  return constants.problem === undefined ? null : "broken-document";
}
