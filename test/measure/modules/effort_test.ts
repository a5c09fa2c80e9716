/** A tree of small files that name each other in many ways costs no more than a large one. */

import { describe, expect, test } from "bun:test";
import { Effort, type ModuleFacts, TooMuchError } from "../../../src/measure/modules/facts.ts";
import { moduleFinder } from "../../../src/measure/modules/graph.ts";
import { scriptResolver } from "../../../src/measure/modules/resolve_script.ts";
import { readSettings, type Settings } from "../../../src/measure/modules/settings.ts";
import { findUnused, treeOf } from "../../../src/measure/modules/unused.ts";

const NOTHING: ModuleFacts = { imports: [], reexports: [], exports: [], globs: [], isProgram: false };
const TOO_MUCH = "The files name each other in too many ways to follow them all.";
const COUNT = 2_000;

function unusedOf(change: (index: number) => Partial<ModuleFacts>) {
  const facts = new Map(
    Array.from({ length: COUNT }, (_, i) => [`src/f${i}.ts`, { ...NOTHING, ...change(i) }] as const),
  );
  const paths = [...facts.keys()];
  return findUnused({
    paths,
    facts,
    settings: new Map([["package.json", readSettings("package.json", '{"main":"src/f0.ts"}') as Settings]]),
    own: new Set(paths),
    isTest: () => false,
    eachText: async () => undefined,
  });
}

describe("what the search may cost is bounded", () => {
  test("many names that pass through a long chain of files", async () => {
    const names = Array.from({ length: COUNT }, (_, i) => `n${i}`);
    const found = await unusedOf((i) =>
      i === 0
        ? { imports: [{ specifier: "./f1", names }] }
        : { reexports: [{ specifier: `./f${i + 1}`, names: "all" }] },
    );
    expect(found).toBe(TOO_MUCH);
  });

  test("files that each load all files", async () => {
    expect(await unusedOf(() => ({ globs: ["/src/**/*"] }))).toBe(TOO_MUCH);
  });

  test("packages of one name, for each that asks for it", () => {
    const paths = Array.from({ length: 100 }, (_, i) => `p${i}/package.json`);
    const settings = new Map(
      paths.map((path) => [path, readSettings(path, '{"name":"x","exports":"./a.js"}') as Settings]),
    );
    const { resolve } = scriptResolver(treeOf(paths), settings, new Effort(1e6, 1_000));
    expect(() => paths.map((path) => resolve(path, "x", "all"))).toThrow(TooMuchError);
  });

  test.each([
    ["vite.config.js", `export default {\n${'"@a": "./a",\n'.repeat(400)}}`],
    ["package.json", `{"imports":{${Array.from({ length: 400 }, (_, i) => `"#${i}/*":"./a/*"`).join()}}}`],
    [
      "tsconfig.json",
      `{"compilerOptions":{"paths":{${Array.from({ length: 400 }, (_, i) => `"@${i}":["a"]`).join()}}}}`,
    ],
  ])("mappings of a %s, for each name that they could mean", (path, text) => {
    const settings = new Map([[path, readSettings(path, text) as Settings]]);
    const { resolve } = scriptResolver(treeOf(["a.js"]), settings, new Effort(10_000));
    const ask = () => Array.from({ length: 50 }, (_, i) => resolve("a.js", `#q${i}`, "all"));
    expect(ask).toThrow(TooMuchError);
  });

  test("compilers' settings that extend each other", () => {
    const count = 20;
    const settings = new Map(
      Array.from({ length: count }, (_, i) => {
        const path = `p${i}/tsconfig.json`;
        const paths = Object.fromEntries(Array.from({ length: 50 }, (__, j) => [`@${j}`, ["a"]]));
        const text = JSON.stringify({
          extends: `../p${(i + 1) % count}/tsconfig.json`,
          compilerOptions: { paths },
        });
        return [path, readSettings(path, text) as Settings] as const;
      }),
    );
    const tree = treeOf([...settings.keys()]);
    expect(() => scriptResolver(tree, settings, new Effort(1e6, 10_000))).toThrow(TooMuchError);
  });

  test("every path that a pattern is compared with", () => {
    const modules = Array.from({ length: 100 }, (_, at) => `${at}${"a".repeat(300)}`);
    const find = moduleFinder(modules, new Effort(10_000));
    expect(() => find("{*a,*aa}*b")).toThrow(TooMuchError);
  });
});
