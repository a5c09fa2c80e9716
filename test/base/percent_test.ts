import { expect, test } from "bun:test";
import { percentText } from "../../src/base/text.ts";

const CASES: readonly (readonly [number, string])[] = [
  [25, "25"],
  [8.64, "8.6"],
  [24.96, "25"],
  [0, "0"],
  [-0.04, "0"],
  [33.333, "33.3"],
  [1_000, "1000"],
  [0.05, "0.1"],
];

for (const [percent, written] of CASES) {
  test(`${percent} percent is written ${written}`, () => {
    expect(percentText(percent)).toBe(written);
  });
}
