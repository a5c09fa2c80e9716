/** Complexity over the files of a whole run. */

import { expect, test } from "bun:test";
import { Dismissals } from "../../src/measure/ignore.ts";
import { addComplexity } from "../../src/measure/parsing.ts";
import type { SourceFile } from "../../src/measure/select.ts";
import { measureFiles } from "./run.ts";

/** A function of the given complexity. */
function branching(name: string, complexity: number): string {
  return `function ${name}(a) {\n${"  if (a) a();\n".repeat(complexity - 1)}}\n`;
}

test("a dismissed function is in no list and does not count as complex; what was measured of it stays", async () => {
  const { report } = await measureFiles({
    "a.js": branching("known", 30) + branching("new_one", 20),
    "b.js": branching("known", 16),
    ".tower-measure":
      '[[ignore]]\nkind = "complex-function"\npath = "a.js"\nname = "known"\nreason = "a table"\n',
  });
  expect(report.findings?.complexFunctions?.map(({ path, name }) => `${path} ${name}`)).toEqual([
    "a.js new_one",
    "b.js known",
  ]);
  expect(report.measures).toMatchObject({ functions: 3, complex_functions: 2, max_function_complexity: 30 });
  expect(report.dismissed).toMatchObject([{ kind: "complex-function", count: 1 }]);
});

test("five files that are not parsed are named, and with one more there is no figure", () => {
  const files = Array.from({ length: 20 }, (_, at) => ({ path: `${at}.js` }) as SourceFile);
  const functions = new Map(
    files.map(({ path }) => [path, { functions: 1, total: 2, max: 2, complex: [] }] as const),
  );
  const without = (count: number) => {
    const unread = new Map(files.slice(0, count).map(({ path }) => [path, "took too long to read"] as const));
    return addComplexity(
      { functions, facts: new Map(), settings: new Map(), unread },
      files,
      new Dismissals([]),
    );
  };
  expect(without(5)).toMatchObject({ unread: Array.from({ length: 5 }, (_, at) => ({ path: `${at}.js` })) });
  expect(without(6)).toBe("More than 5 files could not be parsed.");
});
