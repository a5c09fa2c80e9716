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
