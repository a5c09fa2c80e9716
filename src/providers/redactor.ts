/**
 * Secrets are taken out of an answer by its structure: only within its JSON strings, and never more than one string. Whatever anybody
 * wrote into a query or an address, as many rows leave as came. Everything else passes byte for byte.
 */

import type { Secret } from "./secret.ts";

// Finding any of some texts in bytes, without looking at most of them (Wu and Manber, "A fast algorithm for
// multi-pattern searching").

interface Found {
  readonly at: number;
  /** How many bytes it takes. */
  readonly length: number;
}

export class TextFinder {
  /** The length of the longest text in bytes. */
  readonly longest: number;
  /** … and of the shortest, at most 255. */
  readonly shortest: number;
  /** How far a text that ends in two bytes lies ahead at least. */
  readonly #ahead = new Uint8Array(65_536);
  readonly #byEnd = new Map<number, Uint8Array[]>();

  /** Throws `RangeError` for none, and for one of fewer than two bytes. */
  constructor(texts: readonly string[]) {
    const wanted = texts.map((text) => Buffer.from(text));
    const lengths = wanted.map(({ byteLength }) => byteLength);
    this.longest = Math.max(0, ...lengths);
    this.shortest = Math.min(255, ...lengths);
    if (wanted.length === 0 || this.shortest < 2) throw new RangeError("there is nothing to find");
    this.#ahead.fill(this.shortest - 1);
    for (const one of wanted) {
      for (let at = 1; at < this.shortest; at++) {
        const pair = pairAt(one, at);
        this.#ahead[pair] = Math.min(this.#ahead[pair] as number, this.shortest - 1 - at);
      }
      const end = pairAt(one, this.shortest - 1);
      // The longest first: where two begin at one place, the longer one is what stands there.
      const others = this.#byEnd.get(end) ?? [];
      this.#byEnd.set(
        end,
        [...others, one].sort((a, b) => b.byteLength - a.byteLength),
      );
    }
  }

  /** The first one at `from` or after it that ends by `to`; of two at one place the longer. */
  find(bytes: Uint8Array, from: number, to = bytes.byteLength): Found | undefined {
    const before = this.shortest - 1;
    for (let at = from + before; at < to; ) {
      const pair = pairAt(bytes, at);
      const ahead = this.#ahead[pair] as number;
      if (ahead > 0) {
        at += ahead;
        continue;
      }
      const start = at - before;
      const found = this.#byEnd.get(pair)?.find((one) => stands(one, bytes, start, to));
      if (found !== undefined) return { at: start, length: found.byteLength };
      at++;
    }
    return undefined;
  }
}

const pairAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 1] as number) << 8) | (bytes[at] as number);

function stands(text: Uint8Array, bytes: Uint8Array, start: number, to: number): boolean {
  if (start + text.byteLength > to) return false;
  for (let at = 0; at < text.byteLength; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}

/** What stands where a secret was. */
export const REDACTED = "[secret]";
const HIDDEN = Buffer.from(REDACTED);
/** Keys of webmaster tools' answers whose values prove who owns a site. */
const SECRET_KEYS: readonly string[] = ["AuthenticationCode", "DnsVerificationCode"];
/** A part of a key that is shorter is no part of any use, and may stand anywhere; so may a text of a few signs. */
const SHORTEST_PART = 16;
const SHORTEST = 5;
/** A longer string is decided piece by piece. */
const MOST_HELD = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
const LETTER_U = 0x75;
const NINE = 0x39;
/** Stands for a sign beyond ASCII that was written by its code: no secret has one, and no text in UTF-8 this byte. */
const OTHER_SIGN = 0xff;
const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ b: 8, t: 9, n: 10, f: 12, r: 13 }).map(([name, sign]) => [name.charCodeAt(0), sign]),
);

/** The secrets that an answer may hold. Plain data: it travels to a worker. */
export interface AnswerSecrets {
  /** Exact values, wherever a string holds one. */
  readonly values: readonly string[];
  /** Keys whose values are secrets, whatever they are. */
  readonly keys: readonly string[];
}

/** What of a credential may stand in no answer that is kept; `accessToken` is the one the question was sent with. */
export function secretsOf(secret: Secret, accessToken: string | undefined): AnswerSecrets {
  const token = accessToken === undefined ? [] : [accessToken];
  if (secret.kind === "webmaster-tools-key") return { values: [secret.key, ...token], keys: SECRET_KEYS };
  if (secret.kind === "serp-login") return { values: [secret.password, ...token], keys: [] };
  const parts = secret.privateKey.split(/\s+|-----[A-Z ]+-----/);
  const long = [...parts, secret.privateKeyId].filter((part) => part.length >= SHORTEST_PART);
  return { values: [secret.clientEmail, ...long, ...token], keys: [] };
}

