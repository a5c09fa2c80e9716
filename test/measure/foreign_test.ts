/** Files that other people or programs wrote, one class of them after the other, with what looks alike and is the project's own. */

import { describe, expect, test } from "bun:test";
import { type Foreign, foreignFiles } from "../../src/measure/foreign/foreign.ts";
import type { PathAttributes } from "../../src/measure/ignore.ts";
import { languageOf } from "../../src/measure/languages.ts";
import { countLines, headOf } from "../../src/measure/lines.ts";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

const NONE: PathAttributes = { vendored: undefined, generated: undefined, documentation: undefined };

/** What a file is taken for, in a tree that holds `others` as well. */
function judged(
  path: string,
  text = "",
  { others = [], said = {} }: { others?: readonly string[]; said?: Partial<PathAttributes> } = {},
): Foreign | undefined {
  const foreign = foreignFiles([path, ...others]);
  const attributes = { ...NONE, ...said };
  if (foreign.isVendored(path, attributes)) return "vendored";
  const bytes = new TextEncoder().encode(text);
  const lines = countLines(text, languageOf(path, bytes)?.syntax ?? "javascript");
  return foreign.judge({ path, bytes, text, head: headOf(text, lines), attributes });
}

describe("other people's code", () => {
  test("by their paths, recorded", () => {
    const paths = words(`
    vendor/a.go a/third_party/b.c lib/vendored/a.py src/tool/_vendor/a.py Pods/a.m Godeps/_workspace/a.go
    lib/python3/site-packages/a.py .yarn/releases/y.cjs js/jquery-3.6.js js/jquery.nestable.js
    js/bootstrap.bundle.js css/font-awesome-4.0.3.css js/d3.v7.js a.min.css js/app-min.js x.d.mts dist/a.js gradlew
    mvnw.cmd rebar3 waf m4/libtool.m4 catch_amalgamated.cpp stb_image.h ppport.h lib/six.py build-aux/config.guess ltmain.sh install-sh m4/ax_pthread.m4 src/sqlite3.c versioneer.py
    wwwroot/css/normalize.css
    cache/a.go env/a.py testdata/a.go .vscode/a.js tools/a.c build/webpack.config.js src/distance.js
    dist/package.sh vendor src/jquery_like.py src/bootstrap.js css/bootstrap-tweaks.css src/chart.js
    static/js/video.js src/react/index.js configure
    `);
    recordEach(paths, (path) => judged(path, "x\n"));
  });

  test("by what lies beside them, or a library's banner, wherever it is and whatever it is called; recorded", () => {
    const banner = "/*!\n * Bootstrap v5.3.6 (https://getbootstrap.com/)\n * Licensed under MIT\n */\n";
    const dropdown =
      "/* ====\n * Bootstrap: dropdown.js v3.3.7\n * http://getbootstrap.com\n * Licensed\n */\nx();\n";
    const files: readonly (readonly [path: string, text: string, ...others: string[]])[] = [
      ["deps/lua/src/a.c", "", "deps/lua/COPYRIGHT"],
      ["deps/b/a.c", "", "deps/lua/LICENSE.txt"],
      ["web/vendors/a.js", "", "web/vendors/b/c.min.js"],
      ["app/deps/users.py", "x = 1\n", "LICENSE", "app/deps/__init__.py"],
      ["src/vendors/list.ts", "x()\n", "src/vendors/a/b/c/LICENSE"],
      ["css/site.css", `@charset "UTF-8";\n${banner}a{}\n`],
      ["js/drop.js", dropdown],
      ["css/own.css", "/* Copyright (c) Us. Colours for Bootstrap 4.5. */\na{}\n"],
      ["js/own.js", "// Copyright (c) 2024 Us\n// Our charts, built on chart.js 4.4.0\nx();\n"],
    ];
    recordEach(files, ([path, text, ...others]) => judged(path, text, { others }));
  });
  test("a release of any name with its licence, where files are served; recorded", () => {
    const style =
      "/*\n * # Semantic UI - 2.4.0\n * Copyright 2014 Contributors\n * Released under the MIT license\n */\na{}\n";
    const own = (line: string) => ["public/own.js", `/*\n * ${line}\n * MIT licensed\n */\nx();\n`] as const;
    const files = [
      ["site/static/plugins/site.css", style],
      ["styles/site.css", style],
      ["public/pick.js", "/**\n * @version: 3.0.3\n * @license MIT\n */\nx();\n"],
      ...["Drag and drop v1.2", "Our charts", "Based on Featherlight 1.7.14"].map(own),
      ...["GNU GPL license, version 3.0.0", "Apache 2.0.0"].map(own),
      ["public/own.js", "// Our shop 1.2.0\nx();\n"],
    ] as const;
    recordEach(files, ([path, text]) => judged(path, text));
  });

  test("a large file of a library's name where files are served, and a small one that sets it up", () => {
    expect(judged("static/js/htmx.js", "x();\n".repeat(5_000))).toBe("vendored");
    expect(judged("static/js/htmx.js", "x();\n")).toBeUndefined();
    expect(judged("src/htmx.js", "x();\n".repeat(5_000))).toBeUndefined();
  });

  test("the sources of a style library in a folder of its name", () => {
    const others = ["variables", "mixins", "carousel", "jumbotron"].map(
      (name) => `less/bootstrap/${name}.less`,
    );
    expect(judged("less/bootstrap/mixins/grid.less", "a{}\n", { others })).toBe("vendored");
    expect(judged("less/bootstrap/own.less", "a{}\n", { others: others.slice(0, 2) })).toBeUndefined();
    expect(judged("less/bootstrap/setup.php", "x\n", { others })).toBeUndefined();
  });

  test("the repository has the last word", () => {
    expect(judged("a.py", "", { said: { documentation: true } })).toBe("vendored");
    expect(judged("vendor/a.py", "", { said: { vendored: false } })).toBeUndefined();
    expect(judged("js/jquery-3.js", "", { said: { vendored: false } })).toBeUndefined();
    expect(judged("a.js", "// auto-generated", { said: { generated: false } })).toBeUndefined();
  });
});

