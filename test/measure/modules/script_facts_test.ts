import { describe, expect, test } from "bun:test";
import { grammarLoader } from "../../../src/measure/complexity.ts";
import type { ModuleFacts } from "../../../src/measure/modules/facts.ts";
import { scriptFacts } from "../../../src/measure/modules/script_facts.ts";
import { mdxScripts, scriptsOnly } from "../../../src/measure/reading.ts";
import { tools } from "../run.ts";

const { parser } = await grammarLoader(tools.grammars ?? [])("tsx");

function factsOf(source: string, text = source): ModuleFacts {
  const tree = parser.parse(source);
  if (tree === null) throw new Error("no tree");
  try {
    return scriptFacts(tree, source, text);
  } finally {
    tree.delete();
  }
}

function imports(facts: ModuleFacts): string[] {
  return facts.imports.map(({ specifier, names }) =>
    names === "all" ? `${specifier}: all` : `${specifier}: ${names.join(" ")}`,
  );
}

describe("what a script takes of others", () => {
  test.each([
    ["names", 'import d, { a, b as c, type T } from "./x"', ["./x: default a b T"]],
    ["a namespace", 'import * as ns from "x"', ["x: all"]],
    ["a side effect", 'import "./x.css"', ["./x.css: "]],
    ["types", 'import type { T } from "./x"', ["./x: T"]],
    ["a default type", 'import type T from "./x"', ["./x: default"]],
    ["several lines and comments", 'import {\n  a, // one\n  b,\n} from "./x"', ["./x: a b"]],
    ["a dynamic import", 'const p = import(/* webpackChunkName: "p" */ "./p")', ["./p: all"]],
    ["names of a dynamic import", 'const { a } = await import("./p");', ["./p: a"]],
    ["a type by its module", 'let t: import("./t").T', ["./t: T"]],
    ["require", 'const x = require("./x")', ["./x: all"]],
    ["names of a require", 'const { a, b: c } = require("./x")\n', ["./x: a b"]],
    ["a member of a require", 'const a = require("./x").a', ["./x: a"]],
    ["an old TypeScript import", 'import x = require("./x")', ["./x: all"]],
    ["a mock", 'vi.mock("@/x")', ["@/x: all"]],
    ["a worker", 'new Worker(new URL("./w.ts", import.meta.url))', ["./w.ts: all"]],
    ["a reference", '/// <reference path="types.d.ts" />', ["./types.d.ts: all"]],
    ["a path that is put together", 'fork(path.join(__dirname, "jobs", "run.js"))', ["./jobs/run.js: all"]],
    ["a comment takes nothing", '// import a from "./a"\n/* require("./b") */', []],
    ["a text takes nothing", "const t = 'import a from \"pkg\"'", []],
    ["prose between tags takes nothing", 'const t = <p>import a from "pkg"</p>', []],
    ["a broken line hides nothing", 'const = ;\nimport { a } from "./a"', ["./a: a"]],
  ])("%s", (_, text, expected) => {
    expect(imports(factsOf(text))).toEqual(expected);
  });

  test("without a tree all but lines of comments is read", () => {
    const text = 'import { a } from "./a"\n// import b from "./b"\nconst c = require("./c")';
    expect(imports(scriptFacts(undefined, text, text))).toEqual(["./a: a", "./c: all"]);
  });

  test("a component: its scripts, their sources, and imports in its markup", () => {
    const text =
      '<script src="./s.ts"></script>\n{#await import("./L.svelte")}\n<script>import A from "./A"</script>';
    expect(imports(factsOf(scriptsOnly(text, false), text))).toEqual([
      "./s.ts: all",
      "./L.svelte: all",
      "./A: default",
      "./s.ts: all",
    ]);
  });

  test("MDX: blocks of imports, not code that is shown", () => {
    const text = mdxScripts(
      '# T\n\nimport A from "./A"\n\n```js\nimport b from "./b"\n```\n\nimport prose, no.',
    );
    expect(imports(factsOf(text))).toEqual(["./A: default"]);
  });
});

