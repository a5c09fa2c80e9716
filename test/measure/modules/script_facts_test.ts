import { test } from "bun:test";
import { grammarLoader } from "../../../src/measure/complexity.ts";
import type { ModuleFacts } from "../../../src/measure/modules/facts.ts";
import { scriptFacts } from "../../../src/measure/modules/script_facts.ts";
import { mdxScripts, scriptsOnly } from "../../../src/measure/reading.ts";
import { recordEach } from "../../support/mixtures.ts";
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

test("what a script takes of others, recorded", () => {
  const texts = [
    ...['import d, { a, b as c, type T } from "./x"', 'import * as ns from "x"', 'import "./x.css"'],
    ...['import type { T } from "./x"', 'import type T from "./x"', 'import type{ T } from "./x"'],
    ...['import type from "./x"', 'import type, { a } from "./x"'],
    ...['import {\n  a, // one\n  b,\n} from "./x"', 'const p = import(/* webpackChunkName: "p" */ "./p")'],
    ...['const { a } = await import("./p");', 'let t: import("./t").T', 'const x = require("./x")'],
    ...['const { a, b: c } = require("./x")\n', 'const a = require("./x").a', 'import x = require("./x")'],
    ...['vi.mock("@/x")', 'new Worker(new URL("./w.ts", import.meta.url))'],
    ...['/// <reference path="types.d.ts" />', 'fork(path.join(__dirname, "jobs", "run.js"))'],
    'join(here, "jobs", "run.js"); join(dirname(fileURLToPath(import.meta.url)), "b.js"); [a].join("c")',
    ...['// import a from "./a"\n/* require("./b") */', "const t = 'import a from \"pkg\"'"],
    ...['const t = <p>import a from "pkg"</p>', 'const = ;\nimport { a } from "./a"'],
  ];
  recordEach(texts, (text) => factsOf(text).imports);
  // Without a tree all but lines of comments is read.
  recordEach(
    ['import { a } from "./a"\n// import b from "./b"\nconst c = require("./c")'],
    (text) => scriptFacts(undefined, text, text).imports,
  );
  recordEach(
    [
      '<script src="./s.ts"></script>\n{#await import("./L.svelte")}\n<script>import A from "./A"</script>',
      '<script>/* a</script>\n{#await import("./L.svelte")}\n<script>b */</script>',
    ],
    (component) => factsOf(scriptsOnly(component, false), component).imports,
  );
  recordEach(
    ['# T\n\nimport A from "./A"\n\n```js\nimport b from "./b"\n```\n\nimport prose, no.'],
    (mdx) => factsOf(mdxScripts(mdx)).imports,
  );
});

test("files that are loaded together, recorded", () => {
  const texts = [
    ...['import.meta.glob(["./a/*.ts", "!./a/x.ts"])', 'require.context("./a", true, /x/)'],
    ...[`import(\`./a/\${x}.js\`)`, 'require("./a/" + x)', 'require("./" + x)'],
    ...['yargs.commandDir("commands")', `const p = \`./a/\${x}/\${y}.js\``, `import(\`../\${x}\`)`],
    'readdirSync(join(__dirname, "jobs")).map((one) => require(join(x, one)))',
    ...['readdirSync(join(__dirname, "../src"))', 'autoload({ dir: join(__dirname, "plugins") })'],
  ];
  recordEach(texts, (text) => factsOf(text).globs);
});

test("what a script hands out, passes on and uses itself, recorded", () => {
  const texts = [
    "export const a = 1, b = 2;\nexport function c() {}\nexport class D {}",
    ...["export const { a, b: c } = x;", "const a = 1;\nexport { a as b };", "export default class {}"],
    "export enum E {}\nexport type T = 1;\nexport interface I {}",
    ...["export type T = 1;\nexport const a: T = 1;", "exports.a = 1;\nmodule.exports.b = 2;"],
    ...["module.exports = {\n  a,\n  b: 1,\n  c() {},\n};", "declare namespace N { export const a: 1 }"],
    "export declare const a: 1;\nexport declare function b(): void;",
    ...["self.exports.a = 1", "export const used = 1;\nexport const spare = used;\nexport default used;"],
    'export { a, b as c } from "./x";\nexport * from "./y";\nexport * as z from "./z";',
  ];
  recordEach(texts, (text) => {
    const { exports, reexports } = factsOf(text);
    return { exports, reexports };
  });
});

test("which scripts are programs, recorded", () => {
  const texts = [
    "#!/usr/bin/env node\nexport const a = 1",
    "export const a = 1; if (require.main === module) a()",
    ...['import { rm } from "node:fs";\nrm("x")', 'require("ws");\nhttp.createServer(f).listen(80)'],
    ...['import "dotenv";\nimport "@a/b";', 'import "./a.js";'],
    'import { rm } from "node:fs";\nexport const a = () => rm("x")',
  ];
  recordEach(texts, (text) => factsOf(text).isProgram);
});
