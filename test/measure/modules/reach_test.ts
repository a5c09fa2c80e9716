import { describe, expect, test } from "bun:test";
import { autoImportWords, searchWords } from "../../../src/measure/modules/auto_imports.ts";
import { Effort, type ModuleFacts } from "../../../src/measure/modules/facts.ts";
import { buildGraph, moduleFinder, unusedExports } from "../../../src/measure/modules/graph.ts";
import { loadedByFolder, reach, treeOf } from "../../../src/measure/modules/unused.ts";
import { recordEach } from "../../support/mixtures.ts";
import { texts, words } from "../../support/words.ts";

const isFound = (pattern: string, path: string) => moduleFinder([path], new Effort())(pattern).length === 1;

describe("what is reached", () => {
  const edges = new Map([
    ["main", ["a"]],
    ["x", ["y"]],
    ["y", ["x"]],
    ["plugin", ["helper"]],
  ]);

  test("what a root imports; two files that import each other stay alone", () => {
    expect([...reach(["main"], edges).reached].sort()).toEqual(["a", "main"]);
  });

  test("a file that a reached one names is a root, and what it imports is reached", () => {
    const named = new Map([["a", ["plugin"]]]);
    const naming = { namedBy: (path: string) => named.get(path) ?? [], always: [] };
    const found = reach(["main"], edges, naming);
    expect([...found.reached].sort()).toEqual(["a", "helper", "main", "plugin"]);
    expect([...found.roots].sort()).toEqual(["main", "plugin"]);
  });

  test("a mention by an unreached file saves nothing", () => {
    const naming = { namedBy: (path: string) => (path === "x" ? ["plugin"] : []), always: [] };
    expect(reach(["main"], edges, naming).reached.has("plugin")).toBe(false);
  });
});

test("a pattern of files is meant beside the file that holds it", () => {
  const nothing: ModuleFacts = { imports: [], reexports: [], exports: [], globs: [], isProgram: false };
  const facts = new Map([
    ["src/main.js", { ...nothing, globs: ["./pages/*.js"] }],
    ["src/pages/near.js", nothing],
    ["pages/far.js", nothing],
  ]);
  const graph = buildGraph(facts, () => () => undefined, treeOf([...facts.keys()]));
  expect(graph.edges.get("src/main.js")).toEqual(["src/pages/near.js"]);
});

test.each<[string, string, "" | "not"]>([
  ["./pages/*.js", "lib/deep/pages/a.js", ""],
  ["../pages/*.js", "lib/pages/a.js", ""],
  ["pages/*.js", "lib/pages/a.js", ""],
  ["/pages/*.js", "pages/a.js", ""],
  ["/pages/*.js", "src/pages/a.js", ""],
  ["/pages/*.js", "app/pages/a.js", ""],
  ["@/pages/*.js", "app/pages/a.js", ""],
  ["/pages/*.js", "other/pages/a.js", "not"],
])("the pattern %s of lib/deep/main.js means %s %s", (pattern, file, not) => {
  const nothing: ModuleFacts = { imports: [], reexports: [], exports: [], globs: [], isProgram: false };
  const facts = new Map([
    ["lib/deep/main.js", { ...nothing, globs: [pattern] }],
    [file, nothing],
  ]);
  const graph = buildGraph(facts, () => () => undefined, treeOf([...facts.keys()]));
  expect(graph.edges.get("lib/deep/main.js") ?? []).toEqual(not === "" ? [file] : []);
});

test("a component is named by its folders and its name up to the first dot", () => {
  const found = autoImportWords("app/components/base/ListItem.lazy.client.vue", undefined);
  expect(found).toEqual(
    expect.arrayContaining(["BaseListItem", "ListItem", "LazyListItem", "base-list-item"]),
  );
  expect(found.filter((word) => /item-?lazy/i.test(word))).toStrictEqual([]);
  expect(autoImportWords("components/card/index.vue", undefined)).toContain("Card");
  expect(autoImportWords("composables/use-cart.ts", undefined)).toEqual(["useCart", "use-cart"]);
  // What its folder ends with is said once.
  expect(autoImportWords("components/form/field/FieldInput.vue", undefined)).toContain("FormFieldInput");
});

