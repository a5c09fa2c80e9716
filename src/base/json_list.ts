/**
 * JSON that comes in pieces, read in memory that does not grow with it: the items of one list of its object in batches (`JsonList`),
 * whether a text was cut off (`isCutJson`), and JSON that comes as a string of JSON (`UnquotedJson`).
 */

/** What a text came to. */
interface JsonListEnd {
  /** `cut` where it ends early; `broken` where it is no JSON text, tells the list twice, or is too large without it. */
  readonly state: "whole" | "cut" | "broken";
  /** Items of the list; undefined where there is no such list. */
  readonly items: number | undefined;
  /** The object, its list empty; undefined unless it is whole. */
  readonly rest: unknown;
}

/** Items are parsed so many bytes at a time. */
const BATCH_BYTES = 131_072;
/** More than this no object has beside its list, and no item of one. */
const MOST_REST_BYTES = 1_048_576;
const MOST_ITEM_BYTES = 1_048_576;
/** As much of a name as is looked at. */
const NAME_LENGTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST = 0x5b;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const SPACE = 0x20;

export class JsonList {
  readonly #name: string;
  readonly #onItems: ((items: readonly unknown[]) => void) | undefined;
  readonly #rest = new Parts();
  readonly #batch = new Parts();
  /** Where in the batch its last whole item ends. */
  #itemsEnd = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  /** The last text of the object itself, as far as it is looked at. */
  #told = "";
  /** Whether the value that comes is the list's. */
  #isNext = false;
  #isInside = false;
  #isFound = false;
  #isBroken = false;
  #commas = 0;
  #isEmpty = true;
  #parsed = 0;

  /** Of the list called `name`; its items are told in order, or only counted where nobody is told. */
  constructor(name: string, onItems?: (items: readonly unknown[]) => void) {
    this.#name = name;
    this.#onItems = onItems;
  }

