/**
 * Reading is linear: four times the text takes about four times the work. Work is the processor time of this process, the lesser of
 * two runs; what is quadratic takes sixteen times as much, and seconds to hours for the larger text.
 */

import { describe, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/measure/languages.ts";
import { countLines } from "../../src/measure/lines.ts";
import {
  readBuildSource,
  readGradle,
  readPackagesConfig,
  readPom,
  readProject,
  readVersionCatalogue,
} from "../../src/measure/manifest/jvm.ts";
import {
  readCargo,
  readComposer,
  readGemfile,
  readGemspec,
  readGoMod,
  readMix,
  readPackageJson,
  readPackageSwift,
  readPodfile,
  readPubspec,
} from "../../src/measure/manifest/native.ts";
import {
  readEnvironment,
  readPipfile,
  readPyproject,
  readRequirements,
  readSetupCfg,
} from "../../src/measure/manifest/python.ts";
import { searchMentions } from "../../src/measure/modules/unused.ts";
import { asCompiled } from "../../src/measure/preprocessor.ts";
import { CopiedFile } from "../../src/measure/repeats/copied_files.ts";
import { findBlocks, repeatedLines } from "../../src/measure/repeats/duplication.ts";
import { codeOnly } from "../../src/measure/repeats/imports.ts";
import { scriptsOnly } from "../../src/measure/script_parts.ts";
import type { SyntaxName } from "../../src/measure/syntax.ts";

const LARGE = 256 * 1024;

function work(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 2; i++) {
    const { user, system } = process.cpuUsage();
    run();
    const spent = process.cpuUsage();
    least = Math.min(least, spent.user + spent.system - user - system);
    // Far below any quadratic reader of the larger text: nothing is left to find out.
    if (least < 20_000) break;
  }
  return least / 1000;
}

/** The generous bound: ten times the work for four times the text, and what a busy machine adds. */
function expectLinear(read: (size: number) => void): void {
  const large = work(() => read(LARGE));
  if (large < 20) return;
  expect(large).toBeLessThan(work(() => read(LARGE / 4)) * 10 + 20);
}

/** A start, then one pattern as often as it fits, then an end. */
type Worst = readonly [start: string, pattern: string, end?: string];

function fill([start, pattern, end = ""]: Worst, size: number): string {
  return start + pattern.repeat(Math.floor(size / pattern.length)) + end;
}