describe("generated files", () => {
  test("by what they say of themselves, and not by what they say of others; recorded", () => {
    const files: readonly (readonly [path: string, text: string])[] = [
      ["a.go", "// Licence\n\n// Code generated by x. DO NOT EDIT.\npackage a\n"],
      ["a.py", "# @generated\nx = 1\n"],
      ["a.lua", "-- This is a machine-generated file.\nx()\n"],
      ["a.py", '"""Docs.\n\nAuto-generated by x.\n"""\n'],
      ["a.cs", "// <auto-generated />\nclass A {}\n"],
      ["a.ts", "/* eslint-disable */\n\n// This file was automatically generated by a router.\nx();\n"],
      [
        "a.ts",
        "/**\n * Copyright (c) Us.\n */\n\n// This file is generated by make.js, do not edit manually.\nx();\n",
      ],
      ["a.rb", "# DO NOT EDIT MANUALLY\n# This is an autogenerated file for types.\nx\n"],
      ["v.py", "# file generated by setuptools_scm\nx = 1\n"],
      ["a.js", "// Generated by CoffeeScript 1.12.7\nx();\n"],
      ["a.c", "/* A Bison parser, made by GNU Bison 3.8.2.  */\nint x;\n"],
      ["a.c", "/* Generated by Cython 3.0 */\nint x;\n"],
      ["a.h", "/*\n * DO NOT edit a.h by hand.\n * It is generated with this command:\n */\n"],
      ["a.php", "<?php\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n$x = 1;\n"],
      ["configure", "#! /bin/sh\n# Guess values.\n# Generated by GNU Autoconf 2.71.\nx=1\n"],
      ["parser.java", "// Generated from A.g4 by ANTLR 4.13\nclass A {}\n"],
      ["db/schema.rb", "# This file is auto-generated from the current state of the database.\nx\n"],
      ["y.tab.c", "int x;\n"],
      ["src/parser.c", '#include "tree_sitter/parser.h"\n\n#if defined(__GNUC__) || defined(__clang__)\n'],
      ["lexer.c", '#line 2 "lexer.c"\n\n#define YY 1\n/* A lexical scanner generated by flex */\n'],
      ["a.js", 'var x = 1;\nvar Module = typeof Module !== "undefined" ? Module : {};\n'],
      ["a.js", "/******/ (() => { // webpackBootstrap\n"],
      ["ui.py", "# Form implementation generated from reading ui file 'a.ui'\nx = 1\n"],
      ["a.designer.cs", ""],
      ["made_pb2.py", ""],
      ...words(
        "routes.gen.ts a.pb.go a.pb.swift a_pb.js a.freezed.dart a.vb a.Designer.vb a.feature.cs a.g.i.cs a.generated.rs lex.yy.c parse.tab.h",
      ).map((path) => [path, ""] as const),
      ["api/index.html", "<!DOCTYPE HTML>\n<html>\n<head>\n<!-- Generated by javadoc (17) -->\n"],
      ["docs/index.html", '<html><head><meta name="generator" content="Doxygen 1.9.4"/>\n'],
      [
        "docs/api.html",
        `<html>\n${"<p>a</p>\n".repeat(9)}<footer>Shop API documentation generated by <a>x</a></footer>\n`,
      ],
      ["docs/saved.html", "<!DOCTYPE html>\n<!-- saved from url=(0014)about:internet -->\n<html>\n"],
      // What a file says of other files, or an editor of a method, and what people go on with.
      ["a.ts", "const header = /@generated/;\n"],
      ["a.mjs", "x();\n// This file is auto-generated from a.\n"],
      ["A.java", "package a;\n\nclass A {\n  // TODO Auto-generated method stub\n}\n"],
      ["A.java", "package a;\n\n@Entity\nclass A {\n  @GeneratedValue\n  int id;\n}\n"],
      ["a.py", '"""Sums up the reports generated by the service."""\nx = 1\n'],
      ["a.html.j2", "<!-- This file is auto-generated from a template. -->\n<p>x</p>\n"],
      [
        "a.py",
        '"""Checks the code generated by the compiler.\n\nDo not modify the list: it is shared."""\nx = 1\n',
      ],
      [
        "a.ts",
        "/**\n * Reads bundles that were\n * generated by webpack, and schemas created by GraphQL.\n */\nx();\n",
      ],
      ["A.swift", "//  Created by Ada on 1.2.24. Do not change the order of the cases.\nlet x = 1\n"],
      ["conf.py", "# Note that not all values are present in this\n# autogenerated file.\nx = 1\n"],
      [
        "settings.py",
        '"""\nSettings.\n\nGenerated by \'django-admin startproject\' using Django 5.\n"""\nx = 1\n',
      ],
      ["migrations/0001_initial.py", "# Generated by Django 4.2 on 2024-01-01 10:00\nimport x\n"],
      ["spec_helper.rb", "# This file was generated by the `rails generate rspec:install` command.\nx\n"],
      ["page.html", '<html><head><meta name="generator" content="{{ generator }}">\n'],
    ];
    recordEach(files, ([path, text]) => judged(path, text));
  });

  test("what a compiler wrote beside its source", () => {
    const styles = "a { color: red }\n".repeat(200);
    expect(judged("css/a.css", styles, { others: ["css/a.scss"] })).toBe("generated");
    expect(judged("css/a.css", styles, { others: ["scss/a.scss"] })).toBe("generated");
    expect(judged("css/a.css", styles, { others: ["css/b.scss"] })).toBeUndefined();
    expect(judged("css/a.css", "a{}", { others: ["css/a.scss"] })).toBe("generated");
    expect(judged("a.js", "x();\n//# sourceMappingURL=a.js.map\n")).toBe("generated");
    const compiled = '"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n';
    expect(judged("a.js", compiled, { others: ["a.ts"] })).toBe("generated");
    expect(judged("a.js", compiled)).toBeUndefined();
    expect(judged("a.js", "x();\n", { others: ["a.ts"] })).toBeUndefined();
  });

  test("a large file of nothing but values is data, and so is a page of nothing but rows", () => {
    const rows = (row: string) => `const TABLE = [\n${row.repeat(1_200)}];\n`;
    expect(judged("a.js", rows('  { code: "a", value: [1, 0x2, null] },\n'))).toBe("generated");
    expect(judged("a.py", `TABLE = {\n${'    1: "a",\n'.repeat(1_200)}}\n`)).toBe("generated");
    const nested = "  'AD' =>\n  array (\n    'name' => 'A', // as it was\n    'now' => true,\n  ),\n";
    expect(judged("data/regions.php", `<?php\n\nreturn array (\n${nested.repeat(300)});\n`)).toBe(
      "generated",
    );
    expect(judged("a.js", rows('  { code: "a", make: () => thing(1) },\n'))).toBeUndefined();
    expect(judged("a.js", rows('  { code: "a", make: thing // (1)\n },\n'))).toBeUndefined();
    expect(judged("a.js", `const TABLE = [\n${"  1,\n".repeat(900)}];\n`)).toBeUndefined();
    expect(judged("a.c", `enum x {\n${"  NAME,\n".repeat(1_200)}};\n`)).toBeUndefined();
    expect(judged("a.html", `<table>\n${"<tr><td>1</td></tr>\n".repeat(1_200)}</table>\n`)).toBe("generated");
    expect(judged("a.html", "<p>Words.</p>\n".repeat(1_200))).toBeUndefined();
    const icons = Array.from(
      { length: 100 },
      (_, at) => `.i-${at}:before {\n  content: "\\e${900 + at}";\n}\n`,
    );
    expect(judged("css/icons.css", icons.join(""))).toBe("generated");
    expect(judged("css/icons.css", `${icons.slice(0, 20).join("")}`)).toBeUndefined();
  });

  test("texts of one language are a translation: its name in the path, and nothing but keys with texts", () => {
    const rows = "    'a_key' => 'A text',\n    'b' => array(\n        'c' => \"It's\",\n    ),\n";
    const table = `<?php\n\nreturn [\n/*\n${"| Words\n".repeat(5)}*/\n${rows.repeat(9)}];\n`;
    for (const path of [
      "lang/en/auth.php",
      "lang/pt-BR/admin/users.php",
      "lang/de.php",
      "app/lang-fr_FR.php",
    ])
      expect(judged(path, table)).toBe("translation");
    const assigned = "<?php\n$_['a'] = 'A text';\n$_['b']['c'] = 'B';\ndefine('D', 'E');\n";
    expect(judged("language/en-gb/a.php", assigned)).toBe("translation");
    expect(judged("locales/de.ts", 'export default {\n  a: "A",\n  b: "B",\n};\n')).toBe("translation");
    for (const path of ["config/auth.php", "js/ff/page/a.php", "src/a-to-id.php", "db/a.php"])
      expect(judged(path, table)).toBeUndefined();
    expect(judged("lang/en/a.php", table.replaceAll("'A text'", "text('a', $b)"))).toBeUndefined();
  });

  test("text that is made to be slow to read is judged like any other", () => {
    for (const line of ['\\"'.repeat(600), "a ".repeat(600), "(((".repeat(300), "$a-".repeat(300)]) {
      expect(judged("a.js", `x = y\n${line.slice(0, 150)}\n`.repeat(1_100))).toBeUndefined();
      expect(judged("a.py", `# generated ${line}\n\n\n`.repeat(800))).toBeUndefined();
      expect(judged("static/a.js", `/* MIT\n${line}\n*/x = y\n`)).toBeUndefined();
      expect(judged("lang/en/a.php", `x = y\n${line}\n`.repeat(1_100))).toBeUndefined();
    }
  });
});

