/** Each line of a text is prefixed with what it must count as: `c` code, `-` comment, ` ` blank. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countLines } from "../../src/measure/lines.ts";
import { SYNTAXES, type SyntaxName } from "../../src/measure/syntax.ts";
import { words } from "../support/words.ts";

const TABLE: readonly (readonly [SyntaxName, string, string])[] = [
  ["shell", "the line that names the program is code", "c #!/bin/sh\n- # x\nc y"],
  ["rust", "an attribute of a crate is code", "c #![allow(x)]\n- // y"],
  ["m4", "both comments of M4", "- dnl x\n- # y\nc AC_INIT([a#b])"],
  ["matlab", "a block and a line", "- %{\n- x\n- %}\n- % y\nc a = b';"],
  ["javascript", "a comment opener in a string opens nothing", "c const x = '/api/*';\nc y();\n- // z */"],
  [
    "javascript",
    "a comment opener in a pattern opens nothing",
    "c s.replace(/[/*]/g, '').replace(/\\/\\*/, '');\n- // x",
  ],
  [
    "javascript",
    "patterns that hold < and > are patterns",
    "c s.replace(/</g, '&lt;').replace(/>/g, `&gt;`);\n- /** x */",
  ],
  ["javascript", "a division is no pattern", "c const a = é / c; /* x\n- y */\nc d();"],
  [
    "javascript",
    "templates nest",
    `c const t = \`a \${\`b \${1}\nc // in the template\nc \`} c\`;\n- // out`,
  ],
  ["javascript", "JSX tags and text open nothing", "c <p>don't</p>\nc <br />\n- // x"],
  ["javascript", "blank lines inside a comment are blank", "- /* a\n    \n-  b */"],
  ["python", "a docstring is a comment", 'c def f():\n-     """One.\n  \n-     Two."""\nc     return 1'],
  [
    "python",
    "a triple-quoted value is code",
    'c x = """\nc # no comment\nc """\nc f(\nc """y\nc """)\n- # z',
  ],
  [
    "python",
    "a backslash takes the quote behind it, and two of them take none",
    'c x = """a \\\\"""\n- # b\nc y = """a \\"""\nc # c\nc """\n- # d',
  ],
  [
    "python",
    "a raw docstring is a comment, one that is used is code",
    '- r"""a\n- b"""\n- """a\nc b""".strip()',
  ],
  [
    "php",
    "comments end at the closing tag",
    "c <?php // a ?> <b>\n- <!-- c -->\nc <?php\n- # d\nc #[E]\nc ?>",
  ],
  ["php", "here-documents are code", "c <?php\nc $a = <<<EOT\nc # b\nc EOT;\n- # c"],
  [
    "html",
    "scripts and styles keep their own rules",
    "- <!-- a\n- b -->\nc <script>\n- // c\nc x = '<!--';\nc </script>\nc <style>\n- /* d */\nc // e {}\nc </style>",
  ],
  ["astro", "the front matter is a script", "c ---\n- // a\nc const b = 1;\nc ---\n- <!-- c -->"],
  [
    "rust",
    "comments nest and lifetimes are no strings",
    "- /* a /* b */ c\n- d */\nc fn f<'a>(x: &'a str) {} // e\n- // g",
  ],
  ["rust", "raw strings end with their hashes", 'c let r = r#"\nc // "no comment"\nc "#;\n- // z'],
  ["rust", "a quote that is a character opens nothing", "c let q = ['\"', '\\\"', '\\''];\n- // x"],
  ["go", "a raw string is code", "c var q = `\nc // a\nc `\n- // b"],
  ["cpp", "raw strings and digit separators", 'c auto s = R"x(\nc // )" a\nc )x"; int n = 1\'000;\n- // b'],
  ["csharp", "verbatim strings double their quotes", 'c var s = @"a "" // b\nc // c";\n- /// d'],
  ["ruby", "begin and end hold a comment", "- =begin\n- a\n- =end\nc x = <<~EOS\nc # b\nc EOS\n- # c"],
  ["perl", "documentation is a comment", "c my $n = $#a;\n- =pod\n- x\n- =cut\nc print;"],
  [
    "shell",
    "a hash opens a comment only where a word can start",
    `c echo \${#x} $# a#b\n- # c\nc cat <<EOF\nc # d\nc EOF`,
  ],
  ["lua", "long brackets", "- --[[ a\n- b ]]\nc x = [[\nc -- c\nc ]]\n- -- d"],
  ["sql", "quotes double", "c select 'it''s -- no' from t;\n- -- yes\n- /* a */"],
  ["css", "two slashes are no comment", "c a { background: url(//x) }\n- /* b */\nc // c {}"],
  ["dockerfile", "a hash opens a comment only at the start of the line", "- # a\nc RUN echo # b"],
  ["haskell", "comments nest", "- {- a {- b -} c\n- -}\nc f x' = x\n- -- d"],
  [
    "html",
    "a script of another type is none, one without an end neither, and a style of another language has its comments",
    'c <script type="text/template">\nc // a\nc </script>\nc <script src="a.js" />\nc // b\nc <style lang="scss">\n- // c\nc </style>',
  ],
  ["jinja", "template comments", "- {# a\n- b #}\nc <p>{{ c }}</p>"],
  [
    "html",
    "comments of Liquid, of Django and of Go's templates are comments, a block of Svelte is none",
    '- {%- comment -%} a\n- b {%- endcomment -%}\n- {% comment "c" %}\n- {% endcomment %}\n- {# d #}\n- {{- /* e\n- f */ -}}\nc {#if g}\nc {{ /* h */ i }}\nc {% comments #}',
  ],
  [
    "elixir",
    "documentation is a comment, any other text is code",
    '- @moduledoc """\n- a\n- """\n-   @doc ~S"""\n- # b\n- """\nc @doc false\nc @text """\nc # c\nc """\n- # d',
  ],
  ["batch", "words at the start of the line", "- REM a\n- :: b\nc echo REM c"],
];

