/** A JSON text that comes as a string of JSON, taken out of it as it comes; one that comes as itself stays as it is. */

const SPACE = 0x20;
const QUOTE = 0x22;
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
