import { expect, test } from "bun:test";
import { tallied } from "../../src/base/statistics.ts";

test("tallied() counts every name in the order of the names, those that do not come too", () => {
  const counts = tallied(["failing", "idle", "working"], ["idle", "failing", "idle"]);
  expect(Object.entries(counts)).toEqual([
    ["failing", 1],
    ["idle", 2],
    ["working", 0],
  ]);
});