const MANIFESTS: readonly (readonly [
  name: string,
  read: (text: string) => unknown,
  worst: readonly Worst[],
])[] = [
  [
    "package.json",
    readPackageJson,
    [
      ["", "["],
      ['{"dependencies":', '{"a":'],
    ],
  ],
  [
    "composer.json",
    readComposer,
    [
      ["", "["],
      ['{"require":{', '"a/b":"1",', '"c/d":"1"}}'],
    ],
  ],
  [
    "pom.xml",
    readPom,
    [
      ["<project>", "<!--"],
      ["<project>", "<plugins>"],
      ["<project>", "<exclusions></plugins>"],
      ["<project>", "<dependency>"],
      ["<project><dependency><groupId>", " ", "</dependency>"],
      ["<project><dependency>", "<groupId>", "</dependency>"],
      ["<project><dependency><groupId>", "a:", "\n</groupId><artifactId>b</artifactId></dependency>"],
    ],
  ],
  [
    "build.gradle",
    readGradle,
    [
      ["", "\n", "x"],
      ["", "/*"],
      ["", "//\n"],
      ["a", " ", '"b:c'],
      ["", "a(", "'b:c'"],
      ["api platform(", "\n", "x"],
      ["", "a 'b:c:\n"],
      ["a '", "b.", "c"],
      ["", "group: 'a', name"],
      ["", " group"],
    ],
  ],
  [
    "buildSrc",
    readBuildSource,
    [
      ["", '"a:'],
      ['"', "a."],
      ["", "a:a:a"],
    ],
  ],
  ["packages.config", readPackagesConfig, [["<packages>", "<package "]]],
  [
    "*.gemspec",
    readGemspec,
    [
      ["", "s.add_dependency "],
      ["s.add_dependency", " "],
      ["", "s.name = '"],
    ],
  ],
  [
    "Podfile",
    readPodfile,
    [
      ["pod", " "],
      ["", "pod 'a"],
    ],
  ],
  [
    "environment.yml",
    readEnvironment,
    [
      ["dependencies:\n", "  - a::\n"],
      ["dependencies: ", "["],
    ],
  ],
  [
    "*.csproj",
    readProject,
    [
      ["<Project>", "<PackageReference "],
      ["<Project>", '<PackageReference Include="'],
      ["<Project>", "<!--"],
    ],
  ],
  [
    "mix.exs",
    readMix,
    [
      ["", "defp deps do "],
      ["", "defp deps do\n"],
      ["", "\n", "#"],
      ["defp deps do", "\n", "x"],
      ["defp deps do\n", "{:a,", "\nend"],
      ["defp deps do\n", "{:a, path: ", "\nend"],
      ["def", " ", "deps"],
    ],
  ],
  [
    "Package.swift",
    readPackageSwift,
    [
      ["Package(", ".package("],
      ["Package(", '.package(url: "'],
      ["Package(", "\n", "x"],
      ["Package(.package(url:", " "],
    ],
  ],
  [
    "Gemfile",
    readGemfile,
    [
      ["", "\n", "x"],
      ["gem", " ", "x"],
      ["gem (", " ", "x"],
      ["", "gem 'a\n"],
      ["", "gem 'a', path:"],
    ],
  ],
  [
    "go.mod",
    readGoMod,
    [
      ["module a\nrequire ", "a", " b"],
      ["module a\n", "/"],
      ["module a\nrequire (\n", "a ", ")"],
    ],
  ],
  [
    "requirements.txt",
    readRequirements,
    [
      ["", " #a", "\r\n"],
      ["a", ".", "!"],
      ["", "a-", "!"],
      ["a", " ", "x"],
      ["", "-r \n"],
      ["", "a\\\n"],
      ["git+", "/a", "!"],
      ["git+/", "a.", "!"],
      ["https://", "/a-1", "!"],
      ["git+/a", "@/b", "!"],
      ["# autogenerated by uv\na\n", "# via ", "x"],
      ["# autogenerated by uv\na\n# via ", "a", "x"],
    ],
  ],
  [
    "setup.cfg",
    readSetupCfg,
    [
      ["a =", " ", "x\ry"],
      ["[", "]", "x"],
      ["", "a.", "b"],
    ],
  ],
  [
    "pubspec.yaml",
    readPubspec,
    [
      ["a: ", "["],
      ["", "- "],
      ["a: ", "{a: "],
      ["", "? "],
    ],
  ],
];

describe("the readers of package lists are linear on their worst texts", () => {
  for (const [name, read, worst] of MANIFESTS) {
    test(name, () => {
      for (const one of worst) expectLinear((size) => read(fill(one, size)));
    });
  }

  test("a TOML list of more keys than one has is refused before it is parsed", () => {
    const keys = Array.from({ length: LARGE / 8 }, (_, i) => `k${i} = 1\n`).join("");
    for (const read of [readCargo, readPyproject, readPipfile, readVersionCatalogue]) {
      expect(() => read(keys)).toThrow("too many keys");
      expect(() => read("[a.b]\n".repeat(LARGE / 6))).toThrow("too many keys");
      expectLinear((size) => read(`a = "${"x".repeat(size)}"`));
      expectLinear((size) => read(`a${".a".repeat(size / 2)} = 1`));
    }
  });
});

