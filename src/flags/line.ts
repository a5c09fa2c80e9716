/** Which flags can tell the same lasting thing: what a renewal may follow. */
import { ruleOf, rulesOfThing } from "../rules/mod.ts";

/** The rules of one thing, and how long after a reading resolved its flag the next one still goes on with it. */
export interface Line {
  readonly rules: readonly string[];
  /** 0 where only a flag that is resolved and raised in the same judging lasts. */
  readonly gapMs: number;
}

const DAY_MS = 86_400_000;

/** The line of a rule. */
export function lineOf(rule: string): Line {
  return { rules: rulesOfThing(rule), gapMs: (ruleOf(rule)?.lasts?.pauseDays ?? 0) * DAY_MS };
}
