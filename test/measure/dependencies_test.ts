/** The lists that are what their names promise. */

import { describe, expect, test } from "bun:test";
import {
  countDependencies,
  includedPaths,
  manifestPaths,
  readManifest,
  readPom,
  readVersionCatalogue,
} from "../../src/measure/dependencies.ts";
import {
  readCargo,
  readComposer,
  readGoMod,
  readMix,
  readPackageJson,
} from "../../src/measure/manifest/native.ts";
import { readPipfile, readPyproject, readRequirements } from "../../src/measure/manifest/python.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";
import { measureFiles } from "./run.ts";

function read(files: readonly (readonly [path: string, text: string])[]) {
  return files.map(([path, text]) => readManifest(path, text)).filter((manifest) => manifest !== undefined);
}

describe("package lists (measure.md 3.9)", () => {
  test("what is not what its name promises holds nothing", () => {
    for (const read of [
      readPackageJson,
      readPyproject,
      readPipfile,
      readCargo,
      readComposer,
      readVersionCatalogue,
    ]) {
      expect(read("\u0000{[ not it")).toBeUndefined();
    }
    expect(readPackageJson("[]")).toBeUndefined();
    expect(readPackageJson('{"dependencies": ["a"], "devDependencies": null}')?.names).toStrictEqual([]);
    expect(readGoMod("x")).toBeUndefined();
    expect(readMix("x")).toBeUndefined();
    expect(readPom("x")).toBeUndefined();
  });

  test("lists in tests, fixtures, examples, templates and vendored folders do not count", () => {
    const lists = words(
      "package.json a/go.mod requirements-dev.txt dev-requirements.in requirements/prod.txt app/setup.py",
    );
    const others = words(`
      test/package.json fixtures/a/package.json examples/package.json create/template-vue/package.json
      node_modules/a/package.json requirements.md syntax_test_requirements.txt old_list_of_requirements.txt
      docs/list.txt
    `);
    expect(manifestPaths([...lists, ...others])).toEqual(lists);
  });

  test("a compiled list beside the list that it was made from is left to that one", () => {
    expect(manifestPaths(["requirements/a.in", "requirements/a.txt", "requirements/b.txt"])).toEqual([
      "requirements/a.in",
      "requirements/b.txt",
    ]);
  });

  test("includes are resolved from where the list lies, and never out of the tree", () => {
    const list = (path: string, text: string) => ({ path, manifest: readRequirements(text) });
    const has = (path: string) => ["base.txt", "deps/pip.txt"].includes(path);
    const text =
      "-r ../base.txt\n--requirement=pip.txt\n-c constraints.txt\n-r ../../etc/passwd\n-r gone.txt\n";
    expect(includedPaths(list("deps/dev.txt", text), has)).toEqual({
      paths: ["base.txt", "deps/pip.txt"],
      missing: ["../../etc/passwd", "gone.txt"],
    });
  });

  test("a package counts once for each ecosystem, and the project's own packages do not count", () => {
    const manifests = read([
      ["package.json", JSON.stringify({ name: "root", dependencies: { a: "1", leaf: "1" } })],
      ["leaf/package.json", JSON.stringify({ name: "leaf", dependencies: { a: "2" } })],
      ["requirements.txt", "a\n"],
    ]);
    expect(countDependencies(manifests)).toBe(2);
  });

  test("modules of one build are none of its packages", () => {
    const pom = (artifact: string, uses: string) =>
      `<project><parent><groupId>g</groupId><artifactId>parent</artifactId></parent><artifactId>${artifact}</artifactId><dependencies><dependency><groupId>\${project.groupId}</groupId><artifactId>${uses}</artifactId></dependency></dependencies></project>`;
    expect(
      countDependencies(
        read([
          ["a/pom.xml", pom("a", "b")],
          ["b/pom.xml", pom("b", "other")],
        ]),
      ),
    ).toBe(1);
    const go = read([
      ["a/go.mod", "module x.y/a\nrequire z.w/c v1\nrequire (\nx.y/b v1\n)\nexclude (\nq.r/s v1\n)\n"],
      ["b/go.mod", "module x.y/b\n"],
    ]);
    expect(countDependencies(go)).toBe(1);
    const gems = read([
      ["Gemfile", "gem 'own'\ngem 'a'\n"],
      ["own.gemspec", 's.name = "own"\n'],
    ]);
    expect(countDependencies(gems)).toBe(1);
  });

  test("a list that cannot be read is none", () => {
    expect(read([["package.json", "{"]])).toStrictEqual([]);
    expect(countDependencies(read([["package.json", "{}"]]))).toBe(0);
  });
});

