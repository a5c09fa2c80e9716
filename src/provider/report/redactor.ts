/**
 * Takes secrets out of bytes as they come, also where one is split between two pieces, and changes nothing else: the values that are
 * known, and those that stand under the names of codes which prove who owns a site.
 */
import { TextFinder } from "../../lib/text_finder.ts";
import type { Secret } from "../secret.ts";

const HIDDEN = Buffer.from("[secret]");
/** Names in answers whose values are secrets, whatever they are. */
const SECRET_NAMES: readonly string[] = ["AuthenticationCode", "DnsVerificationCode"];
/** From a name to the first sign of its value: written plainly, in a string of JSON, or in an address. */
const TO_VALUE = /^(?:\\|%5C)*(?:"|%22)(?:\s|%20)*(?::|%3A)(?:\s|%20)*((?:\\|%5C)*(?:"|%22))/i;
/** So many bytes are looked at for it. */
const MOST_TO_VALUE = 96;
/** A part of a key that is shorter is no part of any use, and may stand anywhere; so may a text of a few signs. */
const SHORTEST_PART = 16;
const SHORTEST = 5;

/** What of a credential may stand in no answer that is kept; `accessToken` is the one the question was sent with. */
export function secretsOf(secret: Secret, accessToken: string | undefined): readonly string[] {
  const token = accessToken === undefined ? [] : [accessToken];
  if (secret.kind === "webmaster-tools-key") return [secret.key, ...token];
  const parts = secret.privateKey.split(/\s+|-----[A-Z ]+-----/);
  const long = [...parts, secret.privateKeyId].filter((part) => part.length >= SHORTEST_PART);
  return [secret.clientEmail, ...long, ...token];
}

/** Every way in which a text is written in an answer: plainly, in an address, and in JSON by this writer and by others. */
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

/** A value that is left out, as far as it came. It ends with what it began with. */
interface Value {
  /** Backslashes and a quote, as they are written there. */
  readonly mark: string;
  readonly quote: string;
  readonly backslash: string;
  /** How many backslashes stand before its quotes: more than none in a string of JSON in JSON. */
  readonly depth: number;
  /** Backslashes before the sign that is looked at. */
  run: number;
  signs: number;
}

function valueAfter(mark: string): Value {
  const quote = mark.endsWith('"') ? '"' : "%22";
  const backslash = mark.startsWith("%5") ? mark.slice(0, 3) : "\\";
  const depth = (mark.length - quote.length) / backslash.length;
  return { mark, quote, backslash, depth, run: 0, signs: 0 };
}

export class Redactor {
  readonly #finder: TextFinder;
  /** What came and is not told yet: the beginning of a secret, perhaps. */
  #held: Uint8Array = new Uint8Array();
  #value: Value | undefined;

  constructor(secrets: readonly string[]) {
    const known = secrets.filter(({ length }) => length >= SHORTEST);
    this.#finder = new TextFinder([...new Set([...known.flatMap(spellingsOf), ...SECRET_NAMES])]);
  }

  /** Forgets what came: other bytes follow. */
  begin(): void {
    this.#held = new Uint8Array();
    this.#value = undefined;
  }

  /** What can be told of the bytes so far, in order. */
  push(piece: Uint8Array): readonly Uint8Array[] {
    return this.#told(this.#held.byteLength === 0 ? piece : Buffer.concat([this.#held, piece]), false);
  }

  /** The rest. */
  end(): readonly Uint8Array[] {
    return this.#told(this.#held, true);
  }

  #told(bytes: Uint8Array, isEnd: boolean): readonly Uint8Array[] {
    const told: Uint8Array[] = [];
    let at = 0;
    for (let isMore = true; isMore; ) {
      [at, isMore] =
        this.#value === undefined
          ? this.#copy(bytes, at, isEnd, told)
          : this.#leaveOut(this.#value, bytes, at, isEnd, told);
    }
    this.#held = bytes.slice(at);
    return told.filter(({ byteLength }) => byteLength > 0);
  }

  /** Tells what stands before the next secret, and what stands in its place; where to go on, and whether to. */
  #copy(bytes: Uint8Array, from: number, isEnd: boolean, told: Uint8Array[]): [at: number, isMore: boolean] {
    const found = this.#finder.find(bytes, from);
    // One that begins later may be longer than what is there of it.
    const decided = isEnd ? bytes.byteLength : Math.max(from, bytes.byteLength - this.#finder.longest + 1);
    if (found === undefined || found.at >= decided) {
      told.push(bytes.subarray(from, decided));
      return [decided, false];
    }
    const end = found.at + found.length;
    if (!SECRET_NAMES.includes(found.text)) {
      told.push(bytes.subarray(from, found.at), HIDDEN);
      return [end, true];
    }
    if (!isEnd && end + MOST_TO_VALUE > bytes.byteLength) {
      told.push(bytes.subarray(from, found.at));
      return [found.at, false];
    }
    const next = Buffer.from(bytes.subarray(end, end + MOST_TO_VALUE)).toString("latin1");
    const [toValue = "", mark] = TO_VALUE.exec(next) ?? [];
    const begin = end + toValue.length;
    told.push(bytes.subarray(from, begin));
    this.#value = mark === undefined ? undefined : valueAfter(mark);
    return [begin, true];
  }

  #leaveOut(
    value: Value,
    bytes: Uint8Array,
    from: number,
    isEnd: boolean,
    told: Uint8Array[],
  ): [at: number, isMore: boolean] {
    const { mark, quote, backslash, depth } = value;
    for (let at = from; at < bytes.byteLength; value.signs++) {
      const next = Buffer.from(bytes.subarray(at, at + quote.length)).toString("latin1");
      if (next.length < quote.length && !isEnd) return [at, false];
      if (next.toLowerCase() === quote && value.run % (2 * (depth + 1)) === depth) {
        if (value.signs > depth) told.push(HIDDEN);
        told.push(Buffer.from(mark));
        this.#value = undefined;
        return [at + quote.length, true];
      }
      const isBackslash = next.slice(0, backslash.length).toLowerCase() === backslash.toLowerCase();
      value.run = isBackslash ? value.run + 1 : 0;
      at += isBackslash ? backslash.length : 1;
    }
    if (isEnd && value.signs > 0) told.push(HIDDEN);
    return [bytes.byteLength, false];
  }
}
