/** Reading package lists that are programs or markup as text, in one pass: what is written may be made to be slow to read. */
import { type Search, searchFor } from "../find.ts";

const LINE_END = /[\n\r\u2028\u2029]/;

/** The text without the lines that start with a comment; their ends stay. */
export function withoutCommentLines(text: string, opener: string): string {
  return text
    .split("\n")
    .map((line) => (line.trimStart().startsWith(opener) ? "" : line))
    .join("\n");
}

/** The text without what stands between `open` and `close`. What never closes stays. */
export function without(text: string, open: string, close: string): string {
  let out = "";
  let at = 0;
  for (const { start, end } of parts(text, open, close)) {
    out += text.slice(at, start);
    at = end;
  }
  return out + text.slice(at);
}

/** What stands between each `open` and the next `close`. */
export function between(text: string, open: string, close: string): string[] {
  return parts(text, open, close).map(({ start, end }) =>
    text.slice(start + open.length, end - close.length),
  );
}

function parts(text: string, open: string, close: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let start = text.indexOf(open); start >= 0; ) {
    const shut = text.indexOf(close, start + open.length);
    if (shut < 0) break;
    const end = shut + close.length;
    found.push({ start, end });
    start = text.indexOf(open, end);
  }
  return found;
}

/** Where the first visible character of each line stands. */
export function* lineHeads(text: string): Generator<number> {
  let fresh = true;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (LINE_END.test(character)) fresh = true;
    else if (fresh && character.trim() !== "") {
      fresh = false;
      yield at;
    }
  }
}

/**
 * The first group of `pattern`, a sticky one, at the head of each line. A match that runs over lines takes them with it.
 * Linear as long as the pattern runs over nothing but white space, and over that once.
 */
export function matchHeads(text: string, pattern: RegExp): { group: string; end: number }[] {
  const found: { group: string; end: number }[] = [];
  let past = 0;
  for (const head of lineHeads(text)) {
    if (head < past) continue;
    pattern.lastIndex = head;
    const match = pattern.exec(text);
    if (match === null) continue;
    past = pattern.lastIndex;
    found.push({ group: match[1] ?? "", end: past });
  }
  return found;
}

/**
 * For each match of `open` the first `wanted` behind it that starts before `stop` does; the search goes on behind what was
 * found. All three look ahead over the text once.
 */
export function firstInside(text: string, open: RegExp, wanted: RegExp, stop: string): string[] {
  const opens = searchFor(text, open);
  const wanteds = searchFor(text, wanted);
  const stops = searchFor(text, stop);
  const found: string[] = [];
  for (let at = opens(0); at !== undefined; ) {
    const match = wanteds(at.end);
    if (match === undefined) break;
    const inside = comesBefore(match.at, stops, at.end);
    if (inside) found.push(match.group);
    at = opens(inside ? match.end : at.end);
  }
  return found;
}

/** Whether a place comes before the next `stop` behind `from`. */
export function comesBefore(place: number, stop: Search, from: number): boolean {
  const next = stop(from);
  return next === undefined || place < next.at;
}