/** Every way in which a string holds a text: plainly, in an address, and in JSON by this writer and by others. */
function spellingsOf(text: string): readonly string[] {
  const inAddress = encodeURIComponent(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  const byCode = (inCapitals: boolean) =>
    inJson.replace(/[+/&'<>=@]/g, (sign) => {
      const code = sign.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${inCapitals ? code.toUpperCase() : code}`;
    });
  return [
    text,
    inAddress,
    inAddress.replace(/%../g, (code) => code.toLowerCase()),
    inJson,
    inJson.replaceAll("/", "\\/"),
    byCode(false),
    byCode(true),
    byCode(false).replaceAll("\\u002f", "/"),
    byCode(true).replaceAll("\\u002F", "/"),
  ];
}

/** The bytes of a string as they are meant, and where each is written. */
class Meaning {
  bytes: Uint8Array = new Uint8Array();
  length = 0;
  /** Where the last one ends. */
  end = 0;
  #raw: Uint8Array = this.bytes;
  /** The place that was asked for last. */
  #index = 0;
  #place = 0;

  /** Of `raw[from, to)`. It ends before an escape that is cut off, and before a quote. */
  take(raw: Uint8Array, from: number, to: number): this {
    if (this.bytes.byteLength < to - from) this.bytes = new Uint8Array(2 * (to - from));
    const { bytes } = this;
    let [at, length] = [from, 0];
    for (; at < to; length++) {
      const sign = raw[at] as number;
      if (sign === QUOTE) break;
      if (sign !== BACKSLASH) {
        bytes[length] = sign;
        at++;
        continue;
      }
      const size = sizeAt(raw, at);
      if (at + size > to) break;
      const next = raw[at + 1] as number;
      bytes[length] = size === 2 ? (ESCAPES.get(next) ?? next) : signOf(raw, at + 2);
      at += size;
    }
    [this.length, this.end, this.#raw, this.#index, this.#place] = [length, at, raw, 0, from];
    return this;
  }

  /** Where a byte is written. To be asked for in their order. */
  placeOf(index: number): number {
    for (; this.#index < index; this.#index++) this.#place += sizeAt(this.#raw, this.#place);
    return this.#place;
  }
}

/** How many bytes a sign is written in. */
const sizeAt = (raw: Uint8Array, at: number): number =>
  raw[at] !== BACKSLASH ? 1 : raw[at + 1] === LETTER_U ? 6 : 2;

/** The sign whose code is the four digits at a place. */
function signOf(raw: Uint8Array, at: number): number {
  let sign = 0;
  for (let place = at; place < at + 4; place++) {
    const digit = raw[place] as number;
    sign = 16 * sign + (digit & 15) + (digit > NINE ? 9 : 0);
  }
  return sign < 0x80 ? sign : OTHER_SIGN;
}

export class Redactor {
  readonly #finder: TextFinder | undefined;
  readonly #keys: readonly Uint8Array[];
  /** No shorter string is a key of a secret, or holds one. */
  readonly #shortest: number;
  /** Of the answer where it is quoted, and of the string that is looked at. */
  readonly #whole = new Meaning();
  readonly #part = new Meaning();
  #taken = 0;
  /** Bytes that are not decided yet: the string that they belong to has not ended. */
  #held: Uint8Array = new Uint8Array();
  #isBegun = false;
  /** Whether all of the answer is JSON in one string of JSON, and whether that string has ended. */
  #isQuoted = false;
  #isOver = false;
  #isText = false;
  /** Whether a part of the string is decided already. */
  #isLong = false;
  /** Whether the string is a secret as a whole, and whether that it was there is told. */
  #isHidden = false;
  #isTold = false;
  /** What the last string leads to, as far as it is one of the keys. */
  #after: "key" | "colon" | undefined;

  constructor({ values, keys }: AnswerSecrets) {
    const known = values.filter(({ length }) => length >= SHORTEST);
    this.#finder = known.length === 0 ? undefined : new TextFinder([...new Set(known.flatMap(spellingsOf))]);
    this.#keys = keys.map((key) => Buffer.from(key));
    this.#shortest = Math.min(this.#finder?.shortest ?? 255, ...keys.map(({ length }) => length));
  }

  /** How many secrets were taken out. */
  get taken(): number {
    return this.#taken;
  }

  /** What can be told of the bytes so far, in order. */
  push(piece: Uint8Array): readonly Uint8Array[] {
    return this.#told(this.#held.byteLength === 0 ? piece : Buffer.concat([this.#held, piece]), false);
  }

  /** The rest. */
  end(): readonly Uint8Array[] {
    return this.#told(this.#held, true);
  }

  #told(raw: Uint8Array, isEnd: boolean): readonly Uint8Array[] {
    let from = 0;
    if (!this.#isBegun) {
      from = raw.findIndex((sign) => sign > SPACE);
      this.#isBegun = from >= 0;
      this.#isQuoted = raw[from] === QUOTE;
      if (this.#isQuoted) from++;
    }
    if (!this.#isBegun || this.#isOver) return raw.byteLength === 0 ? [] : [raw];
    const view = this.#isQuoted ? this.#whole.take(raw, from, raw.byteLength) : undefined;
    const placeOf = (at: number) => view?.placeOf(at) ?? at;
    const told: Uint8Array[] = [];
    let done = 0;
    const cut = (begin: number, end: number) => {
      told.push(raw.subarray(done, placeOf(begin)));
      if (!this.#isTold) {
        told.push(HIDDEN);
        this.#taken++;
      }
      done = placeOf(end);
    };
    this.#isOver = isEnd || (view !== undefined && raw[view.end] === QUOTE);
    const decided =
      view === undefined
        ? this.#decide(raw, from, raw.byteLength, cut)
        : this.#decide(view.bytes, 0, view.length, cut);
    const end = this.#isOver ? raw.byteLength : placeOf(decided);
    told.push(raw.subarray(done, end));
    this.#held = raw.slice(end);
    return told.filter(({ byteLength }) => byteLength > 0);
  }

  /** Says what of `bytes` is to be cut out; returns up to where they are decided. */
  #decide(bytes: Uint8Array, from: number, to: number, cut: Cut): number {
    for (let at = from; ; at++) {
      if (!this.#isText) {
        at = this.#textAfter(bytes, at, to);
        if (at === to) return to;
      }
      const begin = at;
      let isEscaped = false;
      for (; at < to && bytes[at] !== QUOTE; at++) {
        if (bytes[at] !== BACKSLASH) continue;
        isEscaped = true;
        at++;
      }
      const isWhole = at < to || this.#isOver;
      if (at < to && at - begin < this.#shortest && !this.#isHidden) {
        this.#isLong = this.#isText = false;
        continue;
      }
      if (!isWhole && to - begin <= MOST_HELD) return begin;
      const decided = this.#string(bytes, begin, Math.min(at, to), { isEscaped, isWhole }, cut);
      this.#isLong = !isWhole;
      if (at >= to) return decided;
      this.#isText = false;
    }
  }

  /** Where the next string begins, behind its quote; `to` where none does. */
  #textAfter(bytes: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const sign = bytes[at] as number;
      if (sign === QUOTE) {
        this.#isText = true;
        this.#isHidden = this.#after === "colon";
        this.#isTold = false;
        this.#after = undefined;
        return at + 1;
      }
      if (sign > SPACE) this.#after = sign === COLON && this.#after === "key" ? "colon" : undefined;
    }
    return to;
  }

  /** Decides a string or, of one that goes on, what no secret can reach across; returns up to where. */
  #string(
    bytes: Uint8Array,
    from: number,
    to: number,
    { isEscaped, isWhole }: { readonly isEscaped: boolean; readonly isWhole: boolean },
    cut: Cut,
  ): number {
    const meant = isEscaped ? this.#part.take(bytes, from, to) : undefined;
    const [within, first, end] = meant === undefined ? [bytes, from, to] : [meant.bytes, 0, meant.length];
    const placeOf = (at: number) => meant?.placeOf(at) ?? at;
    let decided = isWhole ? end : Math.max(first, end - (this.#finder?.longest ?? 0));
    if (this.#isHidden) {
      const place = isWhole ? to : placeOf(decided);
      if (decided > first) cut(from, place);
      this.#isTold ||= decided > first;
      return place;
    }
    for (let at = first; ; ) {
      const found = this.#finder?.find(within, at, end);
      if (found === undefined || found.at >= decided) break;
      at = found.at + found.length;
      decided = Math.max(decided, at);
      cut(placeOf(found.at), placeOf(at));
    }
    if (!isWhole) return placeOf(decided);
    if (!this.#isLong && this.#isKey(within, first, end)) this.#after = "key";
    return to;
  }

  #isKey(bytes: Uint8Array, from: number, to: number): boolean {
    return this.#keys.some(
      (key) => key.byteLength === to - from && Buffer.compare(key, bytes.subarray(from, to)) === 0,
    );
  }
}

/** Is given a stretch of bytes in whose place stands that there was a secret. */
type Cut = (begin: number, end: number) => void;
