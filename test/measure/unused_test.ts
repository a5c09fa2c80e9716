import { expect, test } from "bun:test";
import { measureFiles } from "./run.ts";

test("a planted orphan is found, an orphan that a text names is not", async () => {
  const files = {
    "package.json": JSON.stringify({
      name: "p",
      main: "src/index.js",
      exports: { "./*": "./dist/parts/*.js" },
    }),
    "src/index.js": 'import "./used.js";\n',
    "src/parts/published.js": "export const part = 1;\n",
    "src/used.js": "export const spare = 1;\n",
    "src/forgotten.js": "export function f() {}\n",
    "src/scheduled.js": "export function g() {}\n",
    crontab: "0 4 * * * node src/scheduled.js\n",
  };
  const { report: measured } = await measureFiles(files);
  expect(measured.measures.unused_files).toBe(1);
  expect(measured.measures.unused_exports).toBe(1);
  expect(measured.findings?.unused?.[0]).toEqual({ kind: "file", path: "src/forgotten.js" });
});

test("of folders that are taken to be loaded whole, five are named", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c", "d", "e", "f"].flatMap((folder) =>
      ["one", "two", "three", "four", "five"].map((name) => [
        `plugins-${folder}/${folder}${name}.js`,
        `const ${folder}${name} = 1;\nglobalThis.x = ${folder}${name};\n`,
      ]),
    ),
  );
  const { report: measured } = await measureFiles({
    "package.json": JSON.stringify({ name: "p", main: "src/index.js" }),
    "src/index.js": "globalThis.y = 1;\n",
    ...files,
  });
  const said = measured.notes?.unused_files ?? "";
  expect(said.match(/5 files of plugins-[a-f] are taken to be loaded by their folder/g)).toHaveLength(5);
});

test("a Django project: what it loads by name is used, what nothing names is not", async () => {
  const { report: measured } = await measureFiles({
    "manage.py": 'import os\nos.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"\n',
    "shop/__init__.py": "",
    "shop/settings.py": 'MIDDLEWARE = ["shop.locks.Middleware"]\n',
    "shop/locks.py": "class Middleware:\n    pass\n",
    "shop/apps.py": "from django.apps import AppConfig\n",
    "shop/migrations/0001_initial.py": "from shop.fields import Money\n",
    "shop/fields.py": "class Money:\n    pass\n",
    "shop/templatetags/prices.py": "from shop.utils import date\n",
    "shop/utils/__init__.py": "",
    "shop/utils/date.py": "def today():\n    return 1\n",
    "shop/utils/format.py": "def price(x):\n    return x\n",
    "shop/price_tags.py": "from .old_fields import Money\n",
    "shop/old_fields.py": "class Money:\n    pass\nX = 1\n",
    "shop/sums_test.py": "from shop.sums import add\n",
    "shop/sums.py": "def add(a, b):\n    return a + b\n",
    "CHANGELOG.md": "shop/utils/format.py is new\n",
  });
  expect(measured.findings?.unused).toMatchSnapshot();
  expect(measured.measures.unused_exports).toBeUndefined();
  expect(measured.unmeasured?.unused_exports).toBe("Only JavaScript and TypeScript are covered.");
});

test("an export may be called by any text, and keeps the contract", async () => {
  const names = ["\u001b[31mred", "", "\u{1d4b3}".repeat(150), "\u2028", "a\u202eb"];
  const { report: measured } = await measureFiles({
    "package.json": JSON.stringify({ name: "p", main: "src/index.js" }),
    "src/index.js": 'import "./names.js";\n',
    "src/names.js": `${names.map((name, i) => `const v${i} = 1;\nexport { v${i} as "${name}" };\n`).join("")}export const ${"\u{20000}a".repeat(101)} = 1;\n`,
  });
  const found = measured.findings?.unused ?? [];
  expect(found.map(({ line }) => line)).toContain(2);
  expect(found.filter(({ name }) => !/^[\p{L}\p{N}[\]\ufffd]*$/u.test(name ?? ""))).toStrictEqual([]);
});

test("an unused export is a value that nothing names: types and values of their own file's use are listed apart", async () => {
  const { report: measured, account } = await measureFiles({
    "package.json": JSON.stringify({ name: "p", main: "src/index.ts" }),
    "src/index.ts": 'import { start } from "./names.ts";\nstart();\n',
    "src/names.ts": [
      "export const dead = 1;",
      "export const limit = 2;",
      "export type Spare = string;",
      "const register = (value: object) => value;",
      "export const undo = register({});",
      "export const start = () => limit;\n",
    ].join("\n"),
  });
  expect(measured.measures.unused_exports).toBe(1);
  expect(measured.findings?.unused).toEqual([
    { kind: "export", path: "src/names.ts", name: "dead", line: 1 },
  ]);
  expect(measured.notes?.unused_exports).toBe(
    "not counted: 2 exports that only their own files use, 1 unused type",
  );
  expect(account.unused.map(({ kind, name }) => `${kind} ${name}`)).toMatchSnapshot();
});

test("exports are counted of scripts alone: components leave them unmeasured, or are not of the covered files", async () => {
  const components = {
    "src/App.vue": '<script>\nimport B from "./B.vue";\nexport default {};\n</script>\n',
    "src/B.vue": "<script>\nexport const spare = 1;\nexport default {};\n</script>\n",
    "main.py": "import os\n",
  };
  const { report: without } = await measureFiles(components);
  expect(without.measures.unused_exports).toBeUndefined();
  expect(without.unmeasured?.unused_exports).toBe("Only JavaScript and TypeScript are covered.");
  const { report: beside } = await measureFiles({
    ...components,
    "src/main.js": 'import "./App.vue";\n',
  });
  expect(beside.measures.unused_exports).toBe(0);
  expect(beside.notes?.unused_exports).toBe("of 1 covered files");
});
