/** A large project is compared in parts, and no repeated block is lost by that. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { comparePairs, LEAST_TOKENS, SharedCode } from "../../../src/measure/repeats/shared_code.ts";
import { Stage } from "../../../src/measure/texts.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { tools } from "../run.ts";

function parts(texts: readonly string[], maxBytes = 1): number[][] {
  const shared = new SharedCode();
  for (const text of texts) shared.add(new TextEncoder().encode(text));
  return shared.parts(maxBytes);
}

/** Words that stand in no other text. */
function own(name: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
}

describe("the parts of a project", () => {
  test("texts with a run of tokens of the least size in common are together, wherever it stands in them", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.constantFrom(" ", "\n", "\t  "), (before, after, space) => {
        const block = own("same", LEAST_TOKENS);
        const first = `${own("a", before)} ${block}`;
        const second = `${own("b", after)} ${block.replaceAll(" ", space)} ${own("c", before)}`;
        return Bun.deepEquals(parts([first, own("d", 300), second]), [[0, 2]]);
      }),
      { numRuns: 200 },
    );
  });

  test("a text that shares nothing is in none, one that repeats itself is", () => {
    expect(parts([own("a", 500), own("b", 500), "x ".repeat(10)])).toStrictEqual([]);
    expect(parts([`${own("a", 60)} ${own("a", 60)}`, own("b", 60)])).toEqual([[0]]);
  });

  test("many more fingerprints than a table begins with are all kept", () => {
    expect(parts([own("a", 60_000), own("b", 60_000), `${own("c", 90)} ${own("a", 60)}`])).toEqual([[0, 2]]);
  });

  test("texts that belong together stay together, others go where there is room", () => {
    const texts = ["a", "b", "c"].flatMap((name) => [own(name, 60), own(name, 60)]);
    expect(parts(texts, 1)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(parts(texts, 1_000_000)).toEqual([[0, 1, 2, 3, 4, 5]]);
  });

  test("a text of signs alone, and one that is one word, are read like others", () => {
    expect(parts(["(".repeat(1_000), "(".repeat(1_000)])).toEqual([[0, 1]]);
    expect(parts(["x".repeat(1_000_000), "x".repeat(1_000_000), ""])).toStrictEqual([]);
  });
});

test.each([
  ["ends with an error", "exit 3", "jscpd ended with code 3."],
  ["is killed", "kill -9 $$", "jscpd went over its memory, time or size limit, or broke."],
  ["writes no report", "exit 0", "jscpd wrote no report."],
])("a tool that %s leaves the repeated code unknown, and says so", async (_, script, reason) => {
  using folder = temporaryFolder();
  using stage = new Stage(folder.path);
  const program = join(folder.path, "jscpd");
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  stage.addCode("0/1.ts", "x();\n");
  const pathOf = new Map([["0/1.ts", "a.ts"]]);
  expect(await comparePairs(program, stage, pathOf, new AbortController().signal)).toBe(reason);
});

test("compared in parts or at once, a project has the same repeated code", async () => {
  if (tools.jscpd === undefined) throw new Error("jscpd is not installed");
  using folder = temporaryFolder();
  using stage = new Stage(folder.path);
  const body = (name: string) =>
    Array.from(
      { length: 12 },
      (_, i) => `  total += ${name}[${i}] * second[${i}] - third(${i}, "${i}");`,
    ).join("\n");
  const pathOf = new Map<string, string>();
  for (let index = 0; index < 40; index++) {
    const copy = `0/${index}.ts`;
    stage.addCode(copy, `function f${index}(a) {\n${body(`n${index % 15}`)}\n}\n${own(`x${index}`, 30)};\n`);
    pathOf.set(copy, `src/${index}.ts`);
  }
  const { signal } = new AbortController();
  const names = async (partBytes: number) => {
    const pairs = await comparePairs(tools.jscpd ?? "", stage, pathOf, signal, partBytes);
    if (typeof pairs === "string") throw new Error(pairs);
    return pairs
      .map(({ first, second }) =>
        [first, second]
          .map(({ path, from }) => `${path}:${from}`)
          .sort()
          .join(),
      )
      .sort();
  };
  const whole = await names(1_000_000);
  expect(whole.length).toBeGreaterThanOrEqual(25);
  expect(await names(3_000)).toEqual(whole);
});
