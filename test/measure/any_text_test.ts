/**
 * What every reader of texts and paths makes of mixtures of what it looks for, recorded: rules meet each other here as no table of single
 * rules has them. After a change that is meant, `--update-snapshots` writes them anew; the difference is to be read like code.
 */

import { test } from "bun:test";
import { functionsIn, grammarLoader, withTree } from "../../src/measure/complexity.ts";
import { COMPLEXITY_RULES, type GrammarName } from "../../src/measure/complexity_rules.ts";
import { readManifest } from "../../src/measure/dependencies.ts";
import { foreignFiles, isLibraryFile } from "../../src/measure/foreign/foreign.ts";
import type { PathAttributes } from "../../src/measure/ignore.ts";
import { LANGUAGES, languageOf } from "../../src/measure/languages.ts";
import { countLines } from "../../src/measure/lines.ts";
import { isAutoImported } from "../../src/measure/modules/auto_imports.ts";
import { pythonFacts } from "../../src/measure/modules/python_facts.ts";
import { scriptFacts } from "../../src/measure/modules/script_facts.ts";
import { readSettings } from "../../src/measure/modules/settings.ts";
import { sideFiles } from "../../src/measure/modules/unused.ts";
import { asCompiled } from "../../src/measure/reading.ts";
import { isCompared } from "../../src/measure/repeats/comparable.ts";
import { SYNTAXES, type SyntaxName } from "../../src/measure/syntax.ts";
import { folderHint, isTestFile } from "../../src/measure/test_files.ts";
import { mixtures, recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";
import { tools } from "./run.ts";

const MARKS = [
  ...Array.from("'\"`/\\#;%<>{}()$@=-*!|:~_ \t"),
  ..."\n|\n\n|a|b1|x_y|//|/*|*/|--|--[[|]]|<!--|-->|{-|-}|(*|*)|'''|\"\"\"|#|#!|=begin\n|=end\n|<<EOT\n|EOT\n|r#\"|\"#|<?php|?>|<%#|%>|{#|#}|\\\n|\\n|#if 0\n|#endif\n|#[cfg(test)]\nmod t {\n|}\n|mod t;\n|<script>|</script>|<style>|</style>|return /|@\"|dnl |rem |C \n|__END__\n|q{|%q(|s///|'a'|'\\''|'\\u{1}'|\\r\\n".split(
    "|",
  ),
];

test.each(Object.keys(SYNTAXES) as SyntaxName[])("lines of %s", (syntax) => {
  recordEach(mixtures(MARKS, 60, 24), (text) => {
    const comments: number[] = [];
    const { code, comment, testCode, head, tests, testModules } = countLines(text, syntax, comments);
    return [code, comment, testCode, head, tests.length, testModules, comments.join()];
  });
});

const CODE =
  "if (a) {|} else {|}|\n|for (x of y) |while (a) |switch (a) { case 1: case 2: break; default: }| && | || | ?? | ? b : c|function f(a) {|const g = (a) => |class A { m() {|try { } catch (e) { }|def f(a):\n  |  if a and b:\n    |return [x for x in y if z]\n|lambda: 0|elif a:\n|else:\n|match a:\n|fn f() {|match a { 1 => 2, _ => 3 }|let a = 1;|func f() {|public int f(int a) { |do { } while (a);|a?.b;|x;|(|)|:|begin|end|unless a|when 1 then 2|export |async |static |->|=>".split(
    "|",
  );
const load = grammarLoader(tools.grammars ?? []);
test.each(Object.keys(COMPLEXITY_RULES) as GrammarName[])("functions of %s", async (name) => {
  const grammar = await load(name);
  recordEach(mixtures(CODE, 25, 22), (text) =>
    withTree(grammar, text, (tree) => functionsIn(grammar, tree, () => true)),
  );
});

const IMPORTS =
  'import |export |from |"./a"|\'../b.js\'|"c"|{ a, b as c }|{ type T, default as d }|* as ns |type |d, |require("./e")|await import(`./f`)|;|\n|// |/* | */|module.exports = |exports.x = 1;|const { p, q: r } = |class K {}|function h() {}|const v = 1, w = 2;|default |enum E {}|interface I {}|jest.mock("./g")|new URL("./h.js", import.meta.url)|import.meta.main|/// <reference path="./i.d.ts" />\n|import x = require("./j");|export = k;|.jsx|<p>import</p>'.split(
    "|",
  );
test("what scripts take and give", async () => {
  const { parser } = await load("tsx");
  recordEach(mixtures(IMPORTS, 150, 12), (text) => {
    const tree = parser.parse(text);
    const facts = tree && scriptFacts(tree, text, text);
    tree?.delete();
    return facts;
  });
});

const PYTHON =
  'import a|import a.b as c, d|from . import e|from ..f import (g, h as i)|from j import *|\n|\n    |try:\n    |except ImportError:\n    |if TYPE_CHECKING:\n    |if __name__ == "__main__":\n    |def k(): pass|class L:\n    |__all__ = ["m", "n"]|importlib.import_module("o.p")|__import__("q")|# |"""|@app.route\n|x = 1|_y = 2|#!/usr/bin/env python\n|; |usage: '.split(
    "|",
  );
test("what Python takes and gives", async () => {
  const { parser } = await load("python");
  for (const isPackage of [true, false]) {
    recordEach(mixtures(PYTHON, 80, 10), (text) => {
      const tree = parser.parse(text);
      const facts = tree && pythonFacts(tree, text, isPackage);
      tree?.delete();
      return facts;
    });
  }
});

const FOLDERS =
  "src/|lib/|app/|test/|tests/|spec/|__tests__/|e2e/|vendor/|third_party/|node_modules/|dist/|build/|deps/|external/|docs/|examples/|migrations/|generated/|static/|public/|locale/|fixtures/|.storybook/|packages/a/|cmd/|internal/|components/|pages/|server/|composables/|bench/|scripts/|testdata/|mocks/|_build/|jquery/|fontawesome/".split(
    "|",
  );
const STEMS =
  "a|index|main|test|test_a|a_test|a.test|a.spec|ATest|TestA|conftest|setup|a.min|a.bundle|jquery-3.1.0|bootstrap.min|a.pb|a_pb2|a.generated|a.g|a.d|Makefile|Dockerfile|config|vite.config|manage|0001_initial|schema|parser|a-lock|LICENSE|.a|a b".split(
    "|",
  );
const EXTENSIONS = LANGUAGES.flatMap(({ extensions }) => extensions).concat(
  "",
  "json",
  "md",
  "txt",
  "toml",
  "out",
  "expected",
);
const PATHS = mixtures(FOLDERS, 600, 3).map((folders, at) => {
  const extension = EXTENSIONS[(at * 7) % EXTENSIONS.length] ?? "";
  return `${at % 5 === 0 ? "" : folders}${STEMS[(at * 11) % STEMS.length]}${extension === "" ? "" : `.${extension}`}`;
});
const FIRST_LINES =
  '#!/bin/sh\n|#!/usr/bin/env node\n|#!/usr/bin/env -S A=b python3\n|#!/usr/bin/perl -w\n|#import <a>\n|#include <vector>\n|#include "a.h"\n|namespace a {\n|class A {\n|@interface A\n|% a\n|function a()\n|use strict;\n|:- a.\n|<?xml version="1.0"?>\n|<?php\n|<!DOCTYPE TS>\n|a.o: b\n|#version 300\n|let a = 1\n|// Code generated by a. DO NOT EDIT.\n|/*! jQuery v3.1.0 | (c) */\n|# Generated by Django 4\n|/* eslint-disable */\n|<meta name="generator" content="Doxygen">\n|@generated\n|\n|x\n|test_ok\nPASS: a\n|diff -u a b\n|TESTS = a\n|install:\n|fail "no"\n|cmp a b\n'.split(
    "|",
  );
test("which files are whose and of what language", () => {
  const texts = mixtures(FIRST_LINES, PATHS.length, 3);
  const isSide = sideFiles(PATHS);
  const foreign = foreignFiles(PATHS);
  const unsaid: PathAttributes = { vendored: undefined, generated: undefined, documentation: undefined };
  const attributes = [{}, {}, {}, { vendored: false }, { generated: true }, { documentation: true }];
  recordEach(PATHS, (path) => {
    const text = texts[PATHS.indexOf(path)] ?? "";
    const bytes = new TextEncoder().encode(text);
    const of = { ...unsaid, ...attributes[PATHS.indexOf(path) % attributes.length] };
    const file = { path, bytes, text, head: text, attributes: of };
    const says = {
      test: isTestFile(path),
      compared: isCompared(path),
      side: isSide(path),
      auto: isAutoImported(path),
      vendored: foreign.isVendored(path, of),
      library: isLibraryFile(path, 90_000),
    };
    const held = Object.entries(says).flatMap(([what, holds]) => (holds ? [what] : []));
    held.push(foreign.judge(file) ?? "");
    return [languageOf(path, bytes)?.name ?? "", folderHint(path, text, () => false).says, ...held].join(" ");
  });
});

const LISTS = {
  "package.json": texts(
    '"name":"a",|"dependencies":{"b":"1","@c/d":"2"},|"devDependencies":{"b":"1","e":"3"},',
    '"workspaces":["x/*"],|"peerDependencies":{"f":"*"},',
    '"main":"./m.js","exports":{".":"./n.js","./o":{"import":"./o.mjs"}},',
    '"bin":"p.js","scripts":{"q":"node r.js"},|"optionalDependencies":{"g":"file:../g"},',
  ),
  "tsconfig.json": [
    '"compilerOptions":{"baseUrl":"./src",',
    '"paths":{"@/*":["./*"],"b":["c.ts"]}},',
    '"extends":"./base.json",',
    "// d\n",
    '"references":[{"path":"../e"}],',
    '"include":["f/**"],',
  ],
  "deno.json": [
    '"imports":{"a":"npm:b@1","c/":"./d/"},',
    '"tasks":{"e":"deno run f.ts"},',
    '"workspace":["g"],',
    '"exports":"./h.ts",',
  ],
  "setup.cfg": [
    "[metadata]\nname = a\n",
    "[options]\ninstall_requires =\n  b\n  c>1\n",
    "[options.extras_require]\nd = e\n",
    "# f\n",
    "[options.entry_points]\nconsole_scripts =\n  g = h:i\n",
  ],
  Pipfile: [
    "[packages]\na = '*'\n",
    "[dev-packages]\nb = '1'\n",
    "c = {path='.'}\n",
    "[requires]\npython_version='3'\n",
  ],
  "environment.yml": texts("name: a\n|dependencies:\n|  - b=1\n|  - pip:\n|    - c==2\n|  - python\n|# d\n"),
  "pubspec.yaml": [
    "name: a\n",
    "dependencies:\n",
    "  b: ^1\n",
    "  flutter:\n    sdk: flutter\n",
    "dev_dependencies:\n",
    "  c:\n    path: ../c\n",
  ],
  "a.csproj": texts(
    '<Project>|<PackageReference Include="A" Version="1" />',
    "<PackageReference Include='B'><Version>1</Version></PackageReference>|<!--|-->",
    '<ProjectReference Include="c" />|</Project>',
  ),
  "libs.versions.toml": [
    "[versions]\na='1'\n",
    "[libraries]\nb={module='c:d',version.ref='a'}\n",
    "e='f:g:1'\n",
    "[plugins]\nh={id='i',version='1'}\n",
    "[bundles]\nj=['b']\n",
  ],
  "vite.config.ts": [
    "export default {",
    "alias: { '@': './src', b: path.resolve(__dirname, 'c') },",
    "input: 'd.html',",
    "entry: ['./e.ts', \"src/f/*.ts\"],",
    "// g: './h.ts'\n",
    "}",
  ],
  "requirements.txt": texts(
    "a==1\n|B.b >= 2\n|# c\n|-r other.txt\n|-e ./d\n|git+https://x/e.git#egg=f\n",
    "g[h]; python_version<'3'\n| \\\n|--hash=i\n",
  ),
  "pyproject.toml": texts(
    `[project]\nname="a"\n|dependencies=["b>1","C_c"]\n|[tool.poetry]\nname='a'\n`,
    `[tool.poetry.dependencies]\npython='3'\nd='1'\n|[project.optional-dependencies]\ne=["f"]\n`,
    "[dependency-groups]\ng=['h']\n|[build-system]\nrequires=['i']\n",
  ),
  "go.mod": [
    "module a\n",
    "require b v1\n",
    "require (\n c v1\n d v2 // indirect\n)\n",
    "replace c => ../c\n",
    "// require e v1\n",
    "exclude b v1\n",
  ],
  "Cargo.toml": [
    "[package]\nname='a'\n",
    "[dependencies]\nb='1'\n",
    "c={path='../c'}\n",
    "[dev-dependencies]\nd='1'\n",
    "[workspace.dependencies]\ne='1'\n",
    "[target.'cfg(unix)'.dependencies]\nf='1'\n",
  ],
  "pom.xml": [
    "<project>",
    "<groupId>a</groupId><artifactId>b</artifactId>",
    "<dependencies><dependency><groupId>c</groupId><artifactId>d</artifactId></dependency></dependencies>",
    "<!-- <dependency> -->",
    "<dependencyManagement><dependencies></dependencies></dependencyManagement>",
    "</project>",
  ],
  "build.gradle": texts(
    `implementation 'a:b:1'\n|testImplementation("c:d:2")\n|// api 'e:f:1'\n|api project(':g')\n`,
    "implementation libs.h.i\n|dependencies {\n|}\n",
  ),
  Gemfile: ["gem 'a'\n", 'gem "b", "~> 1"\n', "# gem 'c'\n", "group :test do\n", "end\n", "gemspec\n"],
  "composer.json": [
    '"name":"a/b",',
    '"require":{"php":"8","c/d":"1","ext-e":"*"},',
    '"require-dev":{"f/g":"1"},',
  ],
  "mix.exs": ["defp deps do\n[", '{:a, "1"},', '{:b, path: "../b"},', '# {:c, "1"}\n', "]\nend\n"],
  Podfile: ["pod 'A'\n", "pod 'B/C', '1'\n", "# pod 'D'\n", "target 'E' do\n", "end\n"],
  "Package.swift": [
    '.package(url: "https://x/a.git", from: "1"),',
    '.package(path: "../b"),',
    "dependencies: [",
    "]",
    '// .package(url: "c")\n',
    'name: "d",',
  ],
} as const;
test.each(Object.keys(LISTS) as (keyof typeof LISTS)[])("packages and settings in %s", (path) => {
  const texts = mixtures(LISTS[path], 40, 7);
  const whole = path.endsWith(".json") ? texts.map((text) => `{${text}"z":0}`) : texts;
  recordEach(whole, (text) => [readManifest(path, text), readSettings(path, text)]);
});

test("what a preprocessor leaves", () => {
  const parts =
    '#if 0\n|#if A\n|#ifdef A\n|#ifndef A\n|#elif B\n|#else\n|#endif\n|int a;\n|#define A \\\n|  #  if 1\n|/* #if */\n|"#if"\n|}\n'.split(
      "|",
    );
  recordEach(mixtures(parts, 80, 14), asCompiled);
});
