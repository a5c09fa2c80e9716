/** Which flags can tell the same lasting thing: what a renewal may follow. */

/** The rules of one thing, and how long after a reading resolved its flag the next one still goes on with it. */
export interface Line {
  readonly rules: readonly string[];
  /** 0 where only a flag that is resolved and raised in the same judging lasts. */
  readonly gapMs: number;
}

const WEEK_MS = 7 * 86_400_000;

/** A metric that is down is one thing, whichever of the two rules says so; a rise is another. */
const FLOW_LINES: readonly Line[] = [
  { rules: ["flow-drop", "percent-drop"], gapMs: WEEK_MS },
  { rules: ["flow-rise"], gapMs: WEEK_MS },
];

/** The line of a rule. */
export function lineOf(rule: string): Line {
  return FLOW_LINES.find(({ rules }) => rules.includes(rule)) ?? { rules: [rule], gapMs: 0 };
}
