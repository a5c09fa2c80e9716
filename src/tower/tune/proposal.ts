/** What an operator typed for some thresholds, and the edit of the constants document that it amounts to. Pure. */
import { type KeyPath, setOverride, unsetOverride } from "../../constants/mod.ts";
import type { ThresholdValue } from "../../rules/mod.ts";
import type { Refused } from "../component/field.tsx";
import type { Threshold } from "./thresholds.ts";

/** One threshold that would change. */
export interface ThresholdChange {
  readonly name: string;
  readonly from: ThresholdValue;
  readonly to: ThresholdValue;
}

/** A proposal against a document. Where a value is refused nothing is proposed. */
export interface Proposal {
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
      errors[field] = "It must be a number.";
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
