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

/** Telling JSON that was cut off from text that is no JSON: the one is an answer that did not arrive whole, the other was never one. */

const WORDS = ["true", "false", "null"];
/** Everything that a number is written with. */
const NUMBER_SIGNS = /[-+.\deE]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A number that lacks its digits, or those of its last part. */
const HALF_NUMBER = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?)?)?$/;
const SPACE = /[ \t\n\r]*/y;
const ESCAPED = '"\\/bfnrt';

/** What may stand next. */
type Place = "value" | "value or ]" | "key or }" | "key" | ":" | ", or end";
/** How a token ended: whole, by the end of the text, or as none that may stand there. */
type Token = "whole" | "half" | "none";

/** Whether `text` is the beginning of JSON text and not all of it: whether it could still become some by going on. */
export function isCutJson(text: string): boolean {
  return new Reader(text).isCut();
}

class Reader {
  readonly #text: string;
  readonly #open: ("{" | "[")[] = [];
  #at = 0;
  #place: Place = "value";

  constructor(text: string) {
    this.#text = text;
  }

  isCut(): boolean {
    for (;;) {
      this.#take(SPACE);
      const isWhole = this.#place === ", or end" && this.#open.length === 0;
      if (this.#at === this.#text.length) return !isWhole;
      if (isWhole) return false;
      const token = this.#token(this.#text.charAt(this.#at));
      if (token !== "whole") return token === "half";
    }
  }

  #token(next: string): Token {
    const place = this.#place;
    const mayClose = place === ", or end" || place === "key or }" || place === "value or ]";
    if (mayClose && this.#closes(next)) return this.#mark(", or end");
    if (place === ":") return next === ":" ? this.#mark("value") : "none";
    if (place === ", or end") {
      return next === "," ? this.#mark(this.#open.at(-1) === "{" ? "key" : "value") : "none";
    }
    if (place === "key" || place === "key or }") return next === '"' ? this.#string(":") : "none";
    return this.#value(next);
  }

  #closes(next: string): boolean {
    const open = this.#open.at(-1);
    if (open === undefined || next !== (open === "{" ? "}" : "]")) return false;
    this.#open.pop();
    return true;
  }

  #value(next: string): Token {
    if (next === "{" || next === "[") {
      this.#open.push(next);
      return this.#mark(next === "{" ? "key or }" : "value or ]");
    }
    if (next === '"') return this.#string(", or end");
    const word = WORDS.find((one) => one.startsWith(next));
    if (word === undefined) return this.#number();
    const rest = this.#text.slice(this.#at, this.#at + word.length);
    if (rest !== word)
      return this.#at + rest.length === this.#text.length && word.startsWith(rest) ? "half" : "none";
    this.#at += word.length;
    this.#place = ", or end";
    return "whole";
  }

  #number(): Token {
    const from = this.#at;
    if (!this.#take(NUMBER_SIGNS)) return "none";
    const signs = this.#text.slice(from, this.#at);
    this.#place = ", or end";
    if (NUMBER.test(signs)) return "whole";
    return this.#at === this.#text.length && HALF_NUMBER.test(signs) ? "half" : "none";
  }

  /** Reads a string, after which `place` comes. By hand: a pattern would hold a step of its own for each character. */
  #string(place: Place): Token {
    const text = this.#text;
    for (let at = this.#at + 1; at < text.length; at++) {
      const sign = text.charAt(at);
      if (sign === '"') {
        this.#at = at + 1;
        this.#place = place;
        return "whole";
      }
      if (sign < " ") return "none";
      if (sign !== "\\" || ++at === text.length) continue;
      if (text.charAt(at) !== "u") {
        if (!ESCAPED.includes(text.charAt(at))) return "none";
        continue;
      }
      const digits = text.slice(at + 1, at + 5);
      if (!/^[0-9a-fA-F]*$/.test(digits)) return "none";
      at += digits.length;
    }
    return "half";
  }

  #mark(place: Place): Token {
    this.#at++;
    this.#place = place;
    return "whole";
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

/** A JSON text that comes as a string of JSON, taken out of it as it comes; one that comes as itself stays as it is. */

const UNQUOTED_JSON_SPACE = 0x20;
/** The first half of a sign that is written as two. */
const FIRST_HALF = /[\ud800-\udbff]$/;

export class UnquotedJson {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  #isBegun = false;
  #isQuoted = false;
  #isOver = false;
  /** What came of an escape, and what stands before the second half of a sign. */
  #escape = "";
  #half = "";

  /** What the next bytes say. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#isBegun) return this.#isQuoted ? this.#taken(chunk) : chunk;
    const first = chunk.findIndex((sign) => sign > UNQUOTED_JSON_SPACE);
    if (first < 0) return chunk;
    this.#isBegun = true;
    this.#isQuoted = chunk[first] === QUOTE;
    return this.#isQuoted ? this.#taken(chunk.subarray(first + 1)) : chunk;
  }

  #taken(bytes: Uint8Array): Uint8Array {
    // What follows the string is told, too: whoever reads it says that it is no JSON.
    if (this.#isOver) return bytes.some((sign) => sign > UNQUOTED_JSON_SPACE) ? bytes : new Uint8Array();
    const text = this.#escape + this.#decoder.decode(bytes, { stream: true });
    const end = this.#endIn(text);
    this.#escape = this.#isOver ? "" : text.slice(end);
    const rest = this.#isOver ? text.slice(end + 1).trim() : "";
    const told = this.#half + this.#said(text.slice(0, end)) + rest;
    this.#half = FIRST_HALF.exec(told)?.[0] ?? "";
    return this.#encoder.encode(told.slice(0, told.length - this.#half.length));
  }

  /** Where the string ends, or what of an escape is there begins; the length of the text where neither is. */
  #endIn(text: string): number {
    for (let at = 0; at < text.length; at++) {
      const sign = text.charAt(at);
      if (sign === '"') {
        this.#isOver = true;
        return at;
      }
      if (sign !== "\\") continue;
      const length = text.charAt(at + 1) === "u" ? 6 : 2;
      if (at + length > text.length) return at;
      at += length - 1;
    }
    return text.length;
  }

  /** What is no string of JSON is told as it came: whoever reads it says so. */
  #said(text: string): string {
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      return text;
    }
  }
}
