/** Complexity over the files of a whole run. */
import { expect, test } from "bun:test";
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
