import { expect, test } from "bun:test";
import { lineDifference } from "../../src/sites/constants_edit.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";

test("one changed threshold is one line out and one line in, with its surroundings", () => {
  const hunks = lineDifference(
    DEFAULT_DOCUMENT,
    DEFAULT_DOCUMENT.replace("silent_hours = 26", "silent_hours = 50"),
  );
  expect(hunks).toHaveLength(1);
  const lines = hunks[0]?.lines ?? [];
  expect(
    lines.filter((line) => line.kind !== "same").map((line) => [line.kind, line.text.slice(0, 17)]),
  ).toEqual([
    ["removed", "silent_hours = 26"],
    ["added", "silent_hours = 50"],
  ]);
  expect(lines.filter((line) => line.kind === "same")).toHaveLength(6);
  const at = DEFAULT_DOCUMENT.split("\n").findIndex((line) => line.startsWith("silent_hours")) + 1;
  expect(hunks[0]?.beforeLine).toBe(at - 3);
});

test("equal texts have no difference, and line ends alone are none", () => {
  expect(lineDifference("a\nb\n", "a\nb\n")).toStrictEqual([]);
  expect(lineDifference("a\nb\n", "a\r\nb\r\n")).toStrictEqual([]);
});

test("texts with nothing in common are one whole change, found without a long search", () => {
  const before = Array.from({ length: 3_000 }, (_, i) => `before ${i}\n`).join("");
  const after = Array.from({ length: 3_000 }, (_, i) => `after ${i}\n`).join("");
  const hunks = lineDifference(before, after);
  expect(hunks).toHaveLength(1);
  expect(hunks[0]?.lines).toHaveLength(6_000);
});

test("a last line without its line end is still a line", () => {
  const lines = lineDifference("a\n", "a\nb").flatMap((hunk) => hunk.lines);
  expect(lines).toEqual([
    { kind: "same", text: "a" },
    { kind: "added", text: "b" },
  ]);
});
