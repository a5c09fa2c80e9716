/**
 * How the inputs of a flag change from run to run. A record keeps what changed alone: a list of 50 URLs that stands for a year is
 * written once. Pure.
 */
import type { RuleInputs } from "./contract.ts";

/** What of the inputs changed, by name, within objects too; undefined where a name went or stands elsewhere, and they have to be written whole. */
export function inputChange(before: string | null, after: string): RuleInputs | undefined {
  if (before === null) return undefined;
  const change = differenceOf(JSON.parse(before) as RuleInputs, JSON.parse(after) as RuleInputs);
  return changedInputs(before, change) === after ? change : undefined;
}

/** The inputs with a change made. */
export function changedInputs(before: string | null, change: RuleInputs): string {
  return JSON.stringify(merged(before === null ? {} : (JSON.parse(before) as RuleInputs), change));
}

function differenceOf(before: RuleInputs, after: RuleInputs): RuleInputs {
  const changed = Object.entries(after).flatMap(([name, value]): [string, unknown][] => {
    const was = before[name];
    if (JSON.stringify(value) === JSON.stringify(was)) return [];
    return [[name, isInputs(value) && isInputs(was) ? differenceOf(was, value) : value]];
  });
  return Object.fromEntries(changed);
}

function merged(before: RuleInputs, change: RuleInputs): RuleInputs {
  const changed = Object.entries(change).map(([name, value]): [string, unknown] => {
    const was = before[name];
    return [name, isInputs(value) && isInputs(was) ? merged(was, value) : value];
  });
  return { ...before, ...Object.fromEntries(changed) };
}

const isInputs = (value: unknown): value is RuleInputs =>
  typeof value === "object" && value !== null && !Array.isArray(value);