  /** The next bytes. They may be written over afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#isBroken) return;
    let from = 0;
    let depth = this.#depth;
    let isText = this.#isText;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < chunk.byteLength; at++) {
      const sign = chunk[at] as number;
      if (isText) {
        if (sign === QUOTE && !isEscaped) {
          isText = false;
          continue;
        }
        isEscaped = sign === BACKSLASH && !isEscaped;
        if (depth === 1 && this.#told.length < NAME_LENGTH) this.#told += String.fromCharCode(sign);
        continue;
      }
      if (sign <= SPACE) continue;
      if (depth === 2 && this.#isInside && sign !== LIST_END) this.#isEmpty = false;
      switch (sign) {
        case QUOTE:
          isText = true;
          if (depth === 1) this.#told = "";
          break;
        case COLON:
          if (depth === 1) this.#isNext = this.#told === this.#name;
          break;
        case COMMA:
          if (depth === 1) this.#isNext = false;
          else if (depth === 2 && this.#isInside) from = this.#itemEnds(chunk, from, at);
          break;
        case OBJECT:
        case LIST:
          depth++;
          if (depth === 2 && sign === LIST && this.#isNext) from = this.#begins(chunk, from, at);
          break;
        case OBJECT_END:
        case LIST_END:
          depth--;
          if (depth === 1 && this.#isInside) from = this.#ends(chunk, from, at);
      }
    }
    this.#depth = depth;
    this.#isText = isText;
    this.#isEscaped = isEscaped;
    this.#keep(chunk.subarray(from));
  }

  /** After the last bytes. */
  end(): JsonListEnd {
    const items = this.#isFound ? this.#commas + (this.#isEmpty ? 0 : 1) : undefined;
    const open = this.#isInside ? this.#batch.take() : undefined;
    if (open !== undefined) this.#tell(open.subarray(0, this.#itemsEnd));
    const text = decoded(this.#rest.take());
    const isAll = this.#onItems === undefined || this.#parsed === (items ?? 0);
    if (this.#isBroken) return { state: "broken", items, rest: undefined };
    if (open === undefined) {
      try {
        const rest: unknown = JSON.parse(text);
        return { state: isAll ? "whole" : "broken", items, rest: isAll ? rest : undefined };
      } catch {
        return { state: isCutJson(text) ? "cut" : "broken", items, rest: undefined };
      }
    }
    return { state: isCutJson(text + decoded(open)) ? "cut" : "broken", items, rest: undefined };
  }

  #begins(chunk: Uint8Array, from: number, at: number): number {
    this.#keep(chunk.subarray(from, at + 1));
    if (this.#isFound) this.#isBroken = true;
    this.#isFound = true;
    this.#isInside = true;
    return at + 1;
  }

  #itemEnds(chunk: Uint8Array, from: number, at: number): number {
    this.#commas++;
    if (this.#onItems === undefined) return at + 1;
    if (this.#batch.bytes + at - from < BATCH_BYTES) {
      this.#itemsEnd = this.#batch.bytes + at - from;
      return from;
    }
    this.#keep(chunk.subarray(from, at));
    this.#tell(this.#batch.take());
    this.#itemsEnd = 0;
    return at + 1;
  }

  #ends(chunk: Uint8Array, from: number, at: number): number {
    this.#keep(chunk.subarray(from, at));
    this.#isInside = false;
    this.#isNext = false;
    this.#tell(this.#batch.take());
    return at;
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isInside) {
      if (this.#onItems === undefined) return;
      this.#batch.add(bytes);
      if (this.#batch.bytes - this.#itemsEnd > MOST_ITEM_BYTES + BATCH_BYTES) this.#isBroken = true;
    } else {
      this.#rest.add(bytes);
      if (this.#rest.bytes > MOST_REST_BYTES) this.#isBroken = true;
    }
  }

  #tell(batch: Uint8Array): void {
    if (this.#onItems === undefined || this.#isBroken) return;
    let items: readonly unknown[];
    try {
      items = JSON.parse(`[${decoded(batch)}]`) as readonly unknown[];
    } catch {
      this.#isBroken = true;
      return;
    }
    this.#parsed += items.length;
    this.#onItems(items);
  }
}

/** Bytes that came in pieces. */
class Parts {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.#parts.push(bytes.slice());
    this.#bytes += bytes.byteLength;
  }

  take(): Uint8Array {
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}

const decoder = new TextDecoder();
const decoded = (bytes: Uint8Array): string => decoder.decode(bytes);

// JSON that was cut off, told from text that is no JSON: the one is an answer that did not arrive whole, the other was never one.

/** What may lack at the end of a text before its lists and objects are closed: of a value, of a string and its escapes, of a member. */
const ENDINGS = ["", "0", ":0", '"":0', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l"].concat(
  ['"', '\\"', '0000"', '000"', '00"', '0"'].flatMap((end) => [end, `${end}:0`]),
);

/** Whether `text` is the beginning of JSON text and not all of it: whether it could still become some by going on. */
export function isCutJson(text: string): boolean {
  if (isJson(text)) return false;
  const closing = closingOf(text);
  return ENDINGS.some((ending) => isJson(text + ending + closing));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What closes the lists and objects that are open where a text ends. */
function closingOf(text: string): string {
  let closing = "";
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (isText && sign === "\\") at++;
    else if (sign === '"') isText = !isText;
    else if (isText) continue;
    else if (sign === "{" || sign === "[") closing = (sign === "{" ? "}" : "]") + closing;
    else if (sign === "}" || sign === "]") closing = closing.slice(1);
  }
  return closing;
}

/** The first half of a sign that is written as two. */
const FIRST_HALF = /[\ud800-\udbff]$/;

/** A JSON text that comes as a string of JSON, taken out of it as it comes; one that comes as itself stays as it is. */
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
    const first = chunk.findIndex((sign) => sign > SPACE);
    if (first < 0) return chunk;
    this.#isBegun = true;
    this.#isQuoted = chunk[first] === QUOTE;
    return this.#isQuoted ? this.#taken(chunk.subarray(first + 1)) : chunk;
  }

  #taken(bytes: Uint8Array): Uint8Array {
    // What follows the string is told, too: whoever reads it says that it is no JSON.
    if (this.#isOver) return bytes.some((sign) => sign > SPACE) ? bytes : new Uint8Array();
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
