import { expect, test } from "bun:test";
import { asCompiled } from "../../src/measure/reading.ts";
import { recordEach } from "../support/mixtures.ts";

test("C and C++ are read as one compilation sees them: the lines that are left, by their numbers, recorded", () => {
  const texts = [
    "int f(int a) {\n#ifdef A\n  if (a) {\n#elif B && C\n  while (a) {\n#else\n  {\n#endif\n    g();\n  }\n}\n",
    'extern "C" {\n#if A\nint f(void) { return 1; }\n#else\nint f(void) { return 2; }\n#endif\n}\n',
    "int f(void) {\n  g();\n#if A\n  while (a) { g(); }\n#else\n  if (b) { g(); }\n#endif\n}\n",
    "#ifdef OLD\nint f(a) int a;\n#else\nint f(int a)\n#endif\n{\n}\n",
    "#ifdef A\nint f(int a)\n#else\nint f(long a)\n#endif\n{ }\n",
    "#if 0\nint f() { }\n#endif\n#if 0 /* old */\nint g() {\n#else\nint h() {\n#endif\n}\n",
    ...["#if 0x10\nint f() { }\n#endif\n", "int a; #if 0\n  # if 0\nint b;\n#endif\nint c;\n"],
    "#define A(x) \\\n  if (x) { \\\n\n#define B 1 /* one\n  ' two */\nint a;\n",
    "/*\n#if 0\n*/\nint a; // {\nchar *b = \"{\\\"\";\nchar c = '{', d = '\\'';\nauto e = R\"x(\n#if 0 {\n)x\";\n#if A\nint f() { }\n#else\nint g() { }\n#endif\n",
    ...["#if A\n#else\n{", "#endif\n#else\n#if", "/*\n#if", 'R"x(\n', '"\\', "#\\"],
  ];
  recordEach(texts, (text) => {
    const lines = asCompiled(text).split("\n");
    expect(lines).toHaveLength(text.split("\n").length);
    return Object.fromEntries(
      lines.flatMap((line, at) => (line.trim() === "" ? [] : [[at + 1, line.trim()]])),
    );
  });
});

test("a text without directives is the same text", () => {
  expect(asCompiled("int f(void) {\r\n}\r\n")).toBe("int f(void) {\r\n}\r\n");
});
