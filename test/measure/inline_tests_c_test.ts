/** The lines of the tests inside a text. */

import { describe, expect, test } from "bun:test";
import { countLines } from "../../src/measure/lines.ts";
import { measureFiles } from "./run.ts";

function tests(text: string): string[] {
  return countLines(text, "c").tests.map(({ from, to }) => `${from}-${to}`);
}

describe("tests inside a file of C", () => {
  test("stand between a condition that is called after tests and its end", () => {
    expect(tests("#ifdef LIST_TEST\n# if A\n# ifndef B\nint b;\n# endif\n# endif\n#endif\nint c;\n")).toEqual(
      ["1-7"],
    );
    expect(tests("#if defined(UNITTESTS)\nint a;\n#else\nint b;\n#endif\n#ifdef TEST_A\n#endif\n")).toEqual([
      "1-2",
      "6-7",
    ]);
  });

  test("other conditions, comments and texts begin none", () => {
    for (const line of [
      "#ifndef LIST_TEST",
      "#ifdef LATEST",
      "#ifdef NO_TESTS",
      "#ifdef HAVE_TEST_H",
      "#if defined(A_TEST) && B",
      "#if defined(A_TEST) || defined(B)",
      "// #ifdef A_TEST",
      "/*\n#ifdef A_TEST\n*/",
    ])
      expect([line, tests(`${line}\nint a;\n#endif\n`)]).toEqual([line, []]);
  });

  test("that never end are none", () => {
    expect(tests("#ifdef A_TEST\nint a;\n")).toStrictEqual([]);
  });

  test("count as tests: their lines, their functions and what they repeat", async () => {
    const lines = (of: string) =>
      Array.from({ length: 20 }, (_, at) => `  if (a) ${of}${at}(a, ${of}[${at}], c);\n`).join("");
    const tested = `#ifdef LIST_TEST\nint t(int a) {\n${lines("t")}}\n#endif\n`;
    await measureFiles({
      "a.c": `int f(int a) {\n${lines("f")}}\n${tested}`,
      "b.c": `int g(int a) {\n${lines("g")}}\n${tested}`,
    });
  });
});
