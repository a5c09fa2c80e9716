/**
 * How deep a TOML text nests and how much is in it, counted before it is parsed: the parser recurses for each bracket, so a hostile
 * text would end in a stack overflow after half a second of work, and everybody waits while it reads many keys.
 */

import type { Problem } from "./problem.ts";

/** Deepest nesting of lists and inline tables, and longest dotted key; the document itself needs 5. */
export const MAX_NESTING = 16;

/** Most keys, tables and list items: 10,000 overrides, more than a thousand sites have. */
const MOST_PARTS = 10_000;

/** Strings and comments first, so that a bracket inside them does not count. Each match is linear: nothing backtracks. */
const TOKENS =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[{]|[\]}]|[=,]/g;

/** Where a text first breaks a bound, and which; `undefined` where it breaks none. */
export function brokenBound(text: string): Omit<Problem, "key"> | undefined {
  let depth = 0;
  let parts = 0;
  for (const match of text.matchAll(TOKENS)) {
    const token = match[0];
    if (token === "[" || token === "{") {
      depth++;
      if (depth > MAX_NESTING) return { line: lineAt(text, match.index), ...TOO_DEEP };
    } else if (token === "]" || token === "}") {
      depth = Math.max(0, depth - 1);
    }
    if (/^[=,[{]$/.test(token) && ++parts > MOST_PARTS)
      return { line: lineAt(text, match.index), ...TOO_MANY };
  }
  return undefined;
}

export const TOO_DEEP = { rule: "too-deep", message: `must not nest deeper than ${MAX_NESTING}` } as const;
const TOO_MANY = {
  rule: "too-many-keys",
  message: `must have at most ${MOST_PARTS} keys, tables and list items together`,
} as const;

/** The line (from 1) that holds the character at `index`. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < index; i = text.indexOf("\n", i + 1)) line++;
  return line;
}
