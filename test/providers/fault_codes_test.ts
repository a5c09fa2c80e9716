import { describe, expect, test } from "bun:test";
import { FAILURE_CATEGORIES, FAULT_CODES } from "../../src/providers/faults.ts";

describe("reasons for which there is no answer", () => {
  const all = Object.entries(FAULT_CODES);

  test("each is of one of the nine categories, and each category has one", () => {
    expect(new Set(all.map(([, { category }]) => category))).toEqual(new Set(FAILURE_CATEGORIES));
  });

  test("each has words of its own and an action: short sentences that blame nobody and say nothing of a provider's", () => {
    expect(new Set(all.map(([, { words }]) => words)).size).toBe(all.length);
    for (const [code, { words, action }] of all) {
      expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      for (const text of [words, action]) {
        expect([code, text]).toEqual([code, expect.stringMatching(/^[A-Z][^\n"]{10,110}\.$/)]);
        expect(text).not.toMatch(/\bsorry\b|\bplease\b|!|\byou\b|HTTP|\d{3}/i);
      }
    }
  });
});
