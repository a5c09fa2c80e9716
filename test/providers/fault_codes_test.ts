import { describe, expect, test } from "bun:test";
import { isNamed } from "../../src/providers/adapter.ts";
import {
  FAILURE_CATEGORIES,
  FAULT_CODES,
  type FaultCode,
  faultOf,
  nextRetryAt,
} from "../../src/providers/faults.ts";

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

  test("each says when it is asked again: limits after five minutes, what a person has to mend after six hours", () => {
    const minutes = (code: FaultCode, retryAfterMs?: number) => {
      const at = nextRetryAt(faultOf(code, { retryAfterMs }), 0);
      return at === null ? null : at / 60_000;
    };
    for (const [name, { category }] of all) {
      const code = name as FaultCode;
      const isLimit = ["rate_limit", "exhausted_budget"].includes(category) || code === "too_many_failures";
      const isPersons = ["access", "configuration"].includes(category);
      const hour = 60 * 60_000;
      expect([code, minutes(code), minutes(code, hour)]).toEqual([
        code,
        isLimit ? 5 : isPersons ? 360 : null,
        isPersons ? 360 : 60,
      ]);
      if (isPersons) expect(minutes(code, 10 * hour)).toBe(600);
    }
  });
});

test.each([
  ["sc-domain:harbor.example", true],
  ["", false],
  ["x".repeat(2_048), true],
  ["x".repeat(2_049), false],
  ["a\nb", false],
  ["a\ud800b", false],
])("whether %j can name a property", (name, is) => {
  expect(isNamed(name)).toBe(is);
});
