import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { TextFinder } from "../../src/providers/redactor.ts";

const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 6 }), {
  minLength: 1,
  maxLength: 5,
});
const body = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60 });

describe("finding texts in bytes", () => {
  test("finds the first one, and of two at one place the longer", () => {
    fc.assert(
      fc.property(texts, body, fc.nat(20), (wanted, text, from) => {
        const first = wanted
          .map((one) => ({ at: text.indexOf(one, from), length: one.length }))
          .filter(({ at }) => at >= 0)
          .sort((one, other) => one.at - other.at || other.length - one.length)[0];
        const found = new TextFinder(wanted).find(Buffer.from(text), from);
        expect(found).toEqual(first);
      }),
    );
  });

  test("finds texts of any length, up to the last byte", () => {
    const long = "0123456789".repeat(60);
    const finder = new TextFinder([long, "é".repeat(150)]);
    expect(finder.longest).toBe(600);
    expect(finder.find(Buffer.from(`x${long}`), 0)).toEqual({ at: 1, length: 600 });
    expect(finder.find(Buffer.from(`x${long.slice(1)}`), 0)).toBeUndefined();
  });

  test("with nothing to find is refused", () => {
    expect(() => new TextFinder([])).toThrow(RangeError);
    expect(() => new TextFinder(["a"])).toThrow(RangeError);
  });
});
