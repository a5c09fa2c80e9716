import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesAny } from "../../src/sites/constants_store.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

test("which names a pattern matches is recorded", () => {
  const cases = texts(
    "errors errors|errors Errors|errors js_errors|*errors js_errors|*error* error|err* js_err|a*a a|a*a aa",
    "a*b*c a-b-c|a*b*c a-c-b|*ab*ab ab|* |** anything|a.c abc",
  );
  recordEach(cases, (both) => {
    const [pattern = "", name = ""] = both.split(" ");
    return matchesAny([pattern], name);
  });
});

test("a pattern means what the same regular expression means (property)", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "*"), { maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.array(fc.constantFrom("a", "b"), { maxLength: 12 }), (parts, chars) => {
      const expected = new RegExp(`^${parts.map((part) => (part === "*" ? ".*" : part)).join("")}$`);
      expect(matchesAny([parts.join("")], chars.join(""))).toBe(expected.test(chars.join("")));
    }),
  );
});