describe("codelines (measure.md 2.1)", () => {
  for (const [syntax, claim, marked] of TABLE) {
    test(`${syntax}: ${claim}`, () => {
      const lines = marked.split("\n");
      const counted = countLines(lines.map((line) => line.slice(2)).join("\n"), syntax);
      const expected = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
      expect([counted.code, counted.comment]).toEqual([expected("c"), expected("-")]);
    });
  }

  test("any text in any syntax is counted to its end, and no line twice", () => {
    const syntaxes = Object.keys(SYNTAXES) as SyntaxName[];
    const parts = [
      "\n",
      " ",
      ...words("a ' \" ` / * # { } < > ? - = \\ ( $ r <script> </script> <?php <<EOT EOT"),
    ];
    parts.push('"""', "[[");
    fc.assert(
      fc.property(
        fc.constantFrom(...syntaxes),
        fc.array(fc.constantFrom(...parts), { maxLength: 60 }),
        (syntax, words) => {
          const text = words.join("");
          const { code, comment } = countLines(text, syntax);
          const filled = text.split("\n").filter((line) => line.trim() !== "").length;
          expect(code + comment).toBe(filled);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("Rust tests inside a file", () => {
  const rust = (...lines: readonly string[]) => countLines(`${lines.join("\n")}\n`, "rust");

  test("a test module counts apart, wherever its braces stand", () => {
    const count = rust(
      "fn own() {}",
      "",
      "#[cfg(test)]",
      "mod tests {",
      "    // with a comment",
      "    use super::*;",
      '    #[test] fn a() { let x = "}"; }',
      "    /* } */",
      "    fn b() { let y = r#\"}\"#; let z = '}'; }",
      "}",
      "fn last() {}",
    );
    expect(count).toMatchObject({ code: 2, comment: 0, testCode: 6 });
    expect(count.tests).toEqual([{ from: 3, to: 10 }]);
  });

  test("a module in a file of its own, an import and a test function end where they end", () => {
    const count = rust(
      "#[cfg(test)] mod tests;",
      "#[cfg(test)]",
      "use std::{fs, io};",
      "#[cfg(all(test, unix))]",
      "impl<T, U> Own<T, U> {",
      "}",
      "#[tokio::test]",
      "async fn waits(x: [u8; 3]) {",
      "}",
      "struct Own {",
      "    #[cfg(test)]",
      "    field: u8,",
      "}",
      "fn last() {}",
    );
    expect(count.tests).toMatchSnapshot();
    expect(count).toMatchObject({ code: 5, testCode: 9, testModules: ["tests"] });
  });

  test("what is not only for tests is code", () => {
    for (const attribute of [
      "#[cfg(not(test))]",
      '#[cfg(any(test, feature = "x"))]',
      "#[derive(Test)]",
      "// #[cfg(test)]",
    ]) {
      expect(rust(attribute, "mod a {", "    fn b() {}", "}").testCode).toBe(0);
    }
  });

  test("an item that never ends takes nothing with it", () => {
    expect(rust("#[cfg(test)]", "mod tests {", "fn a() {").testCode).toBe(0);
  });

  test("two items on one line share it", () => {
    expect(rust("#[cfg(test)] use a; #[cfg(test)] use b;").tests).toEqual([{ from: 1, to: 1 }]);
  });
});
