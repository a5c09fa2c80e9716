import { expect, test } from "bun:test";
import { closeText, stateAfter } from "../../../src/tower/site/lanes.ts";

test("values of a day that was revised have the digits that they differ in: no revision reads as none", () => {
  expect([0.05512, 0.05478].map((value) => closeText("share", value))).toEqual(["5.512%", "5.478%"]);
  expect([8.311, 8.314].map((value) => closeText("position", value))).toEqual(["8.311", "8.314"]);
  expect([12_345_678, 12_345_679].map((value) => closeText("count", value))).toEqual([
    "12,345,678",
    "12,345,679",
  ]);
});

test("a value that is not final never stands without its state", () => {
  expect(["final", "provisional", "excluded"].map((state) => stateAfter(state as "final"))).toEqual([
    "",
    ", not final yet",
    ", ignored by rules",
  ]);
});
