import { describe, expect, test } from "bun:test";
import { areIdle, isCompared, parameterLines, typeLines } from "../../../src/measure/repeats/comparable.ts";
import { recordEach } from "../../support/mixtures.ts";
import { words } from "../../support/words.ts";
import { measureFiles } from "../run.ts";

describe("what repeats on purpose is not compared", () => {
  test("migrations, examples and benchmarks, by their folders; recorded", () => {
    const paths = words(`
      shop/migrations/0001_initial.py db/migrate/20200101_x.rb db/old_migrations/patch1.sql
      alembic/versions/ab12.py src/main/resources/db/V1_2__users.sql Data/Migrations/1.cs docs/examples/a.c
      examples/a/main.go benchmarks/b.ts src/migrations.py src/example.ts lib/versions/a.py lib/bencher/x.rs
      a/V1.sql app/src/main/java/com/shop/samples/A.java benchmarks/src/main/kotlin/A.kt
    `);
    recordEach(paths, isCompared);
  });

  test("they are no part of the percentage, which says so", async () => {
    const code = `${Array.from({ length: 20 }, (_, at) => `set_${at}(value_${at}, other.name, ${at})`).join("\n")}\n`;
    await measureFiles({
      "a/migrations/1.py": code,
      "c.py": code,
      "d.py": `${code}x = 1\n`,
    });
    await measureFiles({ "a/migrations/1.py": code });
  });
});

describe("a block of values or prose is no finding", () => {
  const values = (text: string, language = "TypeScript") => {
    const lines = ["before();", ...text.split("\n"), "after();"];
    return areIdle(lines, language, [{ from: 2, to: lines.length - 1, isLadder: false }])[0];
  };

  test("where four lines of five are values, and not where fewer are", () => {
    expect(values(`${"  FIRST,\n".repeat(8)}run(a);\nrun(b);`)).toBe(true);
    expect(values(`${"  FIRST,\n".repeat(7)}run(a);\nrun(b);`)).toBe(false);
  });

  test("tables, constants, lists and prose are none, code is one; recorded", () => {
    const texts: readonly (readonly [text: string, language?: string])[] = [
      ['  ["af", "Afrikaans"],\n\n  { id: 1, name: "x", ok: true },\n  key: -1.5,\n  "a b": [0x1f, null],\n'],
      ["  FIRST,\n  SECOND = 2,\n  THIRD = FIRST | SECOND,\n", "C"],
      ['#ifdef A\n# define B "x"\n# define C long long\n#endif\n', "C"],
      ["\"a\" => 1,\n'b' => [2, 3],\n", "PHP"],
      [
        "Set it to the time that you expect.\n### Configuration\n* `key` - Your key, kept for others to use.\n",
        "Ruby",
      ],
      ["const a = f(1);\nif (a) return 2;\n"],
      ["  type: String,\n  required: isNeeded,\n  run() { go(); }\n"],
      ["#define MAX(a, b) ((a) > (b) ? (a) : (b))\n", "C"],
      [".a { margin: 0; }\n", "CSS"],
      ["SELECT one of the many columns there are\n", "SQL"],
    ];
    recordEach(texts, ([text, language]) => values(text, language));
  });

  test("a line that is nearly a table is refused at once", () => {
    for (const part of ["1", "1 ", "A1 ", "A1: ", "0x1 ", "a: ", "a =", "- ", "1-", "[", "NULL ", "a b c d "])
      expect(values(`${part.repeat(900 / part.length)}!`)).toBe(false);
  });
});

test("parameters that run over lines are no code, arguments are", () => {
  const lines = [
    "def f(",
    "    a: int = g(1),",
    ") -> Dict[str, int]:",
    "    return h(",
    "        a,",
    "    )",
    "class A { constructor(",
    "  private b: B,",
    ") {",
    "int i(int a,",
    "      int b)",
    "{",
    "j(k, (",
    "  l,",
    ") => {",
    'm(")",',
    "  n);",
  ];
  const found = parameterLines(lines).flatMap((is, at) => (is ? [at + 1] : []));
  expect(found).toEqual([1, 2, 3, 7, 8, 9, 10, 11, 13, 14, 15]);
});

test("types and interfaces of TypeScript end where their brackets do", () => {
  const lines = [
    "type A =",
    "  | B",
    "  | { c: D }",
    "const e = 1",
    "export interface F<G> {",
    "  (h: G): void",
    "}",
    "f()",
    "type H = I<",
    "  J",
    ">;",
    "type = 2",
  ];
  const found = typeLines(lines).flatMap((type, at) => (type ? [at + 1] : []));
  expect(found).toEqual([1, 2, 3, 5, 6, 7, 9, 10, 11]);
});

test("overloads that repeat in one file are no finding, the same type in two files is one", async () => {
  const shape = Array.from(
    { length: 12 },
    (_, at) => `    first${at}: Handler<Key${at}, Value, Other>,`,
  ).join("\n");
  const overloads = `interface A {\n  (\n${shape}\n    a: 1\n  ): void\n  (\n${shape}\n    b: 2\n  ): string\n}\n`;
  await measureFiles({ "a.ts": overloads });
  await measureFiles({
    "a.ts": `interface A {\n${shape}\n}\n`,
    "b.ts": `interface B {\n${shape}\n}\n`,
  });
});

test("a dismissed place is no copy, and a block without two others is no finding", async () => {
  const block = (from: number) =>
    `${Array.from({ length: 15 }, (_, at) => `set_${from + at}(value_${at}, other.name, ${at})`).join("\n")}\n`;
  await measureFiles({
    "a.py": block(0),
    "b.py": block(0),
    "old/c.py": block(0) + block(100),
    "d.py": block(100),
    ".tower-measure": '[[ignore]]\nkind = "duplicate"\npath = "old"\nreason = "goes away"\n',
  });
});
