/** Searches that run over a text once, however often they are asked. */

/** The first match at or behind a place; `undefined` when there is none. */
export type Search = (from: number) => Match | undefined;

export interface Match {
  readonly at: number;
  readonly end: number;
  /** The first group of a pattern. */
  readonly group: string;
}

/**
 * A search that remembers its last answer. Asked again from a place before that answer it repeats it, so that asking from
 * ever later places costs one pass in all.
 */
export function searchFor(text: string, needle: string | RegExp): Search {
  let asked = -1;
  let last: Match | undefined;
  return (from) => {
    if (asked >= 0 && from >= asked && (last === undefined || from <= last.at)) return last;
    asked = from;
    last = typeof needle === "string" ? findText(text, needle, from) : findPattern(text, needle, from);
    return last;
  };
}

function findText(text: string, needle: string, from: number): Match | undefined {
  const at = text.indexOf(needle, from);
  return at < 0 ? undefined : { at, end: at + needle.length, group: "" };
}

/** The pattern is global: it starts at any place. */
function findPattern(text: string, pattern: RegExp, from: number): Match | undefined {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  return match === null
    ? undefined
    : { at: match.index, end: match.index + match[0].length, group: match[1] ?? "" };
}