describe("files that are loaded together", () => {
  test.each([
    ["a bundler's pattern", 'import.meta.glob(["./a/*.ts", "!./a/x.ts"])', ["./a/*.ts"]],
    ["a context", 'require.context("./a", true, /x/)', ["./a/**"]],
    ["a hole in a name", `import(\`./a/\${x}.js\`)`, ["./a/*.js"]],
    ["a name that is put together", 'require("./a/" + x)', ["./a/**"]],
    ["a file beside it", 'require("./" + x)', ["./*", "./*/index.*"]],
    ["commands of a command line", 'yargs.commandDir("commands")', ["./commands/**"]],
    ["a template path", `const p = \`./a/\${x}/\${y}.js\``, ["./a/*/*.js"]],
    ["a hole without a name before it is anything", `import(\`../\${x}\`)`, []],
    [
      "a folder that is listed and loaded",
      'readdirSync(join(__dirname, "jobs")).map((one) => require(join(x, one)))',
      ["./jobs/*", "./jobs/*/index.*"],
    ],
    ["a folder that is only listed", 'readdirSync(join(__dirname, "../src"))', []],
  ])("%s", (_, text, expected) => {
    expect(factsOf(text).globs).toEqual(expected);
  });
});

describe("what a script hands out", () => {
  test.each([
    ["declarations", "export const a = 1, b = 2;\nexport function c() {}\nexport class D {}", "a1 b1 c2 D3"],
    ["patterns", "export const { a, b: c } = x;", "a1 c1"],
    ["a list", "const a = 1;\nexport { a as b };", "b2"],
    ["a default", "export default class {}", "default1"],
    ["types and enums", "export enum E {}\nexport type T = 1;\nexport interface I {}", "E1 T2 I3"],
    ["a type that its own file uses", "export type T = 1;\nexport const a: T = 1;", "a2"],
    ["CommonJS", "exports.a = 1;\nmodule.exports.b = 2;", "a1 b2"],
    ["CommonJS as a whole", "module.exports = {\n  a,\n  b: 1,\n  c() {},\n};", "a2 b3 c4"],
    ["a namespace keeps what is inside", "declare namespace N { export const a: 1 }", ""],
    ["another object's exports", "self.exports.a = 1", ""],
  ])("%s", (_, text, expected) => {
    expect(
      factsOf(text)
        .exports.map(({ name, line }) => `${name}${line}`)
        .join(" "),
    ).toBe(expected);
  });

  test("what it passes on, by name or as a whole", () => {
    const facts = factsOf(
      'export { a, b as c } from "./x";\nexport * from "./y";\nexport * as z from "./z";',
    );
    expect(facts.exports).toEqual([]);
    expect(facts.reexports).toEqual([
      {
        specifier: "./x",
        names: [
          { name: "a", as: "a" },
          { name: "b", as: "c" },
        ],
      },
      { specifier: "./y", names: "all" },
      { specifier: "./z", names: [{ name: "*", as: "z" }] },
    ]);
  });
});

test("what its own file uses as well is told apart", () => {
  const facts = factsOf("export const used = 1;\nexport const spare = used;\nexport default used;");
  expect(facts.exports.map(({ name, inside }) => [name, inside ?? false])).toEqual([
    ["used", true],
    ["spare", false],
    ["default", false],
  ]);
});

test.each([
  ["an interpreter", "#!/usr/bin/env node\nexport const a = 1", true],
  ["a guard", "export const a = 1; if (require.main === module) a()", true],
  ["files without exports", 'import { rm } from "node:fs";\nrm("x")', true],
  ["a server", 'require("ws");\nhttp.createServer(f).listen(80)', true],
  ["what only loads packages", 'import "dotenv";\nimport "@a/b";', true],
  ["what loads other files", 'import "./a.js";', false],
  ["files with exports", 'import { rm } from "node:fs";\nexport const a = () => rm("x")', false],
])("a program: %s", (_, text, expected) => {
  expect(factsOf(text).isProgram).toBe(expected);
});
