import { expect, test } from "bun:test";
import { milestonesPassed } from "../../src/flow/milestone.ts";

for (const [previous, latest, passed] of [
  [undefined, 5_000, []],
  [0, 999, []],
  [999, 1_000, [1_000]],
  [1_000, 1_000, []],
  [1_000, 1_999, []],
  [900, 6_000, [1_000, 2_000, 5_000]],
  [19_999, 20_000, [20_000]],
  [60_000, 1_200_000, [100_000, 200_000, 500_000, 1_000_000]],
  [2_000, 1_000, []],
] as const) {
  test(`milestone: from ${previous ?? "no reading"} to ${latest} passes ${passed.join(", ") || "nothing"}`, () => {
    expect(milestonesPassed(previous, latest)).toEqual(passed);
  });
}
