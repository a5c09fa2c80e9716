/** Numbers, texts and errors in sentences: English, no locale of a machine. */

/** `1,204`; at most two decimals, and none that say nothing: 6.75, 6.5, 6. */
export function countText(count: number): string {
  return fixedText(count, 2);
}

/**
 * An expectation as a person says it: 75 for 74.96, 6.8 for 6.75, 0.4 for 0.38, 0.04 for 0.041. Only what is exactly 0 is said to
 * be 0.
 */
export function expectedText(expected: number): string {
  const size = Math.abs(expected);
  if (size >= 10) return fixedText(expected, 0);
  if (size >= 1 || size === 0) return fixedText(expected, 1);
  // The first digit that is not 0, written out: 1e-7 is no number that a person reads.
  return size < 1e-6 ? "less than 0.000001" : fixedText(expected, Math.ceil(-Math.log10(size)));
}

/** With separators between thousands, and no decimals at the end that say nothing. */
function fixedText(value: number, decimals: number): string {
  const [whole = "", rest = ""] = value.toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ",");
  const kept = rest.replace(/0+$/, "");
  return kept === "" ? grouped : `${grouped}.${kept}`;
}

/** A noun that follows a count: "file" after 1, "files" after every other number. */
export function nounFor(count: number, one: string, many: string = `${one}s`): string {
  return count === 1 ? one : many;
}

/** A count with its noun: "0 files", "1 file", "1,204 files". */
export function countWords(count: number, one: string, many?: string): string {
  return `${countText(count)} ${nounFor(count, one, many)}`;
}

/** Words with a capital at their beginning: "search console" begins a sentence as "Search console". */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A rule as a sentence beside its field: "must be a port" becomes "It must be a port." */
export const ruleSentence = (rule: string): string =>
  /^(?:must|is|cannot) /.test(rule) ? `It ${rule}.` : `${capital(rule)}.`;

/** A percentage for a sentence: at most one decimal, none when it would be 0. `25` → "25", `8.64` → "8.6". */
export function percentText(percent: number): string {
  const rounded = Math.round(percent * 10) / 10;
  return Number.isInteger(rounded) ? String(rounded) : rounded.toFixed(1);
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number of bytes for people: "812 MiB", "2.4 GiB". */
export function byteWords(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  const shown = value >= 10 || Number.isInteger(value) ? Math.round(value) : Math.round(value * 10) / 10;
  return `${shown} ${UNITS[unit]}`;
}

/** A text of at most `longest` characters: what lies beyond is cut off, which a last "…" shows. Never half a character. */
export function shortText(text: string, longest: number): string {
  return text.length <= longest ? text.toWellFormed() : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** What a terminal obeys or does not show: control and format characters, and the separators of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * A text of unknown origin for one line of a terminal: what would move the cursor, begin a line, turn the writing round or not show
 * is spelt out, so that the text can hide neither itself nor its neighbours.
 */
export function onOneLine(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error whose message is for people, in words of our own: nothing that another said is in it, and no secret. */
export class PlainError extends Error {}

/** The code that the system or SQLite gave an error, such as `ENOSPC`; "" where it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** A list of words as it is written in a text: between spaces or on lines of their own. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

// Known names that lie near a mistyped one.

const MOST_NEAR = 3;

const FARTHEST = 2;

/** A name this long may be the beginning of another. */
const SHORTEST_START = 3;

/** At most three of the known names, the nearest first: some letters apart, or where one of the two begins with the other. */
export function nearest(name: string, known: Iterable<string>): string[] {
  const sought = name.toLowerCase();
  const reach = Math.min(FARTHEST, Math.max(1, Math.floor(sought.length / 3)));
  const near: { readonly name: string; readonly apart: number }[] = [];
  for (const other of known) {
    const apart = apartness(sought, other.toLowerCase(), reach);
    if (apart !== undefined) near.push({ name: other, apart });
  }
  return near
    .sort((one, two) => one.apart - two.apart || (one.name < two.name ? -1 : 1))
    .slice(0, MOST_NEAR)
    .map((found) => found.name);
}

/** "did you mean a or b?" after what was not understood; "" where nothing lies near. */
export function didYouMean(names: readonly string[]): string {
  const last = names.at(-1);
  if (last === undefined) return "";
  const before = names.slice(0, -1).join(", ");
  return `; did you mean ${before === "" ? last : `${before} or ${last}`}?`;
}

function apartness(sought: string, other: string, reach: number): number | undefined {
  const edits = distance(sought, other, reach);
  if (edits !== undefined) return edits;
  const shorter = Math.min(sought.length, other.length);
  return shorter >= SHORTEST_START && (other.startsWith(sought) || sought.startsWith(other))
    ? reach + 1
    : undefined;
}

/** Letters to change, add, leave out or swap with their neighbour; undefined beyond `reach`. */
export function distance(one: string, two: string, reach: number): number | undefined {
  if (Math.abs(one.length - two.length) > reach) return undefined;
  let above: number[] = [];
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  const at = (cells: readonly number[], place: number) => cells[place] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= two.length; j++) {
      const isSwapped = one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1];
      const changed = at(row, j - 1) + Number(one[i - 1] !== two[j - 1]);
      next.push(
        Math.min(at(row, j) + 1, at(next, j - 1) + 1, changed, isSwapped ? at(above, j - 2) + 1 : changed),
      );
    }
    [above, row] = [row, next];
  }
  const apart = at(row, two.length);
  return apart <= reach ? apart : undefined;
}

/** Quotes a value for a POSIX shell when it holds anything but harmless characters. */
export function shellWord(value: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
