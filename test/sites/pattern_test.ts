import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesAny } from "../../src/sites/constants_store.ts";

const CASES: readonly (readonly [pattern: string, name: string, matches: boolean])[] = [
  ["errors", "errors", true],
  ["errors", "Errors", true],
  ["errors", "js_errors", false],
  ["*errors", "js_errors", true],
  ["*error*", "error", true],
  ["err*", "js_err", false],
  ["a*a", "a", false],
  ["a*a", "aa", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["*ab*ab", "ab", false],
  ["*", "", true],
  ["**", "anything", true],
  ["a.c", "abc", false],
];

for (const [pattern, name, matches] of CASES) {
  test(`pattern ${pattern} ${matches ? "matches" : "does not match"} ${JSON.stringify(name)}`, () => {
    expect(matchesAny([pattern], name)).toBe(matches);
  });
}

test("a pattern means what the same regular expression means (property)", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }), (parts, chars) => {
      const expected = new RegExp(`^${parts.map((part) => (part === "*" ? ".*" : part)).join("")}$`);
      expect(matchesAny([parts.join("")], chars.join(""))).toBe(expected.test(chars.join("")));
    }),
  );
});
