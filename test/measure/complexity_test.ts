import { describe, expect, test } from "bun:test";
import { cleanName, grammarLoader, measureFunctions } from "../../src/measure/complexity.ts";
import {
  COMPLEXITY_RULES,
  GRAMMAR_OF_LANGUAGE,
  type GrammarName,
  grammarsOf,
} from "../../src/measure/complexity_rules.ts";
import { LANGUAGES } from "../../src/measure/languages.ts";
import { scriptsOnly } from "../../src/measure/reading.ts";
import { tools } from "./run.ts";

const load = grammarLoader(tools.grammars ?? []);

/** Names with their complexity, in the order in which the functions end. */
async function measured(grammar: GrammarName, text: string): Promise<string[]> {
  const functions = measureFunctions(await load(grammar), text) ?? [];
  return functions.map(({ name, complexity }) => `${name} ${complexity}`);
}

const TABLE: readonly (readonly [GrammarName, string, string, readonly string[]])[] = [
  [
    "javascript",
    "branches, loops and catches",
    "function f(a) { if (a) {} else if (b) {} else {} for (;;) {} for (x of y) {} while (a) {} do {} while (a); try {} catch (e) {} finally {} }",
    ["f 8"],
  ],
  [
    "javascript",
    "operators and their assignments",
    "const f = (a) => a && b || c ?? d; function g() { a &&= 1; a ||= 1; a ??= 1; }",
    ["f 4", "g 4"],
  ],
  ["javascript", "?. and default parameters are none", "function f(a = 1) { return a?.b?.c; }", ["f 1"]],
  [
    "javascript",
    "cases but not default",
    "function f(a) { switch (a) { case 1: case 2: break; default: } return a ? 1 : 2; }",
    ["f 4"],
  ],
  [
    "javascript",
    "nested functions count on their own",
    "function f() { g(() => { if (a) {} }); if (b) {} }",
    ["g callback in f 2", "f 2"],
  ],
  [
    "typescript",
    "names come from fields, pairs and methods",
    "class A { x = () => 1; get y() { return 1 } } const o = { a: function () {}, 'b-c': () => 1, 'd e': () => 1, [d()]: () => 1 }; p.q = () => {};",
    ["x 1", "y 1", "a 1", "b-c 1", "(anonymous) 1", "(anonymous) 1", "p.q 1"],
  ],
  [
    "typescript",
    "names come through calls, and from what is called",
    "class A { x = wrap(() => 1); y = async function () { then(() => 1) } } const b = memo(one(two(() => 1))); app.get('/', async () => 1); a().then(() => 1); new P((r) => 1); export default () => 1; (() => 1)();",
    [
      "x 1",
      "then callback in y 1",
      "y 1",
      "b 1",
      "app.get callback 1",
      "then callback 1",
      "P callback 1",
      "default 1",
      "(anonymous) 1",
    ],
  ],
  ["tsx", "attributes", "const A = () => <p onClick={() => 1}/>;", ["onClick 1", "A 1"]],
  [
    "go",
    "variables and callbacks",
    'package p\nfunc F() { h := func() {}; m.Handle("/", func() {}); go func() {}() }',
    ["h 1", "m.Handle callback in F 1", "(anonymous) in F 1", "F 1"],
  ],
  ["tsx", "components", "export const A = () => <p>{a && <b/>}</p>;", ["A 2"]],
  [
    "python",
    "branches, comprehensions and boolean operators",
    "def f(a):\n  if a and b or c: pass\n  elif d: pass\n  else: pass\n  for x in y: pass\n  while a: pass\n  try: pass\n  except E: pass\n  finally: pass\n  assert a\n  return [x for x in y if x]\n",
    ["f 10"],
  ],
  [
    "python",
    "case _ is a default and a lambda is an expression",
    "def f(a):\n  match a:\n    case 1: pass\n    case _: pass\n  return lambda: 1 if a else 2\n",
    ["f 3"],
  ],
  [
    "go",
    "cases, selects and closures",
    "package p\nfunc (t T) F(a int) { if a > 1 && a < 3 {}; for range x {}; switch a { case 1: default: }; select { case <-c: default: }; func() { if a {} }() }",
    ["(anonymous) in F 2", "F 6"],
  ],
  [
    "java",
    "labels, lambdas, abstract methods",
    "abstract class A { abstract int g(); int f() { switch (x) { case 1, 2: break; default: } return switch (x) { case 1 -> a ? 1 : 2; default -> 3; }; } }",
    ["f 4"],
  ],
  [
    "c",
    "words of C++ are names, parameters may be declared behind the list",
    "int f(struct this *new, int class) { int template = class && new; return template ? 1 : 2; }\nint g(a, b) int a; char *b; { return a || b; }\nint h(int x) { return _Generic(x, int: 1, default: 2); }",
    ["f 3", "g 2", "h 1"],
  ],
  [
    "c",
    "a macro in front of a statement makes no function of it",
    "int f(int a) { QUIET_BEGIN switch (a) { case 1: case 2: return 1; } return 0; }",
    ["f 3"],
  ],
  [
    "cpp",
    "cases, references are no operators",
    "void A::f(int&& x) { switch (x) { case 1: case 2: break; default: y(); } bool b = x and y || z; for (auto i : j) {} } bool operator==(A a) { return 1; } A::~A() = default;",
    ["A::f 6", "operator== 1"],
  ],
  [
    "rust",
    "match arms but not _, no ? and no loop",
    "fn f() -> R { match x { 1 | 2 => a, _ if z => b, _ => c }; if let Some(x) = y && z {} loop {} g(|x| x || y)?; }",
    ["f 6"],
  ],
  [
    "c-sharp",
    "sections, arms, null operators",
    "class A { int F() { a ??= b ?? c; switch (x) { case 1: case 2: y(); break; default: break; } var z = x switch { 1 => 2, _ => 3 }; foreach (var i in j) {} return a?.b; } }",
    ["F 7"],
  ],
  [
    "php",
    "matches, cases and closures",
    "<?php function f() { $a ??= 1; match($x) { 1, 2 => 3, default => 4 }; if ($a) {} elseif ($b) {} foreach ($c as $d) {} switch ($x) { case 1: break; default: } $g = fn() => $a && $b; }",
    ["$g 2", "f 7"],
  ],
  [
    "ruby",
    "modifiers, rescue and operators",
    "def f\n x ||= 1\n a and b\n return if c\n begin\n d\n rescue E\n e\n end\n case x\n when 1 then 2\n else 3\n end\n y unless z\nend\ndef self.==(o) = 1\n",
    ["f 7", "== 1"],
  ],
  [
    "bash",
    "items but not *",
    "foo() { if a && b; then c; elif d; then e; fi; case $x in a) y;; *) z;; esac; for i in j; do k; done; }",
    ["foo 6"],
  ],
  [
    "powershell",
    "clauses and operators",
    "function Foo-Bar { if ($a -and $b) {} elseif ($c) {} foreach ($d in $e) {} }",
    ["Foo-Bar 5"],
  ],
];

