import { describe, expect, test } from "bun:test";
import { LANGUAGES, type Language } from "../../../src/measure/languages.ts";
import { countLines } from "../../../src/measure/lines.ts";
import { COPY_EXTENSIONS, codeOnly, copyName, IMPORTS } from "../../../src/measure/repeats/comparable.ts";
import { measureFiles } from "../run.ts";

function language(name: string): Language {
  const found = LANGUAGES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no language ${name}`);
  return found;
}

/** What is left of a text, as line numbers and code. */
function left(name: string, text: string): Record<number, string> {
  const comments: number[] = [];
  countLines(text, language(name).syntax, comments);
  const lines = codeOnly(text, comments, language(name)).split("\n");
  expect(lines).toHaveLength(text.split("\n").length);
  return Object.fromEntries(lines.flatMap((line, at) => (line.trim() === "" ? [] : [[at + 1, line.trim()]])));
}

describe("what is compared of a file", () => {
  test("comments and docstrings go, the code beside them stays at its line", () => {
    expect(left("JavaScript", "/* licence\n * text */ a();\n// b\nc(); // d\n'// e';\n")).toMatchSnapshot();
    expect(
      left(
        "Python",
        '"""Module."""\ndef f():\n    """Says\n    much.\n    """\n    return """kept"""  # why\n',
      ),
    ).toEqual({
      2: "def f():",
      6: 'return """kept"""',
    });
    expect(left("CMake", "# licence\nproject(x)\n")).toEqual({ 2: "project(x)" });
    expect(left("Vue", "<!-- a -->\n<p>b</p>\n<script>\n// c\nd();\n</script>\n")).toMatchSnapshot();
  });

  for (const [name, text, expected] of [
    [
      "TypeScript",
      'import {\n  a,\n} from "x";\nimport b from "y";\nimport "z";\nexport * from "w";\nexport { b };\nconst c = require("c");\nconst d = await import("d");\nimport.meta.x;\nexport const e = 1;\n',
      [9, 10, 11],
    ],
    [
      "Python",
      "import a, b\nfrom .c import (\n    d,\n    e,\n)\nfrom f import g, \\\n    h\nimportant = 1\nx = 1\n",
      [8, 9],
    ],
    ["Go", 'package p\n\nimport (\n\t"a"\n\tb "c"\n)\n\nfunc f() {}\n', [8]],
    ["Rust", "use a::{\n    b,\n};\npub(crate) mod c;\nmod d {\n}\n", [5, 6]],
    ["Java", "package a.b;\nimport a.C;\nclass D {}\n", [3]],
    ["C", "#include <a.h>\n#define B 1\nint c;\n", [2, 3]],
    ["C#", "using A.B;\nnamespace C;\nusing var d = e();\nusing (f()) { }\n", [3, 4]],
    ["PHP", "<?php\nnamespace A;\nuse B\\{C,\n D};\n$e = function () use ($f) { };\n", [1, 5]],
    ["Ruby", 'require "a"\nrequire_relative "b"\nrequired = 1\n', [3]],
    ["SCSS", '@use "a";\n@import "b",\n  "c";\n.d { color: red; }\n', [4]],
  ] as const) {
    test(`imports of ${name} are no code to compare`, () => {
      expect(Object.keys(left(name, text)).map(Number)).toEqual([...expected]);
    });
  }

  test("an import that never ends takes its line alone", () => {
    expect(left("Go", `import (\n${"a\n".repeat(300)}`)).toMatchObject({ 2: "a", 301: "a" });
  });

  test("the tables name languages of the counter", () => {
    const known = new Set(LANGUAGES.map(({ name }) => name));
    for (const name of [...Object.keys(IMPORTS), ...Object.keys(COPY_EXTENSIONS)])
      expect(known).toContain(name);
  });
});

test("a block is found in every language, whatever its files are called", async () => {
  const inside: Readonly<Record<string, readonly [open: string, close: string]>> = {
    Vue: ["<script>\n", "</script>\n"],
    Svelte: ["<script>\n", "</script>\n"],
    Astro: ["---\n", "---\n"],
    PHP: ["<?php\n", ""],
  };
  const files: Record<string, string> = {};
  for (const [index, { name, extensions }] of LANGUAGES.entries()) {
    const [open, close] = inside[name] ?? ["", ""];
    const lines = Array.from(
      { length: 12 },
      (_, at) => `  set${index}x${at}(value${at * 7}, "text", ${at + index}, other.name${at});\n`,
    );
    for (const copy of ["a", "b"])
      files[`${index}/${copy}.${extensions[0]}`] = `${open}${lines.join("")}${close}`;
  }
  const { report } = await measureFiles(files);
  const folders = LANGUAGES.map((_, index) => String(index));
  expect(report.measures.duplicate_blocks).toBe(folders.length);
  expect(report.measures.duplicated_lines).toBeGreaterThanOrEqual(folders.length * 12);
});

test("copies have names of their own", () => {
  expect(copyName(0, "a/b:typescript.ts", language("TypeScript"))).toBe("0/0.ts");
  expect(copyName(1_002, "a.TSX", language("TypeScript"))).toBe("1/2.tsx");
  expect(copyName(3, "Rakefile", language("Ruby"))).toBe("0/3.rb");
  expect(copyName(4, "x.h", language("C++"))).toBe("0/4.cpp");
});
