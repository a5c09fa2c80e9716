import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  CopiedFile,
  findBlocks,
  MIN_LINES,
  type Pair,
  readPairs,
  repeatedLines,
} from "../../../src/measure/repeats/duplication.ts";

type At = readonly [path: string, from: number, to: number];

function pair([path, from, to]: At, [other, start, end]: At): Pair {
  return { first: { path, from, to }, second: { path: other, from: start, to: end } };
}

/** A file of code lines; the given ones are empty. */
function file(length: number, empty: readonly number[] = []): CopiedFile {
  const lines = Array.from({ length }, (_, index) => (empty.includes(index + 1) ? "" : "x"));
  return new CopiedFile(new TextEncoder().encode(lines.join("\n")));
}

function files(lengths: Readonly<Record<string, number>>): Map<string, CopiedFile> {
  return new Map(Object.entries(lengths).map(([path, length]) => [path, file(length)]));
}

/** Each block as `lines: path start+lines, …`. */
function told(pairs: readonly Pair[], held: ReadonlyMap<string, CopiedFile>): string[] {
  return findBlocks(pairs, held).map(
    ({ lines, places }) =>
      `${lines}: ${places.map((one) => `${one.path} ${one.startLine}+${one.lines}`).join(", ")}`,
  );
}

describe("blocks of repeated code", () => {
  test("four copies are three pairs and one block", () => {
    const first: At = ["a", 1, 10];
    const pairs = [pair(first, ["a", 20, 29]), pair(first, ["b", 1, 10]), pair(first, ["b", 50, 59])];
    const held = files({ a: 100, b: 100 });
    expect(told(pairs, held)).toEqual(["10: a 1+10, a 20+10, b 1+10, b 50+10"]);
    expect(repeatedLines(findBlocks(pairs, files({ a: 100, b: 100 })))).toBe(30);
  });

  test("each place has its own length, and never more lines than its file", () => {
    const held = files({ a: 120, b: 41, c: 60 });
    const pairs = [pair(["a", 1, 60], ["b", 1, 41]), pair(["a", 1, 55], ["c", 6, 60])];
    expect(told(pairs, held)).toEqual(["60: a 1+60, b 1+41, c 6+55"]);
  });

  test("lines that are no code count nowhere, and fewer than five lines of code are no block", () => {
    const held = new Map([
      ["a", file(20, [3, 4])],
      ["b", file(20, [3, 4])],
    ]);
    expect(told([pair(["a", 1, 10], ["b", 1, 10])], held)).toEqual(["8: a 1+8, b 1+8"]);
    expect(told([pair(["a", 1, 6], ["b", 11, 16])], held)).toStrictEqual([]);
  });

  test("nearly the same part of a file is one place, and what its copies are is one block", () => {
    const pairs = [pair(["a", 1, 20], ["b", 1, 20]), pair(["a", 3, 20], ["c", 1, 18])];
    expect(told(pairs, files({ a: 30, b: 30, c: 30 }))).toEqual(["20: a 1+20, b 1+20, c 1+18"]);
  });

  test("many parts of one file are as many blocks", () => {
    const parts = Array.from({ length: 20 }, (_, place) => 10 * place + 1);
    const pairs = parts.map((from) => pair(["a", from, from + 9], ["b", from, from + 9]));
    expect(told(pairs, files({ a: 200, b: 200 }))).toHaveLength(parts.length);
  });

  test("a line that two blocks want goes to the heavier one; the other keeps the rest", () => {
    const pairs = [pair(["a", 1, 50], ["b", 1, 50]), pair(["b", 46, 70], ["c", 1, 25])];
    expect(told(pairs, files({ a: 100, b: 100, c: 100 }))).toEqual([
      "50: a 1+50, b 1+50",
      "25: b 51+20, c 1+25",
    ]);
  });

  test("a place that is much shorter than the others is none of them; what it repeats can be a block of its own", () => {
    const half = [pair(["a", 1, 60], ["b", 1, 60]), pair(["b", 1, 35], ["c", 1, 35])];
    const held = () => files({ a: 60, b: 60, c: 60, d: 60, e: 60 });
    expect(told(half, held())).toEqual(["60: a 1+60, b 1+60, c 1+35"]);
    const ever = [...half, pair(["c", 1, 35], ["d", 10, 28]), pair(["d", 10, 28], ["e", 1, 15])];
    expect(told(ever, held())).toEqual(["60: a 1+60, b 1+60, c 1+35"]);
    expect(told([...ever, pair(["d", 12, 18], ["e", 1, 7])], held())).toEqual([
      "60: a 1+60, b 1+60, c 1+35",
      "7: d 12+7, e 1+7",
    ]);
  });

  test("a run of one block is as many places as it has rounds, and a run of short rows is a table", () => {
    const held = files({ a: 100 });
    expect(told([pair(["a", 1, 30], ["a", 11, 40])], held)).toEqual([
      "10: a 1+10, a 11+10, a 21+10, a 31+10",
    ]);
    expect(told([pair(["a", 50, 80], ["a", 52, 82])], held)).toStrictEqual([]);
  });

  test("they come by lines x (places - 1), then path", () => {
    const pairs = [
      pair(["b", 1, 10], ["b", 30, 39]),
      pair(["a", 1, 10], ["a", 30, 39]),
      pair(["a", 50, 80], ["b", 50, 80]),
    ];
    expect(told(pairs, files({ a: 100, b: 100 })).map((block) => block.slice(0, 5))).toEqual([
      "31: a",
      "10: a",
      "10: b",
    ]);
  });

  test("no line of a file stands in two blocks or places, and no place is shorter than a block", () => {
    const span = fc
      .record({
        path: fc.constantFrom("a", "b", "c"),
        from: fc.integer({ min: 1, max: 90 }),
        length: fc.integer({ min: 1, max: 40 }),
      })
      .map(({ path, from, length }) => ({ path, from, to: Math.min(100, from + length) }));
    const pairs = fc.array(fc.record({ first: span, second: span }), { maxLength: 30 });
    fc.assert(
      fc.property(pairs, (some) => {
        const seen = new Set<string>();
        const blocks = findBlocks(some, files({ a: 100, b: 100, c: 100 }));
        for (const { lines, places } of blocks) {
          expect(places.length).toBeGreaterThanOrEqual(2);
          expect(lines).toBe(Math.max(...places.map((place) => place.lines)));
          for (const place of places) {
            expect(place.lines).toBeGreaterThanOrEqual(MIN_LINES);
            for (let at = 0; at < place.lines; at++) {
              const line = `${place.path}:${place.startLine + at}`;
              expect(seen.has(line)).toBe(false);
              seen.add(line);
            }
          }
        }
        expect(repeatedLines(blocks)).toBe(seen.size - blocks.reduce((sum, { lines }) => sum + lines, 0));
      }),
    );
  });
});