describe("complexity rules (measure.md 3.7)", () => {
  for (const [grammar, claim, text, expected] of TABLE) {
    test(`${grammar}: ${claim}`, async () => {
      expect(await measured(grammar, text)).toEqual([...expected]);
    });
  }

  test("line and length are those of the file", async () => {
    const found = measureFunctions(await load("python"), "\n\ndef f():\n    return 1\n");
    expect(found).toEqual([{ name: "f", line: 3, complexity: 1, length: 2 }]);
  });

  test("a file with syntax errors keeps the functions that are found", async () => {
    expect(await measured("javascript", "function f() { if (a) {} }\n)))((\nfunction g() {}")).toContain(
      "f 2",
    );
  });

  test("a file that takes more steps than its budget is given up, and the next one is read", async () => {
    const grammar = await load("javascript");
    expect(measureFunctions(grammar, "f(".repeat(2_000), 10)).toBeUndefined();
    expect(await measured("javascript", "function f() {}")).toEqual(["f 1"]);
  });

  test("every grammar of the table loads and every covered language is one of the counter's", async () => {
    for (const name of Object.keys(COMPLEXITY_RULES) as GrammarName[]) await load(name);
    const known = new Set(LANGUAGES.map((language) => language.name));
    expect(Object.keys(GRAMMAR_OF_LANGUAGE).filter((language) => !known.has(language))).toEqual([]);
  });
});

describe("the grammar of a header", () => {
  const file = (path: string, name: string) => ({ path, language: { name } });
  const header = file("a.h", "C");

  test("is that of most of the project's other files of C and C++", () => {
    const c = file("a.c", "C");
    const cpp = file("a.cc", "C++");
    expect(grammarsOf([header, c, cpp, file("b.c", "C")])(header)).toBe("c");
    expect(grammarsOf([header, c, cpp, file("b.cc", "C++")])(header)).toBe("cpp");
    expect(grammarsOf([header])(header)).toBe("cpp");
    expect(grammarsOf([header, cpp])(c)).toBe("c");
  });
});

describe("single-file components", () => {
  test("scripts stay at their own lines", () => {
    const text =
      "<template>\n  <p/>\n</template>\n<script setup lang='ts'>\nconst a = 1;\n</script>\n<style>\n</style>\n";
    expect(
      scriptsOnly(text, false)
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["", "", "", "", "const a = 1;", "", "", "", ""]);
  });

  test("Astro's front matter is a script and an open script element is none", () => {
    expect(
      scriptsOnly("---\nlet a\n---\n<p/>\n<script>\nlet b", true)
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["", "let a", "", "", "", ""]);
  });
});

describe("function names carry no source text (measure.md 3.10)", () => {
  test("identifier chains, operators and command names stay", () => {
    for (const name of ["a", "a.b.c", "A::~A", "#x", "ok?", "operator==", "[]", "Foo-Bar", "$el", "été"]) {
      expect(cleanName(name)).toBe(name);
    }
  });

  test("anything else has no name", () => {
    for (const text of ["", "[a + b]", "f(x)", "a\nb", "\u0000", "x = 1;", "'; drop'", "x".repeat(2000)]) {
      expect(cleanName(text)).toBe("(anonymous)");
    }
  });

  test("a name has at most 200 characters", () => {
    expect(cleanName("x".repeat(500))).toHaveLength(200);
  });
});
