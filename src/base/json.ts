/**
 * Strict reading of JSON text from outside. `JSON.parse` lets duplicate keys overwrite each other in silence, takes any
 * depth (recursive code then overflows), reads 1e999 as Infinity and accepts `__proto__` as a key; this reader refuses
 * all four with a sentence.
 */

/** Deepest nesting of objects and lists; the outermost value counts as 1. */
export const MAX_JSON_DEPTH = 16;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly detail: string };

/** Parses `text`; `detail` says what is wrong with it without echoing it. */
export function readJsonText(text: string): JsonResult {
  if (text.length === 0) return { ok: false, detail: "The body is empty." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, detail: "The body is not well-formed JSON." };
  }
  const fault = findFault(text, value);
  return fault === undefined ? { ok: true, value } : { ok: false, detail: fault };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/** What can only be seen in the text: how deep it nests, and how many keys it writes. */
interface TextFacts {
  readonly fault: string | undefined;
  readonly keys: number;
}

/**
 * Judges text that is known to be well-formed. A key that stands twice is found by counting: the text then writes more keys than
 * the parsed value has.
 */
function findFault(text: string, value: unknown): string | undefined {
  const { fault, keys } = scan(text);
  if (fault !== undefined) return fault;
  const counted = countKeys(value);
  if (counted.forbidden !== undefined) return `The key ${counted.forbidden} is not allowed.`;
  return counted.keys === keys ? undefined : "An object holds the same key twice.";
}

/** Follows the structure; strings are skipped whole, so that a colon in one is no key. */
function scan(text: string): TextFacts {
  let depth = 0;
  let keys = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(text, i + 1);
    } else if (unit === 0x3a) {
      keys++; // :
    } else if (unit === 0x7b || unit === 0x5b) {
      // { [
      if (++depth > MAX_JSON_DEPTH) return { fault: `The nesting is deeper than ${MAX_JSON_DEPTH}.`, keys };
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--; // } ]
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, i);
      // Fewer than 300 characters without an exponent cannot overflow; most numbers end here.
      if (end < 0) return { fault: "A number is too large.", keys };
      i = end - 1;
    }
  }
  return { fault: undefined, keys };
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (text.charCodeAt(end - 1) === BACKSLASH) {
    let slashes = 0;
    for (let i = end - 1; i >= from && text.charCodeAt(i) === BACKSLASH; i--) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Where the number that starts at `from` ends; -1 when it overflows to infinity. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  let plain = true;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (isDigit(unit)) continue;
    // . + - e E
    if (unit !== 0x2e && unit !== 0x2b && unit !== MINUS && unit !== 0x65 && unit !== 0x45) break;
    plain = false;
  }
  const mayOverflow = !plain || end - from > 300;
  return mayOverflow && !Number.isFinite(Number(text.slice(from, end))) ? -1 : end;
}

/** Counts the keys of a parsed value, whose depth is known to be bounded. */
function countKeys(value: unknown): { readonly keys: number; readonly forbidden: string | undefined } {
  let keys = 0;
  let forbidden: string | undefined;
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item);
      return;
    }
    for (const key of Object.keys(part)) {
      keys++;
      if (FORBIDDEN_KEYS.has(key)) forbidden = key;
      visit((part as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  return { keys, forbidden };
}
