import { expect, test } from "bun:test";
import { milestonePassed } from "../../src/rules/report_rules.ts";

for (const [previous, latest, passed] of [
  [undefined, 5_000, undefined],
  [0, 999, undefined],
  [999, 1_000, 1_000],
  [1_000, 1_000, undefined],
  [1_000, 1_999, undefined],
  [900, 6_000, 5_000],
  [19_999, 20_000, 20_000],
  [60_000, 1_200_000, 1_000_000],
  [2_000, 1_000, undefined],
  [1, Number.MAX_SAFE_INTEGER, 5_000_000_000_000_000],
] as const) {
  test(`milestone: from ${previous ?? "no reading"} to ${latest} passes ${passed ?? "nothing"}`, () => {
    expect(milestonePassed(previous, latest)).toBe(passed);
  });
}
