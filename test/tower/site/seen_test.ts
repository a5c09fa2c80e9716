import { describe, expect, test } from "bun:test";
import { seenTexts } from "../../../src/tower/site/day.tsx";
import { stateAfter } from "../../../src/tower/site/day_words.ts";
import type { FigureUnit } from "../../../src/tower/site/lanes.ts";

const texts = (unit: FigureUnit, ...values: readonly (number | null)[]) =>
  seenTexts(
    unit,
    values.map((value) => ({ value, seenAt: 0 })),
  );

describe("values of a day, one after another", () => {
  test("are as short as elsewhere where that tells them apart", () => {
    expect(texts("share", 0.0551, 0.0478)).toEqual(["5.5%", "4.8%"]);
    expect(texts("count", 112, null, 131)).toEqual(["112", "not sent", "131"]);
  });

  test("have the digits that they differ in: no revision reads as none", () => {
    expect(texts("share", 0.05512, 0.05478)).toEqual(["5.51%", "5.48%"]);
    expect(texts("position", 8.311, 8.314)).toEqual(["8.311", "8.314"]);
    expect(texts("count", 12_345_678, 12_345_679)).toEqual(["12,345,678", "12,345,679"]);
    expect(texts("share", 0.1 + 0.2, 0.3)).toHaveLength(2);
  });

  test("read alike where they are: a value that came back", () => {
    expect(texts("count", 5, 6, 5)).toEqual(["5", "6", "5"]);
  });
});

test("a value that is not final never stands without its state", () => {
  expect(["final", "provisional", "excluded"].map((state) => stateAfter(state as "final"))).toEqual([
    "",
    ", not final yet",
    ", ignored by rules",
  ]);
});
