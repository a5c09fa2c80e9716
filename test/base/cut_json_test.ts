import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isCutJson } from "../../src/base/json.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("JSON that was cut off", () => {
  test("is text that could go on, wherever it ends", () => {
    for (const text of [
      "",
      " ",
      "{",
      "[",
      "-",
      '"',
      '{"a',
      '{"a"',
      '{"a":',
      '{"a":1,',
      "[1",
      "[1.",
      "[1e",
      "[1.5e-",
      "[t",
      "[nul",
      '["\\',
      '["\\u',
      '["\\u00',
      '["\\u0041',
      "[[],",
      "[ ",
    ])
      expect([text, isCutJson(text)]).toEqual([text, true]);
  });

  test("is not what is whole, and not what was never JSON", () => {
    for (const text of [
      "{}",
      "1",
      "[1] ",
      '"a"',
      "null",
      "{]",
      "{a",
      "[1 2",
      "[,",
      '{"a",',
      '{"a":}',
      "[1,]",
      "[01",
      "[.5",
      "[1..",
      "[--",
      "[1e+-",
      "[nulx",
      "[truE",
      '["\\x',
      '["\\u00g',
      '["\n',
      "<html>",
      "{} x",
      "[]]",
      "upstream error",
      '{"a":1,}',
      '{"a":1}{',
    ])
      expect([text, isCutJson(text)]).toEqual([text, false]);
  });
});

test("of JSON text, exactly the beginnings that do not stand for themselves are cut", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom(undefined, 2), (json, at, indent) => {
      const text = JSON.stringify(JSON.parse(json), undefined, indent);
      const start = text.slice(0, at % (text.length + 1));
      // A number that was cut may be a shorter one.
      expect(isCutJson(start)).toBe(!isJson(start));
    }),
  );
});

test("whatever the text is, what is JSON is not cut, and what is cut is no JSON", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0aeE-+.1 truefalsn\n'), maxLength: 12 }),
      (text) => {
        expect(isCutJson(text) && isJson(text)).toBe(false);
      },
    ),
  );
});
