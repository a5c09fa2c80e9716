/** Complexity over the files of a whole run. */

import { expect, test } from "bun:test";
import { complexityStep } from "../../src/measure/examine.ts";
import { noFigures } from "../../src/measure/figures.ts";
import { Dismissals } from "../../src/measure/ignore.ts";
import { parseFiles } from "../../src/measure/parsing.ts";
import type { SourceFile } from "../../src/measure/select.ts";
import type { StepContext } from "../../src/measure/steps.ts";
import { measureFiles } from "./run.ts";

/** A function of the given complexity. */
function branching(name: string, complexity: number): string {
  return `function ${name}(a) {\n${"  if (a) a();\n".repeat(complexity - 1)}}\n`;
}

test("a dismissed function is in no list and does not count as complex; what was measured of it stays", async () => {
  await measureFiles({
    "a.js": branching("known", 30) + branching("new_one", 20),
    "b.js": branching("known", 16),
    ".tower-measure":
      '[[ignore]]\nkind = "complex-function"\npath = "a.js"\nname = "known"\nreason = "a table"\n',
  });
});

test("languages without a grammar are named where they hold a tenth of the code, and alone they leave no figure", async () => {
  const kotlin = "fun a() = 1\n".repeat(50);
  const { report: both } = await measureFiles({
    "a.kt": kotlin,
    "b.js": branching("b", 448),
    "c.dart": "f();\n",
  });
  expect(both.notes?.functions).toBe("no function of these is counted: Kotlin (1 file)");
  const { report: one } = await measureFiles({
    "a.kt": kotlin,
    "b.js": branching("b", 2),
    "c.html": "<p>\n",
  });
  expect(one.unmeasured?.functions).toBe("The complexity tool does not cover Kotlin (1 file).");
  const { report: other } = await measureFiles({ "a.html": "<p>\n".repeat(50), "b.js": branching("b", 2) });
  expect(other.measures.functions).toBe(1);
  expect(other.notes?.functions).toBeUndefined();
});

test("five files that are not parsed are named, and with one more there is no figure; twenty are waited for", async () => {
  const sources = Array.from(
    { length: 22 },
    (_, at) =>
      ({
        path: `${at}.js`,
        language: { name: "JavaScript" },
        lines: { code: 1, tests: [] },
        test: false,
        inPaths: true,
      }) as unknown as SourceFile,
  );
  const functions = new Map(
    sources.map(({ path }) => [path, { functions: 1, total: 2, max: 2, complex: [] }] as const),
  );
  const without = async (count: number) => {
    const unread = new Set(sources.slice(0, count).map(({ path }) => path));
    const figures = noFigures();
    const context = { figures, tools: {}, selection: { sources }, dismissals: new Dismissals([]) };
    const parsed = { functions, facts: new Map(), settings: new Map(), unread };
    await complexityStep(context as unknown as StepContext, Promise.resolve(parsed));
    return figures.notes.functions ?? figures.unmeasured.functions;
  };
  expect(await without(5)).toBe("5 files not parsed: 0.js, 1.js, 2.js, 3.js, 4.js");
  expect(await without(6)).toBe("More than 5 files could not be parsed.");
  const unreadOf = async (count: number) => {
    const selection = { sources, staged: sources.map(({ path }) => path) };
    const readAll = async function* () {
      for (const at of sources.keys()) yield at < count ? undefined : { kind: "source" };
    };
    const tools = { reader: { readAll }, grammars: [], onFile: () => undefined };
    const given = [selection, { placeOf: () => ({}) }, tools] as unknown as Parameters<typeof parseFiles>;
    const parsed = await parseFiles(...given);
    return typeof parsed === "string" ? parsed : parsed.unread.size;
  };
  expect([await unreadOf(20), await unreadOf(21)]).toEqual([20, "More than 20 files could not be parsed."]);
});
