import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UnquotedJson } from "../../src/base/json.ts";

function unquoted(text: string, size: number): string {
  const bytes = Buffer.from(text);
  const one = new UnquotedJson();
  const told: Uint8Array[] = [];
  for (let from = 0; from < bytes.byteLength; from += size)
    told.push(one.push(bytes.subarray(from, from + size)));
  return Buffer.concat(told).toString();
}

/** JSON as a writer does that escapes everything it may. */
const escaped = (text: string) =>
  `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;

describe("a JSON text in a string of JSON", () => {
  test("is taken out of it, however it comes in pieces", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, size) => {
        const text = JSON.stringify({ d: value, sign: '\u{1f600} é \\ "' });
        expect(unquoted(JSON.stringify(text), size)).toBe(text);
        expect(unquoted(` \n${escaped(text)}\n`, size).trimStart()).toBe(text);
      }),
    );
  });

  test("that comes as itself stays as it is", () => {
    for (const text of ['{"d":["\\u00e9"]}', "  [1]", '<html>"', "", "  "])
      expect(unquoted(text, 3)).toBe(text);
  });

  test("that something follows is no JSON: what follows is told, too", () => {
    for (const size of [3, 40]) expect(unquoted('"[1]" more', size).replace(" ", "")).toBe("[1]more");
  });

  test("that ends early ends early", () => {
    expect(unquoted('"{\\"d\\":[1,2', 4)).toBe('{"d":[1,2');
    expect(unquoted('"{\\"d\\":\\', 4)).toBe('{"d":');
  });
});