describe("documents", () => {
  const prose = `<p>${"Words of a <em>manual</em> for people. ".repeat(10)}</p>\n`.repeat(30);
  const page = (body: string) =>
    `<!DOCTYPE html>\n<html><head><title>x</title></head><body>\n${body}</body></html>\n`;

  test("a page that is mostly prose is a document, like a text in Markdown", () => {
    expect(judged("site/guide.html", page(prose))).toBe("document");
    expect(judged("site/guide.html", page(prose), { said: { documentation: false } })).toBeUndefined();
  });

  test("a template, a part of a page and a page that is mostly elements are code", () => {
    expect(judged("faq.html", page(`${prose}<p>{{ user.name }}</p>`))).toBeUndefined();
    expect(judged("faq.html", page(`${prose}{% include "x" %}`))).toBeUndefined();
    expect(judged("faq.html", prose)).toBeUndefined();
    expect(judged("faq.html", page(`${prose}${"<p>Short.</p>\n".repeat(1_000)}`))).toBeUndefined();
    expect(judged("app.html", page('<button class="own">Press</button>\n'.repeat(500)))).toBeUndefined();
    expect(judged("app.html", page(`<script>${"call(one, two);\n".repeat(900)}</script>`))).toBeUndefined();
  });

  test("markup that never closes is read once", () => {
    for (const open of ["<script ", "<!-- ", "<", "<p>", "</", "<style>"]) {
      expect(judged("a.html", `<html>${`${open.repeat(20)}\n`.repeat(400)}`)).toBeUndefined();
    }
  });
});

test("long lines are squeezed in scripts, style sheets and pages only, from 2 KB on", () => {
  const line = `var a = "${"x".repeat(3000)}";\n`;
  expect(judged("a.js", line)).toBe("minified");
  expect(judged("a.html", line)).toBe("minified");
  expect(judged("a.ts", line)).toBeUndefined();
  expect(judged("a.css", "a{}".repeat(300))).toBeUndefined();
});
