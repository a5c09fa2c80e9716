import { describe, expect, test } from "bun:test";
import { countDependencies, manifestPaths, readManifest } from "../../src/measure/dependencies.ts";
import { readGradle, readPom, readProject, readVersionCatalogue } from "../../src/measure/manifest/jvm.ts";
import type { Manifest } from "../../src/measure/manifest/names.ts";
import {
  readCargo,
  readGoMod,
  readMix,
  readPackageSwift,
  readPubspec,
} from "../../src/measure/manifest/native.ts";
import { readPackageJson } from "../../src/measure/manifest/npm.ts";
import {
  readPipfile,
  readPyproject,
  readRequirements,
  readSetupCfg,
} from "../../src/measure/manifest/python.ts";
import { readComposer, readGemfile } from "../../src/measure/manifest/web.ts";

/** The lists that are what their names promise. */
function read(files: readonly (readonly [path: string, text: string])[]) {
  return files.map(([path, text]) => readManifest(path, text)).filter((manifest) => manifest !== undefined);
}

const TABLE: readonly (readonly [
  string,
  (text: string) => Manifest | undefined,
  string,
  readonly string[],
])[] = [
  [
    "package.json without peers and local packages",
    readPackageJson,
    JSON.stringify({
      dependencies: { a: "1", b: "workspace:*", c: "file:../c" },
      devDependencies: { d: "1" },
      optionalDependencies: { e: "1" },
      peerDependencies: { f: "1" },
    }),
    ["a", "d", "e"],
  ],
  [
    "requirements without options and comments",
    readRequirements,
    "# c\nDjango==5.0 # x\n-r base.txt\n--hash=1\nmy_pkg[extra]>=1 ; python_version > '3'\nZope.Interface\nurl @ https://x\n\n",
    ["django", "my-pkg", "zope-interface", "url"],
  ],
  [
    "pyproject with groups and Poetry",
    readPyproject,
    '[project]\ndependencies = ["a>=1"]\n[project.optional-dependencies]\nx = ["b"]\n[dependency-groups]\ndev = ["c", {include-group = "x"}]\n[tool.poetry.dependencies]\npython = "^3"\nd = "1"\n[tool.poetry.group.dev.dependencies]\ne = "1"\n',
    ["a", "b", "c", "d", "e"],
  ],
  ["Pipfile", readPipfile, '[packages]\na = "*"\n[dev-packages]\nb = "*"\n', ["a", "b"]],
  [
    "setup.cfg",
    readSetupCfg,
    "[metadata]\nname = x\n[options]\ninstall_requires =\n    a>=1\n    b\npackages = find:\n[options.extras_require]\ndev =\n    c\n",
    ["a", "b", "c"],
  ],
  [
    "go.mod without indirect ones",
    readGoMod,
    "module x\ngo 1.22\nrequire a.b/c v1.0.0\nrequire (\n\td.e/f v1.2.3\n\tg.h/i v0.0.1 // indirect\n)\nreplace a.b/c => ../c\n",
    ["a.b/c", "d.e/f"],
  ],
  [
    "Cargo without paths",
    readCargo,
    '[dependencies]\na = "1"\nb = { path = "../b", version = "1" }\nr = { package = "real", version = "1" }\nw = { workspace = true }\n[dev-dependencies]\nc = "1"\n[build-dependencies]\nd = "1"\n[target.\'cfg(unix)\'.dependencies]\ne = "1"\n[workspace.dependencies]\nw = "2"\n',
    ["a", "c", "d", "e", "real", "w"],
  ],
  [
    "composer without platform packages",
    readComposer,
    JSON.stringify({ require: { php: "^8", "ext-json": "*", "a/B": "1" }, "require-dev": { "c/d": "1" } }),
    ["a/b", "c/d"],
  ],
  [
    "Gemfile",
    readGemfile,
    "source 'x'\ngem \"a\", '~> 1'\n  gem('b')\n# gem 'c'\ngem 'd', path: '../d'\n",
    ["a", "b"],
  ],
  [
    "pom.xml without management and plug-ins",
    readPom,
    "<project><dependencyManagement><dependencies><dependency><groupId>m</groupId><artifactId>m</artifactId></dependency></dependencies></dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId></dependency><!-- <dependency><groupId>x</groupId><artifactId>y</artifactId></dependency> --></dependencies><build><plugins><plugin><dependencies><dependency><groupId>p</groupId><artifactId>p</artifactId></dependency></dependencies></plugin></plugins></build></project>",
    ["g:a"],
  ],
  [
    "build.gradle",
    readGradle,
    "dependencies {\n  implementation 'g:a:1'\n  testImplementation(\"g:b:2\")\n  implementation(platform(\"g:bom:1\"))\n  // api 'g:c:1'\n  implementation project(':x')\n}\n",
    ["g:a", "g:b", "g:bom"],
  ],
  [
    "a version catalogue",
    readVersionCatalogue,
    '[versions]\na = "1"\n[libraries]\na = { module = "g:a", version.ref = "a" }\nb = "g:b:1"\nc = { group = "g", name = "c" }\n',
    ["g:a", "g:b", "g:c"],
  ],
  [
    "a project file",
    readProject,
    '<Project Sdk="x"><ItemGroup><PackageReference Include="A.B" Version="1" /><!-- <PackageReference Include="C" /> --></ItemGroup></Project>',
    ["a.b"],
  ],
  [
    "pubspec without the SDK",
    readPubspec,
    "name: x\ndependencies:\n  flutter:\n    sdk: flutter\n  a: ^1.0.0\n  b:\n    path: ../b\ndev_dependencies:\n  c: any\n",
    ["a", "c"],
  ],
  [
    "mix.exs",
    readMix,
    'defmodule X do\n  defp deps do\n    [\n      {:a, "~> 1"},\n      # {:b, "1"},\n      {:c, path: "../c"},\n      {:d, "~> 1", only: :test}\n    ]\n  end\nend\n',
    ["a", "d"],
  ],
  [
    "Package.swift",
    readPackageSwift,
    'let package = Package(name: "x", dependencies: [\n .package(url: "https://x.test/A/b.git", from: "1.0.0"),\n .package(path: "../c"),\n])\n',
    ["https://x.test/a/b"],
  ],
];

