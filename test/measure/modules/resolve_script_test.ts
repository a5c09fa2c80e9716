/** What a specifier means in a file, among paths and settings. */

import { describe, expect, test } from "bun:test";
import { scriptResolver } from "../../../src/measure/modules/resolve_script.ts";
import {
  isSettings,
  type PackageSettings,
  readSettings,
  type Settings,
} from "../../../src/measure/modules/settings.ts";
import { treeOf } from "../../../src/measure/modules/unused.ts";
import { recordEach } from "../../support/mixtures.ts";
import { words } from "../../support/words.ts";

function resolve(
  from: string,
  specifier: string,
  paths: readonly string[],
  settings: Readonly<Record<string, object | string>> = {},
): readonly string[] | undefined {
  const read = new Map<string, Settings>();
  for (const [path, value] of Object.entries(settings)) {
    if (!isSettings(path)) continue;
    const found = readSettings(path, typeof value === "string" ? value : JSON.stringify(value));
    if (found !== undefined) read.set(path, found);
  }
  const tree = treeOf([...paths, ...Object.keys(settings), from]);
  return scriptResolver(tree, read).resolve(from, specifier, "all");
}

describe("a specifier of a script", () => {
  test("by its path, its extension, its folder, a query or a loader; recorded", () => {
    const paths = words(`
      index.js src/b.ts src/c/index.tsx src/d.svg src/E.vue src/twin.ts src/twin.js src/p.ios.tsx
      src/p.android.tsx
    `);
    const specifiers = words("./b ./b.js ./c .. ./d.svg?raw raw-loader!./b ./E.vue ./twin ./p ./gone");
    recordEach(specifiers, (specifier) => resolve("src/a.ts", specifier, paths)?.toSorted());
  });

  test("a package of the project's own is its source, its exports, or a file of it", () => {
    const settings = {
      "libs/kit/package.json": { name: "@x/kit" },
      "libs/ui/package.json": {
        name: "@x/ui",
        main: "dist/index.js",
        exports: { ".": "./dist/index.js", "./b/*": "./dist/b/*.js" },
      },
    };
    const paths = words(
      "libs/ui/src/index.ts libs/ui/src/b/button.tsx libs/ui/src/c.ts libs/kit/src/main.ts",
    );
    const from = "apps/web/a.ts";
    expect(resolve(from, "@x/ui", paths, settings)).toEqual(["libs/ui/src/index.ts"]);
    expect(resolve(from, "@x/kit", paths, settings)).toEqual(["libs/kit/src/main.ts"]);
    expect(resolve(from, "@x/ui/b/button", paths, settings)).toEqual(["libs/ui/src/b/button.tsx"]);
    expect(resolve(from, "@x/ui/c", paths, settings)).toEqual(["libs/ui/src/c.ts"]);
    expect(resolve(from, "@x/ui/gone", paths, settings)).toBeUndefined();
  });

  test("somebody else's package is nothing of the tree, whatever files are called", () => {
    const settings = { "package.json": { dependencies: { "date-fns": "1" } } };
    expect(resolve("src/a.ts", "date-fns/format", ["src/format.ts"], settings)).toStrictEqual([]);
    expect(resolve("src/a.ts", "node:fs", ["src/fs.ts"])).toStrictEqual([]);
    expect(resolve("src/a.ts", "https://x.example/fs.ts", ["src/x.example/fs.ts"])).toStrictEqual([]);
  });

  test.each([
    [
      "a compiler's paths, with comments",
      { "tsconfig.json": '{ // c\n"compilerOptions": { "paths": { "@/*": ["./src/*"], }, } }' },
      "@/b",
    ],
    [
      "paths of what it extends",
      {
        "tsconfig.base.json": { compilerOptions: { paths: { "~b": ["src/b.ts"] } } },
        "tsconfig.json": { extends: "./tsconfig.base" },
      },
      "~b",
    ],
    ["a base", { "tsconfig.json": { compilerOptions: { baseUrl: "src" } } }, "b"],
    [
      "a bundler's alias",
      {
        "vite.config.ts": 'export default { resolve: { alias: { "@x": path.resolve(__dirname, "./src") } } }',
      },
      "@x/b",
    ],
    [
      "a list of aliases",
      { "vite.config.ts": 'alias: [{ find: "@x", replacement: resolve(__dirname, "src") }]' },
      "@x/b",
    ],
    [
      "a test runner's mapping",
      { "jest.config.js": "moduleNameMapper: { '^@x\\/(.*)$': '<rootDir>/src/$1' }" },
      "@x/b",
    ],
    [
      "one of several on a line",
      {
        "vite.config.ts":
          "export default { resolve: { alias: { '~c': '/c', '~deep': path.resolve(__dirname, 'src'), '~e': './e' } } }",
      },
      "~deep/b",
    ],
    [
      "the second of a list on a line",
      {
        "vite.config.ts": "alias: [{ find: '~c', replacement: '/c' }, { find: '~d', replacement: r('src') }]",
      },
      "~d/b",
    ],
    [
      "a mapping in a line of a package's settings",
      {
        "package.json":
          '{"jest":{"moduleNameMapper":{"^~c$":"<rootDir>/c","^~f/(.*)$":["<rootDir>/d/$1","<rootDir>/src/$1"]}}}',
      },
      "~f/b",
    ],
    ["an alias of one file", { "vite.config.ts": 'alias: { "@x": "./src/b.ts" }' }, "@x"],
    ["a map of imports", { "import_map.json": { imports: { one: "./src/b.ts" } } }, "one"],
    ["imports of a package", { "package.json": { imports: { "#b": "./src/b.js" } } }, "#b"],
    ["a framework's alias", {}, "~/b"],
    ["the same without a slash", {}, "~b"],
    ["an alias that ends with a slash", { "vite.config.ts": 'alias: { "@x/": "./src/" }' }, "@x/b"],
    [
      "an alias of a hidden folder's settings",
      { ".storybook/vite.config.ts": 'alias: { "@x": "./src" }' },
      "@x/b",
    ],
    ["its path from the root", {}, "src/b"],
    ["its address on the site", {}, "/b"],
    ["what it is built to", {}, "../../dist/b.js"],
    ["the folder that names it as its start", { "src/package.json": { main: "./b.ts" } }, ".."],
    ["the only one of the package that ends so", { "src/package.json": {} }, "@app/b"],
    ["the only file that ends so", { "package.json": {} }, "@app/src/b"],
  ] as const)("an alias: %s", (_, settings, specifier) => {
    const known: Readonly<Record<string, object | string>> = settings;
    const own = Object.fromEntries(Object.entries(known).filter(([path]) => !path.includes("..")));
    // Where several end alike, the ending says nothing.
    const alike = "package.json" in own && specifier.startsWith("@app") ? [] : ["p/b.ts", "q/b.ts", "r/b.ts"];
    expect(resolve("src/deep/a.ts", specifier, ["src/b.ts", ...alike], own)).toEqual(["src/b.ts"]);
  });

  test("what another folder's settings map lies from that folder", () => {
    const settings = {
      "config/tsconfig.base.json": { compilerOptions: { paths: { "~b": ["./b.ts"] } } },
      "src/tsconfig.json": { extends: "../config/tsconfig.base" },
    };
    expect(resolve("src/a.ts", "~b", ["config/b.ts", "src/b.ts"], settings)).toEqual(["config/b.ts"]);
  });

  test("an alias that two patterns fit: the longer one", () => {
    const settings = {
      "tsconfig.json": { compilerOptions: { paths: { "@/*": ["./src/*"], "@/own/*": ["./own/*"] } } },
    };
    expect(resolve("src/a.ts", "@/own/b", ["src/own/b.ts", "own/b.ts"], settings)).toEqual(["own/b.ts"]);
  });

  test("settings that nest or extend each other without end", () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const settings = {
      "package.json": deep,
      "tsconfig.json": { extends: "./tsconfig.other.json" },
      "tsconfig.other.json":
        '{"extends":"./tsconfig.json","compilerOptions":{"paths":{"__proto__":["./src/b.ts"]}}}',
    };
    expect(resolve("src/a.ts", "__proto__", ["src/b.ts"], settings)).toEqual(["src/b.ts"]);
    expect(resolve("src/a.ts", "constructor", ["src/b.ts"], settings)).toBeUndefined();
    expect(resolve("src/a.ts", "./b", ["src/b.ts"], settings)).toEqual(["src/b.ts"]);
  });

  test("of one export so many targets, so deep, are taken", () => {
    const below = (depth: number): unknown => (depth === 0 ? "./b" : { in: below(depth - 1) });
    const exports = { "./wide": Array(101).fill("./b"), "./deep": below(8), "./deeper": below(9) };
    const read = readSettings("package.json", JSON.stringify({ exports })) as PackageSettings;
    expect(read.exports.map(({ targets }) => targets.length)).toEqual([100, 1, 0]);
  });
});
