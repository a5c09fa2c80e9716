/**
 * Strict reading of JSON text from outside. `JSON.parse` lets duplicate keys overwrite each other in silence, takes any
 * depth (recursive code then overflows), reads 1e999 as Infinity and accepts `__proto__` as a key; this reader refuses
 * all four with a sentence.
 */

/** Deepest nesting of objects and lists; the outermost value counts as 1. */
export const MAX_JSON_DEPTH = 16;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

export type JsonResult =
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
  const fault = findFault(text);
  return fault === undefined ? { ok: true, value } : { ok: false, detail: fault };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Walks text that is known to be well-formed, so that only structure needs to be followed. */
function findFault(text: string): string | undefined {
  const keysByDepth: (Set<string> | null)[] = [];
  let keys: Set<string> | null = null;
  let expectKey = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    switch (unit) {
      case QUOTE: {
        const end = endOfString(text, i + 1);
        if (expectKey && keys !== null) {
          const raw = text.slice(i + 1, end);
          const key = raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
          if (FORBIDDEN_KEYS.has(key)) return `The key ${key} is not allowed.`;
          if (keys.has(key)) return "An object holds the same key twice.";
          keys.add(key);
          expectKey = false;
        }
        i = end;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        if (keysByDepth.length === MAX_JSON_DEPTH) return `The nesting is deeper than ${MAX_JSON_DEPTH}.`;
        keysByDepth.push(keys);
        keys = unit === 0x7b ? new Set() : null;
        expectKey = unit === 0x7b;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        keys = keysByDepth.pop() ?? null;
        expectKey = false;
        break;
      case 0x2c: // ,
        expectKey = keys !== null;
        break;
      case 0x65: // e
      case 0x45: // E
        if (isDigit(text.charCodeAt(i - 1)) && !isFiniteNumberAt(text, i)) return "A number is too large.";
        break;
      default:
        if (isDigit(unit)) {
          const end = endOfDigits(text, i);
          // Only a run of more than 308 digits can overflow without an exponent.
          if (end - i > 300 && !isFiniteNumberAt(text, i)) return "A number is too large.";
          i = end - 1;
        }
    }
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (end >= 0 && text.charCodeAt(end - 1) === BACKSLASH) {
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

function endOfDigits(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return end;
}

function isFiniteNumberAt(text: string, at: number): boolean {
  const partOfNumber = /[-+.0-9eE]/;
  let start = at;
  while (start > 0 && partOfNumber.test(text.charAt(start - 1))) start--;
  let end = at;
  while (end < text.length && partOfNumber.test(text.charAt(end))) end++;
  return Number.isFinite(Number(text.slice(start, end)));
}
