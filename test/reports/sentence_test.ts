import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codebaseSentence, NO_COMPARISON } from "../../src/reports/codebase_sentence.ts";

const visitors = (percent: number) => ({ percent });
const NONE = { notMeasured: "Analytics is not connected." };
const change = (before: number | undefined, now: number | undefined) => ({ now, before });

describe("the codebase sentence", () => {
  test("has the shape of the specification", () => {
    expect(codebaseSentence(change(1_000, 1_100), visitors(14))).toBe(
      "The code grew 10% in 30 days while visitors grew 14%.",
    );
  });

  test("says shrank for code and fell for visitors", () => {
    expect(codebaseSentence(change(1_000, 900), visitors(-13.04))).toBe(
      "The code shrank 10% in 30 days while visitors fell 13%.",
    );
  });

  test("within half a percent nothing changed, for each of the two", () => {
    expect(codebaseSentence(change(1_000, 1_005), visitors(-0.5))).toBe(
      "The code did not change in 30 days while visitors did not change.",
    );
    expect(codebaseSentence(change(1_000, 1_006), visitors(0.6))).toBe(
      "The code grew 0.6% in 30 days while visitors grew 0.6%.",
    );
  });

  test("without visitors it says so", () => {
    expect(codebaseSentence(change(1_000, 1_100), NONE)).toBe(
      "The code grew 10% in 30 days. Visitors: Not measured.",
    );
  });

  test("without a comparison report it says exactly that", () => {
    expect(codebaseSentence(null, visitors(3))).toBe("No report from a month before yet");
    expect(NO_COMPARISON).toBe("No report from a month before yet");
  });

  test("lines that were not measured are never read as 0", () => {
    expect(codebaseSentence(change(undefined, 5), visitors(3))).toBe(
      "Lines of code: Not measured. Visitors grew 3% in 30 days.",
    );
    expect(codebaseSentence(change(5, undefined), NONE)).toBe(
      "Lines of code: Not measured. Visitors: Not measured.",
    );
  });

  test("growth from nothing has no percentage", () => {
    expect(codebaseSentence(change(0, 12), visitors(3))).toBe(
      "The code grew from 0 to 12 lines in 30 days while visitors grew 3%.",
    );
    expect(codebaseSentence(change(0, 0), NONE)).toBe(
      "The code did not change in 30 days. Visitors: Not measured.",
    );
  });

  test("never holds NaN, Infinity or a minus sign", () => {
    const lines = fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: undefined });
    fc.assert(
      fc.property(lines, lines, fc.double({ noNaN: true, min: -100, max: 1e9 }), (before, now, percent) => {
        expect(codebaseSentence(change(before, now), visitors(percent))).not.toMatch(
          /NaN|Infinity|-|undefined/,
        );
      }),
    );
  });
});