describe("the tool's report", () => {
  const place = (name: string, start: number, end: number) => ({ name, start, end, startLoc: {} });
  const report = (name: string) => ({
    duplicates: [
      { firstFile: place("0/1.ts", 1, 10), secondFile: place(name, 1, 10), lines: 1, fragment: "x" },
    ],
  });
  const names = new Map([
    ["0/1.ts", "src/a.ts"],
    ["0/2.vue", "src/b.vue"],
  ]);

  test("names a part of a component by its file", () => {
    expect(readPairs(report("0/2.vue:typescript"), names)).toEqual([
      pair(["src/a.ts", 1, 10], ["src/b.vue", 1, 10]),
    ]);
    expect(readPairs(report("0\\2.vue"), names)).toHaveLength(1);
  });

  test("of an unknown shape, or about an unknown file, is no answer", () => {
    expect(readPairs({}, names)).toBeUndefined();
    expect(readPairs({ duplicates: [{}] }, names)).toBeUndefined();
    expect(readPairs(report("0/3.ts"), names)).toBeUndefined();
    expect(readPairs({ duplicates: [] }, names)).toStrictEqual([]);
  });
});

test("a part holds as many lines of code as it has, from its first to its last line", () => {
  const copied = file(6, [3]);
  for (const [from, to] of [
    [1, 6],
    [2, 4],
    [3, 3],
    [5, 9],
  ] as const) {
    const count = copied.count(from, to);
    expect([copied.holds(from, to, count), copied.holds(from, to, count + 1)]).toEqual([true, false]);
  }
  expect(copied.count(1, 6)).toBe(5);
});
