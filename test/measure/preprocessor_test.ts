/** The lines that are left, by their numbers. */

import { describe, expect, test } from "bun:test";
import { asCompiled } from "../../src/measure/reading.ts";

function left(text: string): Record<number, string> {
  const lines = asCompiled(text).split("\n");
  expect(lines).toHaveLength(text.split("\n").length);
  return Object.fromEntries(
    lines.flatMap((line, index) => (line.trim() === "" ? [] : [[index + 1, line.trim()]])),
  );
}

describe("C and C++ are read as one compilation sees them", () => {
  test("inside a function the first branch stands for all", () => {
    const text =
      "int f(int a) {\n#ifdef A\n  if (a) {\n#elif B && C\n  while (a) {\n#else\n  {\n#endif\n    g();\n  }\n}\n";
    expect(left(text)).toEqual({ 1: "int f(int a) {", 3: "if (a) {", 9: "g();", 10: "}", 11: "}" });
  });

  test("outside functions whole declarations of every branch stay", () => {
    const text =
      'extern "C" {\n#if A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n}\n';
    expect(left(text)).toEqual({
      1: 'extern "C" {',
      3: "int f(void) { return 1; }",
      5: "int f(void) { return 2; }",
      7: "}",
    });
  });

  test("branches that are half a declaration are alternatives", () => {
    const text = "#ifdef OLD\nint f(a) int a;\n#else\nint f(int a)\n#endif\n{\n}\n";
    expect(left(text)).toEqual({ 2: "int f(a) int a;", 6: "{", 7: "}" });
    expect(left("#ifdef A\nint f(int a)\n#else\nint f(long a)\n#endif\n{ }\n")).toEqual({
      2: "int f(int a)",
      6: "{ }",
    });
  });

  test("what stands below #if 0 is no code, and what stands below its #else is", () => {
    expect(
      left("#if 0\nint f() { }\n#endif\n#if 0 /* old */\nint g() {\n#else\nint h() {\n#endif\n}\n"),
    ).toEqual({
      7: "int h() {",
      9: "}",
    });
    expect(left("#if 0x10\nint f() { }\n#endif\n")).toEqual({ 2: "int f() { }" });
  });

  test("a directive begins its line", () => {
    expect(left("int a; #if 0\n  # if 0\nint b;\n#endif\nint c;\n")).toEqual({
      1: "int a; #if 0",
      5: "int c;",
    });
  });

  test("a directive runs over joined lines and over a comment that it opens", () => {
    expect(left("#define A(x) \\\n  if (x) { \\\n\n#define B 1 /* one\n  ' two */\nint a;\n")).toEqual({
      6: "int a;",
    });
  });

  test("comments, strings and characters hold no directives and no braces", () => {
    const text =
      "/*\n#if 0\n*/\nint a; // {\nchar *b = \"{\\\"\";\nchar c = '{', d = '\\'';\nauto e = R\"x(\n#if 0 {\n)x\";\n#if A\nint f() { }\n#else\nint g() { }\n#endif\n";
    expect(Object.keys(left(text))).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "11", "13"]);
  });

  test("a text without directives is the same text", () => {
    expect(asCompiled("int f(void) {\r\n}\r\n")).toBe("int f(void) {\r\n}\r\n");
  });

  test("what does not close ends with the text", () => {
    for (const text of ["#if A\n#else\n{", "#endif\n#else\n#if", "/*\n#if", 'R"x(\n', '"\\', "#\\"])
      expect(asCompiled(text).split("\n")).toHaveLength(text.split("\n").length);
  });
});
