/**
 * Taking a JSON text apart as it comes, in memory that does not grow with it: the items of one list of its object in batches, and all
 * the rest of it as one value at the end.
 */

import { isCutJson } from "./json.ts";

/** What a text came to. */
export interface JsonListEnd {
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