test("what lists of each form hold, recorded", () => {
  const lists = [
    ["Cargo.toml", '[dependencies]\na = { version = "1", package = "b" }\nc = { path = "../c" }'],
    ["deno.json", '{"imports":{"a":"npm:a@18/jsx","b":"npm:@x/b/c","c":"jsr:@std/c@1","d":"./d.ts"}}'],
    ["deno.json", "{"],
    ["build.gradle", "compile group: 'g', name: 'a', version: '1'\nimplementation 'g:b:1'"],
    [
      "gradle/libs.versions.toml",
      '[libraries]\na = "g:a:1"\nb = { group = "g", name = "b" }\nc.module = "g:c"',
    ],
    ["buildSrc/src/Deps.kt", 'val a = "g:a:1.0"'],
    ["packages.config", '<packages><package id="A" /></packages>'],
    ["packages.config", "<html>"],
    ["own.gemspec", 's.name = "own"\ns.add_dependency "a"'],
    ["pyproject.toml", '[tool.poetry.group.dev.dependencies]\na = "1"\nb.path = "../b"'],
    ["pyproject.toml", '[tool.pdm.dev-dependencies]\ntest = ["a", "-e file:///b#egg=b"]'],
    ["pyproject.toml", '[tool.hatch.envs.test]\ndependencies = ["a"]\nextra-dependencies = ["b"]'],
    [
      "pyproject.toml",
      '[project]\ndependencies = ["a", "b", "c"]\n[tool.uv.sources]\nb.workspace = true\nc.path = "c"',
    ],
    ["pyproject.toml", '[tool.setuptools.dynamic]\ndependencies = { file = "a.txt" }'],
    ["setup.cfg", "[options]\ntests_require =\n  a\n  file: b.txt, c.txt\nother = d"],
    [
      "requirements.txt",
      "# This file is autogenerated by pip-compile\na==1  # via -r requirements.in\nb==1  # via a",
    ],
  ] as const;
  recordEach(lists, ([path, text]) => readManifest(path, text));
});

test("the packages of a run: what includes, gaps, setup.py and resolved lists come to, recorded", async () => {
  const setup = `from setuptools import setup
MORE = ["c>=1"]
setup(
    name="x",
    install_requires=["a", "b" ] + MORE,
    extras_require={"dev": ("d",), "all": MORE},
)`;
  const works = 'setuptools.setup(install_requires=open("list").read().split())\n';
  const resolved =
    "# This file was autogenerated by uv via the following command:\n#    uv export\na==1\n    # via own\nb==1\n    # via a\n";
  const gone = [1, 2, 3, 4, 5].map((place) => `-r gone${place}.txt\n`).join("");
  const trees: readonly Readonly<Record<string, string>>[] = [
    {
      "requirements.txt": "-r deps/pip.list\n",
      "deps/pip.list": "-r ../requirements.txt\n-r more.txt\na\n",
      "deps/more.txt": "b\n",
    },
    ...["a\n-r gone.txt\n", "-r gone.txt\n", `a\n${gone}`].map((text) => ({ "requirements.txt": text })),
    ...[setup, "from setuptools import setup\nsetup()\n", works].map((text) => ({ "setup.py": text })),
    { "setup.py": works, "requirements.txt": "a\n" },
    { "requirements.txt": resolved },
    { "requirements.txt": resolved, "pyproject.toml": '[project]\nname = "own"\ndependencies = ["a"]\n' },
    { "package.json": "{}" },
  ];
  for (const files of trees) {
    const { report } = await measureFiles(files);
    const { measures, unmeasured, notes, tools } = report;
    expect({
      files: Object.keys(files),
      count: measures.dependencies_direct,
      unmeasured: unmeasured?.dependencies_direct,
      note: notes?.dependencies_direct,
      tool: tools?.["dependencies"],
    }).toMatchSnapshot();
  }
});
