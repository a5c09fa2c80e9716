import { describe, expect, test } from "bun:test";
import { readDuplication } from "../../src/measure/duplication.ts";

type Place = readonly [name: string, start: number, end: number];

function report(...pairs: readonly (readonly [Place, Place])[]) {
  const place = ([name, start, end]: Place) => ({ name, start, end, startLoc: {} });
  return {
    duplicates: pairs.map(([a, b]) => ({
      firstFile: place(a),
      secondFile: place(b),
      lines: 1,
      fragment: "x",
    })),
  };
}

describe("repeated code from pairs (measure.md 3.5)", () => {
  const physical = new Map([
    ["a.ts", 100],
    ["b.ts", 100],
    ["c.vue", 50],
  ]);

  test("a line of a later copy counts once, however many pairs cover it", () => {
    const found = readDuplication(
      report(
        [
          ["a.ts", 1, 10],
          ["b.ts", 1, 10],
        ],
        [
          ["a.ts", 20, 28],
          ["b.ts", 5, 14],
        ],
      ),
      physical,
    );
    expect(found).toMatchObject({ duplicatedLines: 14, percent: 5.6 });
    expect(found?.blocks).toHaveLength(2);
  });

  test("four copies are three pairs and one block", () => {
    const found = readDuplication(
      report(
        [
          ["a.ts", 1, 10],
          ["a.ts", 20, 29],
        ],
        [
          ["a.ts", 1, 10],
          ["b.ts", 1, 10],
        ],
        [
          ["a.ts", 1, 10],
          ["b.ts", 50, 59],
        ],
      ),
      physical,
    );
    expect(found?.duplicatedLines).toBe(30);
    expect(found?.blocks).toEqual([
      {
        lines: 10,
        places: [
          { path: "a.ts", startLine: 1 },
          { path: "a.ts", startLine: 20 },
          { path: "b.ts", startLine: 1 },
          { path: "b.ts", startLine: 50 },
        ],
      },
    ]);
  });

  test("blocks come by lines x (places - 1), then path", () => {
    const found = readDuplication(
      report(
        [
          ["b.ts", 1, 10],
          ["b.ts", 30, 39],
        ],
        [
          ["a.ts", 1, 10],
          ["a.ts", 30, 39],
        ],
        [
          ["a.ts", 50, 80],
          ["b.ts", 50, 80],
        ],
      ),
      physical,
    );
    expect(found?.blocks.map((block) => [block.lines, block.places[0]?.path])).toEqual([
      [31, "a.ts"],
      [10, "a.ts"],
      [10, "b.ts"],
    ]);
  });

  test("a part of a component is its file; the percentage never passes 100", () => {
    const found = readDuplication(
      report([
        ["a.ts", 1, 10],
        ["c.vue:typescript", 1, 900],
      ]),
      physical,
    );
    expect(found).toMatchObject({ duplicatedLines: 50, percent: 20 });
    const all = readDuplication(
      report([
        ["a.ts", 1, 10],
        ["a.ts", 1, 999],
      ]),
      new Map([["a.ts", 10]]),
    );
    expect(all?.percent).toBe(100);
  });

  test("a file whose real name ends like a part keeps its name", () => {
    const found = readDuplication(
      report([
        ["x:ts", 1, 5],
        ["x:ts", 6, 10],
      ]),
      new Map([
        ["x:ts", 10],
        ["x", 10],
      ]),
    );
    expect(found?.blocks[0]?.places[0]?.path).toBe("x:ts");
  });

  test("nothing found is 0; an unknown shape or an unknown file is no answer", () => {
    expect(readDuplication(report(), physical)).toEqual({ duplicatedLines: 0, percent: 0, blocks: [] });
    expect(readDuplication({}, physical)).toBeUndefined();
    expect(
      readDuplication(
        report([
          ["a.ts", 1, 2],
          ["z.ts", 1, 2],
        ]),
        physical,
      ),
    ).toBeUndefined();
  });
});