describe("exports that nobody takes", () => {
  const exporting = (...names: string[]): ModuleFacts => ({
    imports: [],
    reexports: [],
    exports: names.map((name, index) => ({ name, line: index + 1 })),
    globs: [],
    isProgram: false,
  });
  const nobody = () => false;
  const input = {
    facts: new Map([
      ["lib", exporting("a", "b", "c")],
      ["barrel", exporting()],
      ["dead", exporting("d")],
    ]),
    links: new Map([["main", [{ to: ["barrel"], names: ["b2"] }]]]),
    passedOn: new Map([
      ["barrel", { star: ["lib"], named: new Map([["b2", [{ file: "lib", name: "b" }]]]) }],
    ]),
    reached: new Set(["main", "barrel", "lib"]),
    open: new Set<string>(),
  };
  const names = (change: Partial<typeof input>, isTaken = nobody) =>
    unusedExports({ ...input, ...change }, input.facts.keys(), isTaken).map(
      ({ name, line }) => `${name}${line}`,
    );

  test("a name is taken through whoever passes it on, by its own name there; a dead file lists none", () => {
    expect(names({})).toEqual(["a1", "c3"]);
  });

  test("a whole module, or an entry point that passes it on, takes everything", () => {
    expect(names({ links: new Map([["main", [{ to: ["lib"], names: "all" as const }]]]) as never })).toEqual(
      [],
    );
    expect(names({ open: new Set(["barrel"]) })).toStrictEqual([]);
  });

  test("what an unreached file takes does not count, what is known otherwise does", () => {
    const links = new Map([["dead", [{ to: ["lib"], names: ["a"] }]]]);
    expect(names({ links }, (...[, name]: readonly string[]) => name === "c")).toEqual(["a1", "b2"]);
  });
});

describe("a folder that a program loads", () => {
  const isTest = (path: string) => path.endsWith("_test.ts");
  const many = (count: number, name: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => name(i));
  const folders = (
    dead: readonly string[],
    used: readonly string[],
    edges: Readonly<Record<string, readonly string[]>> = {},
  ) => [
    ...loadedByFolder(
      [...dead, ...used],
      new Map(Object.entries(edges)),
      new Set(["main.ts", "a_test.ts", ...used]),
      isTest,
    ),
  ];
  const commands = many(5, (i) => `src/commands/c${i}.ts`);

  test("five files and nothing of the folder is imported but by tests", () => {
    expect(folders(commands, [])).toEqual([["src/commands", commands]]);
    expect(folders(commands, ["src/commands/used.ts"], { "a_test.ts": ["src/commands/used.ts"] })).toEqual([
      ["src/commands", commands],
    ]);
  });

  test("a tree whose files import each other is a program of its own, by its topmost folder", () => {
    const agent = words(
      "agent/main.ts agent/lib/a.ts agent/lib/b.ts agent/channels/c.ts agent/channels/d.ts",
    );
    const found = folders(
      agent.map((path) => `layers/x/${path}`),
      ["layers/x/used.ts"],
      {
        "main.ts": ["layers/x/used.ts"],
        "layers/x/agent/main.ts": ["layers/x/agent/lib/a.ts", "layers/x/agent/channels/c.ts"],
      },
    );
    expect(found.map(([folder]) => folder)).toEqual(["layers/x/agent"]);
  });

  test("a rare one that is imported does not change that", () => {
    const plugins = many(20, (i) => `plugins/p${i}/p${i}.ts`);
    const inside = ["plugins/part.ts", "plugins/other.ts", "plugins/third.ts", "plugins/fourth.ts"];
    const edges = { "main.ts": ["plugins/base.ts"], "plugins/base.ts": inside };
    expect(folders(plugins, ["plugins/base.ts", ...inside], edges)).toEqual([["plugins", plugins]]);
  });

  test("where others import siblings, in a folder of few files, and in the folder of all sources they are dead", () => {
    expect(
      folders(commands, ["src/commands/used.ts"], { "main.ts": ["src/commands/used.ts"] }),
    ).toStrictEqual([]);
    expect(folders(["src/lib/helpers/a.ts", "src/lib/helpers/b.ts"], ["src/lib/c.ts"])).toStrictEqual([]);
    expect(
      folders(
        many(5, (i) => `src/c${i}.ts`),
        [],
      ),
    ).toStrictEqual([]);
  });
});

describe("words of auto-imports", () => {
  const isHeld = (word: string, path: string, text: string) => {
    const search = searchWords([word]);
    search.read(path, text);
    return search.heldBy(path).length > 0;
  };

  test("in markup, in prose, called, of something else, of its own; recorded", () => {
    const held = texts(
      "FooBar a.vue <FooBar />|foo-bar a.vue <foo-bar>|FooBar a.md ::FooBar|useFoo a.vue const x = useFoo()",
      "format README.md the format of|format a.ts date.format()|format a.ts function format() {}\nformat()",
      "size a.ts const rest = total-size",
    );
    recordEach(held, (one) => {
      const [word = "", path = "", ...text] = one.split(" ");
      return isHeld(word, path, text.join(" "));
    });
  });
});

test("which paths a pattern means, recorded", () => {
  const pairs = texts(
    "src/*.ts src/a.ts|src/*.ts src/a/b.ts|src/**/*.{ts,tsx} src/a/b/c.tsx|src/**/*.ts src/a.ts|a/** a/b/c",
    "[id]/*.vue x/y.vue",
  );
  recordEach(pairs, (pair) => {
    const [pattern = "", path = ""] = pair.split(" ");
    return isFound(pattern, path);
  });
});

test("a pattern of stars only costs what it is long", () => {
  const pattern = `${"*a".repeat(100)}b/${"**/".repeat(50)}x`;
  expect(isFound(pattern, `${"a".repeat(250)}/${"y/".repeat(120)}z`)).toBe(false);
});