const LINES: readonly (readonly [SyntaxName, Worst])[] = [
  ["html", ["", "<script>/*</script>"]],
  ["html", ["", "<script>//</script>"]],
  ["html", ["", "<style>/*</style>"]],
  ["html", ["", "<style "]],
  ["html", ["", "<script>"]],
  ["astro", ["---\n", "<script>'</script>"]],
  ["php", ["<?php ", "#["]],
  ["php", ["", "<?php //?>"]],
  ["php", ["<?php ", "<<<A\n"]],
  ["javascript", ["", "`${"]],
  ["javascript", ["", "(["]],
  ["javascript", ["", "'\\\n"]],
  ["python", ["", "'''"]],
  ["rust", ["", "/*"]],
  ["rust", ["", 'r#"']],
  ["cpp", ["", 'R"x(']],
  ["shell", ["", "<<A\n"]],
  ["ruby", ["", "<<~A "]],
  ["perl", ["", "=a\n"]],
  ["lua", ["--[", "="]],
  ["lua", ["", "[=["]],
  ["haml", ["", " -#"]],
];

describe("the line counter is linear on its worst texts", () => {
  for (const [syntax, worst] of LINES) {
    test(`${syntax}: ${JSON.stringify(worst[1])}`, () => {
      expectLinear((size) => countLines(fill(worst, size), syntax));
    });
  }
});

const DIRECTIVES: readonly Worst[] = [
  ["", "#if A\n{\n"],
  ["", "#if A\n#else\n", "#endif\n"],
  ["", 'R"a('],
  ["", "/*/"],
  ["", "#\\\n"],
  ["#if", " ", "0"],
];

test("the branches of C are chosen in one pass", () => {
  for (const worst of DIRECTIVES) expectLinear((size) => asCompiled(fill(worst, size)));
});

test("what is compared of a file is copied in one pass", () => {
  for (const [name, worst] of [
    ["JavaScript", ["", "/*a*/"]],
    ["JavaScript", ["", "import {\n"]],
    ["JavaScript", ["const", " ", "x"]],
    ["Python", ["", "from a import (\n"]],
    ["Rust", ["pub(", "a", ")"]],
  ] as const satisfies readonly (readonly [string, Worst])[]) {
    const language = LANGUAGES.find((one) => one.name === name);
    if (language === undefined) throw new Error(`no language ${name}`);
    expectLinear((size) => {
      const comments: number[] = [];
      const text = fill(worst, size);
      countLines(text, language.syntax, comments);
      codeOnly(text, comments, language);
    });
  }
});

test("the scripts of a component are found in one pass", () => {
  expectLinear((size) => scriptsOnly(fill(["", "<script>"], size), false));
  expectLinear((size) => scriptsOnly(fill(["", "<script></script>"], size), true));
});

test("copies that overlap by the thousand are added up by their spans", () => {
  expectLinear((size) => {
    const count = size / 128;
    const pairs = Array.from({ length: count }, (_, i) => ({
      first: { path: "a.js", from: i + 2, to: 900_000 },
      second: { path: i % 2 === 0 ? "a.js" : "b.js", from: i + 1, to: 900_000 },
    }));
    const copy = new TextEncoder().encode("x\n".repeat(900_000));
    const files = new Map([...["a.js", "b.js"].map((path) => [path, new CopiedFile(copy)] as const)]);
    const blocks = findBlocks(pairs, files);
    expect(blocks).toHaveLength(1);
    expect(repeatedLines(blocks)).toBe(899_998);
  });
});

test("files of one name that are named again and again are settled once", () => {
  expectLinear((size) => {
    const paths = Array.from({ length: size / 64 }, (_, i) => `a${i}/lib/job.js`);
    const search = searchMentions(paths, paths, new Set());
    search.read("b.js", "lib/job.js ".repeat(size / 8));
    search.read("c.js", `${".".repeat(199)}x `.repeat(size / 200));
    expect(search.takeNamedBy("b.js")).toHaveLength(paths.length);
  });
});
