/**
 * How the inputs of a flag change from run to run. A record keeps what changed alone: a list of 50 URLs that stands for a year is
 * written once. Pure.
 */
import type { RuleInputs } from "./contract.ts";

/** What of the inputs changed, by name; undefined where a name went or stands elsewhere, and the inputs have to be written whole. */
export function inputChange(before: string | null, after: string): RuleInputs | undefined {
  if (before === null) return undefined;
  const old = JSON.parse(before) as RuleInputs;
  const change = Object.fromEntries(
    Object.entries(JSON.parse(after) as RuleInputs).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    ),
  );
  return changedInputs(before, change) === after ? change : undefined;
}

/** The inputs with a change made. */
export function changedInputs(before: string | null, change: RuleInputs): string {
  return JSON.stringify({ ...(before === null ? {} : (JSON.parse(before) as RuleInputs)), ...change });
}
