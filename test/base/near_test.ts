import { expect, test } from "bun:test";
import fc from "fast-check";
import { didYouMean, nearest } from "../../src/base/setting.ts";

test("what is near is some letters apart, swapped, or the beginning; nearest first, three at most", () => {
  const known = ["shop.example", "harbor", "harbour", "kiln", "kilt", "kiwi", "kin"];
  expect(nearest("shpo.example", known)).toEqual(["shop.example"]);
  expect(nearest("shop", known)).toEqual(["shop.example"]);
  expect(nearest("Harbor", known)).toEqual(["harbor", "harbour"]);
  expect(nearest("kil", known)).toEqual(["kiln", "kilt", "kin"]);
  expect(nearest("blog.example", known)).toEqual([]);
  expect(nearest("", known)).toEqual([]);
});

test("a text with one letter changed, left out or added is near, wherever it is", () => {
  const word = fc.stringMatching(/^[a-z]{4,40}$/);
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom("", "x"), (name, at, put) => {
      const cut = at % name.length;
      expect(nearest(name.slice(0, cut) + put + name.slice(cut + 1), [name])).toEqual([name]);
    }),
  );
});

test("what was perhaps meant is asked in one sentence, or not at all", () => {
  expect(didYouMean([])).toBe("");
  expect(didYouMean(["a"])).toBe("; did you mean a?");
  expect(didYouMean(["a", "b", "c"])).toBe("; did you mean a, b or c?");
});
