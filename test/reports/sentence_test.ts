import { expect, test } from "bun:test";
import fc from "fast-check";
import { codebaseSentence } from "../../src/reports/codebase_sentence.ts";
import { recordEach } from "../support/mixtures.ts";

const change = (before: number | undefined, now: number | undefined) => ({ now, before });

test("what the codebase sentence says of code and visitors, measured or not, recorded", () => {
  const code = [
    ...[change(1_000, 1_100), change(1_000, 900), change(1_000, 1_005), change(1_000, 1_006)],
    ...[change(undefined, 5), change(5, undefined), change(0, 12), change(0, 0), null],
  ];
  const visitors = [14, -13.04, -0.5, 0.6].map((percent) => ({ percent }));
  recordEach(code, (lines) =>
    [...visitors, { notMeasured: "Analytics is not connected." }].map((of) => codebaseSentence(lines, of)),
  );
});

test("the codebase sentence never holds NaN, Infinity or a minus sign", () => {
  const lines = fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { nil: undefined });
  fc.assert(
    fc.property(lines, lines, fc.double({ noNaN: true, min: -100, max: 1e9 }), (before, now, percent) => {
      expect(codebaseSentence(change(before, now), { percent })).not.toMatch(/NaN|Infinity|-|undefined/);
    }),
  );
});
