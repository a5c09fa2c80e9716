/** Secrets are taken out of an answer wherever a string of its JSON may hold one. Everything else passes byte for byte. */

import type { Secret } from "./sealing.ts";

// Finding any of some texts in bytes, without looking at most of them (Wu and Manber, "A fast algorithm for
// multi-pattern searching").

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

  /** Where the first one at `from` or after it stands, and how many bytes it takes; of two at one place the longer. */
  find(bytes: Uint8Array, from: number) {
    const to = bytes.byteLength;
    const before = this.shortest - 1;
    for (let at = from + before; at < to; ) {
      const pair = pairAt(bytes, at);
      const ahead = this.#ahead[pair] as number;
      if (ahead > 0) {
        at += ahead;
        continue;
      }
      const start = at - before;
      const found = this.#byEnd.get(pair)?.find((one) => stands(one, bytes, start));
      if (found !== undefined) return { at: start, length: found.byteLength };
      at++;
    }
    return undefined;
  }
}

const pairAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 1] as number) << 8) | (bytes[at] as number);

function stands(text: Uint8Array, bytes: Uint8Array, start: number): boolean {
  if (start + text.byteLength > bytes.byteLength) return false;
  for (let at = 0; at < text.byteLength; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}

/** What stands where a secret was. */
export const REDACTED = "[secret]";
const HIDDEN = Buffer.from(REDACTED);
/** A part of a key that is shorter is no part of any use, and may stand anywhere; so may a text of a few signs. */
const SHORTEST_PART = 16;
const SHORTEST = 5;

/** What of a credential may stand in no answer that is kept; `accessToken` is the one the question was sent with. */
export function secretsOf(secret: Secret, accessToken: string | undefined): readonly string[] {
  const token = accessToken === undefined ? [] : [accessToken];
  if (secret.kind === "webmaster-tools-key") return [secret.key, ...token];
  if (secret.kind === "serp-login") return [secret.password, ...token];
  const parts = secret.privateKey.split(/\s+|-----[A-Z ]+-----/);
  const long = [...parts, secret.privateKeyId].filter((part) => part.length >= SHORTEST_PART);
  return [secret.clientEmail, ...long, ...token];
}

/** Every way in which a string of JSON holds a text: as this writer and others escape it, and in an address. None holds a bare quote. */
function spellingsOf(text: string): readonly string[] {
  const inAddress = encodeURIComponent(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  const byCode = (inCapitals: boolean) =>
    inJson.replace(/[+/&'<>=@]/g, (sign) => {
      const code = sign.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${inCapitals ? code.toUpperCase() : code}`;
    });
  return [
    inJson,
    inAddress,
    inAddress.replace(/%../g, (code) => code.toLowerCase()),
    inJson.replaceAll("/", "\\/"),
    byCode(false),
    byCode(true),
    byCode(false).replaceAll("\\u002f", "/"),
    byCode(true).replaceAll("\\u002F", "/"),
  ];
}

export class Redactor {
  readonly #finder: TextFinder | undefined;
  /** Bytes that a secret may begin in which goes on in the next piece. */
  #held: Uint8Array = new Uint8Array();

  constructor(secrets: readonly string[]) {
    const known = secrets.filter(({ length }) => length >= SHORTEST);
    this.#finder = known.length === 0 ? undefined : new TextFinder([...new Set(known.flatMap(spellingsOf))]);
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
    const decided = isEnd ? raw.byteLength : Math.max(0, raw.byteLength - (this.#finder?.longest ?? 1) + 1);
    const told: Uint8Array[] = [];
    let done = 0;
    for (;;) {
      const found = this.#finder?.find(raw, done);
      if (found === undefined || found.at >= decided) break;
      told.push(raw.subarray(done, found.at), HIDDEN);
      done = found.at + found.length;
    }
    const end = Math.max(done, decided);
    told.push(raw.subarray(done, end));
    this.#held = raw.slice(end);
    return told.filter(({ byteLength }) => byteLength > 0);
  }
}