describe("package lists (measure.md 3.9)", () => {
  for (const [claim, read, text, expected] of TABLE) {
    test(claim, () => {
      expect(read(text)?.names.toSorted()).toEqual(expected.toSorted());
    });
  }

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

  test("lists in tests, fixtures, examples and vendored folders do not count; setup.py is never read", () => {
    const paths = [
      "package.json",
      "a/go.mod",
      "test/package.json",
      "fixtures/a/package.json",
      "examples/package.json",
      "node_modules/a/package.json",
      "setup.py",
      "requirements-dev.txt",
      "dev-requirements.in",
      "requirements.md",
    ];
    expect(manifestPaths(paths)).toEqual([
      "package.json",
      "a/go.mod",
      "requirements-dev.txt",
      "dev-requirements.in",
    ]);
  });

  test("a package counts once for each ecosystem, and the project's own packages do not count", () => {
    const manifests = read([
      ["package.json", JSON.stringify({ name: "root", dependencies: { a: "1", leaf: "1" } })],
      ["leaf/package.json", JSON.stringify({ name: "leaf", dependencies: { a: "2" } })],
      ["requirements.txt", "a\n"],
    ]);
    expect(countDependencies(manifests)).toBe(2);
  });

  test("no list, or none that can be read, is no number", () => {
    expect(countDependencies([])).toBeUndefined();
    expect(countDependencies(read([["package.json", "{"]]))).toBeUndefined();
    expect(countDependencies(read([["package.json", "{}"]]))).toBe(0);
  });
});
