/**
 * How deep a TOML text nests, counted before it is parsed: the parser recurses for each bracket, so a hostile text would
 * end in a stack overflow after half a second of work.
 */

/** Deepest nesting of lists and inline tables, and longest dotted key; the document itself needs 5. */
export const MAX_NESTING = 16;

/** Strings and comments first, so that a bracket inside them does not count. Each match is linear: nothing backtracks. */
const TOKENS =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?|#[^\n]*|[[{]|[\]}]/g;

/** The line (from 1) of the first bracket beyond `MAX_NESTING`; `undefined` when there is none. */
export function tooDeepLine(text: string): number | undefined {
  let depth = 0;
  for (const match of text.matchAll(TOKENS)) {
    const token = match[0];
    if (token === "[" || token === "{") {
      depth++;
      if (depth > MAX_NESTING) return lineAt(text, match.index);
    } else if (token === "]" || token === "}") {
      depth = Math.max(0, depth - 1);
    }
  }
  return undefined;
}

/** The line (from 1) that holds the character at `index`. */
function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < index; i = text.indexOf("\n", i + 1)) line++;
  return line;
}
