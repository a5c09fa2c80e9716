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
    expect(readPackageJson('{"dependencies": ["a"], "devDependencies": null}')?.names).toEqual([]);
    expect(readGoMod("x")).toBeUndefined();
    expect(readMix("x")).toBeUndefined();
    expect(readPom("x")).toBeUndefined();
  });

  test("lists in tests, fixtures, examples, templates and vendored folders do not count", () => {
    const lists = [
      "package.json",
      "a/go.mod",
      "requirements-dev.txt",
      "dev-requirements.in",
      "requirements/prod.txt",
      "app/setup.py",
    ];
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
      ["a/go.mod", "module x.y/a\nrequire x.y/b v1.0.0\nrequire z.w/c v1.0.0\n"],
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
    expect(read([["package.json", "{"]])).toEqual([]);
    expect(countDependencies(read([["package.json", "{}"]]))).toBe(0);
  });
});

describe("the packages of a run", () => {
  const packagesOf = async (files: Readonly<Record<string, string>>) => {
    const { report } = await measureFiles(files);
    return {
      count: report.measures.dependencies_direct,
      unmeasured: report.unmeasured?.dependencies_direct,
      note: report.notes?.dependencies_direct,
      tool: report.tools?.["dependencies"],
    };
  };

  test("included lists are read, also in a circle, and under any name", async () => {
    const found = await packagesOf({
      "requirements.txt": "-r deps/pip.list\n",
      "deps/pip.list": "-r ../requirements.txt\n-r more.txt\na\n",
      "deps/more.txt": "b\n",
    });
    expect(found).toEqual({ count: 2, unmeasured: undefined, note: undefined, tool: "codepackages 1.1.0" });
  });

  test("a list that is not in the tree is said, and makes no false zero", async () => {
    const gone = "requirements.txt includes gone.txt, which is not in the tree";
    expect(await packagesOf({ "requirements.txt": "a\n-r gone.txt\n" })).toMatchObject({
      count: 1,
      note: gone,
    });
    expect(await packagesOf({ "requirements.txt": "-r gone.txt\n" })).toMatchObject({
      unmeasured: `${gone}.`,
    });
  });

  test("three gaps are told one by one, and how many more there are", async () => {
    const includes = [1, 2, 3, 4, 5].map((place) => `-r gone${place}.txt\n`).join("");
    const { note } = await packagesOf({ "requirements.txt": `a\n${includes}` });
    expect(note?.match(/gone\d|and .*/g)).toEqual(["gone1", "gone2", "gone3", "and 2 more"]);
  });

  test("setup.py is read where it writes its packages down", async () => {
    const setup = [
      "from setuptools import setup",
      'MORE = ["c>=1"]',
      "setup(",
      '    name="x",',
      '    install_requires=["a", "b" ] + MORE,',
      '    extras_require={"dev": ("d",), "all": MORE},',
      ")",
    ].join("\n");
    expect(await packagesOf({ "setup.py": setup })).toMatchObject({ count: 4, note: undefined });
    expect(await packagesOf({ "setup.py": "from setuptools import setup\nsetup()\n" })).toMatchObject({
      unmeasured: "No package list was found.",
    });
  });

  test("setup.py that works its packages out is no number, and a note beside other lists", async () => {
    const setup = 'setup(install_requires=open("list").read().split())\n';
    const gap = "setup.py works out its packages when it is run";
    expect(await packagesOf({ "setup.py": setup })).toMatchObject({ unmeasured: `${gap}.`, tool: undefined });
    expect(await packagesOf({ "setup.py": setup, "requirements.txt": "a\n" })).toMatchObject({
      count: 1,
      note: gap,
    });
  });

  test("a resolved list by itself is no number, and adds nothing to the list it was made from", async () => {
    const resolved =
      "# This file was autogenerated by uv via the following command:\n#    uv export\na==1\n    # via own\nb==1\n    # via a\n";
    expect(await packagesOf({ "requirements.txt": resolved })).toMatchObject({
      unmeasured: "requirements.txt tells what was resolved, not what was asked for.",
    });
    const project = '[project]\nname = "own"\ndependencies = ["a"]\n';
    expect(await packagesOf({ "requirements.txt": resolved, "pyproject.toml": project })).toMatchObject({
      count: 1,
      note: undefined,
    });
  });

  test("a list without packages is a measured 0 with its tool", async () => {
    expect(await packagesOf({ "package.json": "{}" })).toMatchObject({
      count: 0,
      tool: "codepackages 1.1.0",
    });
  });
});
