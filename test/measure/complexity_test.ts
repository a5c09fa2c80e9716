import { describe, expect, test } from "bun:test";
import {
  cleanName,
  functionsIn,
  type Grammar,
  grammarLoader,
  withTree,
} from "../../src/measure/complexity.ts";
import {
  COMPLEXITY_RULES,
  GRAMMAR_OF_LANGUAGE,
  type GrammarName,
  grammarsOf,
} from "../../src/measure/complexity_rules.ts";
import { LANGUAGES } from "../../src/measure/languages.ts";
import { scriptsOnly } from "../../src/measure/reading.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";
import { tools } from "./run.ts";

const load = grammarLoader(tools.grammars ?? []);

function read(grammar: Grammar, text: string, budget?: number) {
  return withTree(grammar, text, (tree) => functionsIn(grammar, tree, () => true), budget);
}

/** Names with their complexity, in the order in which the functions end. */
async function measured(grammar: GrammarName, text: string): Promise<string[]> {
  const functions = read(await load(grammar), text) ?? [];
  return functions.map(({ name, complexity }) => `${name} ${complexity}`);
}

describe("complexity rules (measure.md 3.7)", () => {
  test("a file that takes more steps than its budget is given up, and the next one is read", async () => {
    const grammar = await load("javascript");
    expect(read(grammar, "f(".repeat(2_000), 10)).toBeUndefined();
    expect(await measured("javascript", "function f() { a ??= 1; b ||= 1; c &&= 1; }")).toEqual(["f 4"]);
  });

  test("every grammar of the table loads and every covered language is one of the counter's", async () => {
    for (const name of Object.keys(COMPLEXITY_RULES) as GrammarName[]) await load(name);
    const known = new Set(LANGUAGES.map((language) => language.name));
    expect(Object.keys(GRAMMAR_OF_LANGUAGE).filter((language) => !known.has(language))).toStrictEqual([]);
  });
});

test("the grammar of a header is that of most of the project's other files of C and C++", () => {
  const file = (path: string, name: string) => ({ path, language: { name } });
  const header = file("a.h", "C");
  const c = file("a.c", "C");
  const cpp = file("a.cc", "C++");
  expect(grammarsOf([header, c, cpp, file("b.c", "C")])(header)).toBe("c");
  expect(grammarsOf([header, c, cpp, file("b.cc", "C++")])(header)).toBe("cpp");
  expect(grammarsOf([header])(header)).toBe("cpp");
  expect(grammarsOf([header, cpp])(c)).toBe("c");
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

test("function names carry no source text (measure.md 3.10): chains, operators and command names stay, to 200 characters; recorded", () => {
  const names = [...words("a a.b.c A::~A #x ok? operator== [] Foo-Bar $el été"), "x".repeat(500)];
  recordEach(
    [...names, "", "[a + b]", "f(x)", "a\nb", "\u0000", "x = 1;", "'; drop'", "x".repeat(2_000)],
    cleanName,
  );
});
