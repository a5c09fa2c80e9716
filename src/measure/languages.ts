/**
 * Languages by extension, file name and interpreter: the programming and markup types of GitHub's Linguist, and SQL.
 * Data and prose (JSON, YAML, TOML, XML, Markdown, text) are no languages here.
 */

import { words } from "../base/text.ts";
import type { SyntaxName } from "./syntax.ts";

// Extensions that two languages share: which of them a file is in shows at the start of some line.

/** How a language of this extension is known; the first that fits is taken, and `undefined` is no language. */
interface Choice {
  /** Found in the start of the text; without one the choice is what is left. */
  readonly shows?: RegExp;
  readonly language: string | undefined;
}

const OBJECTIVE_C = /^[ \t]*(?:#import\b|@(?:interface|implementation|protocol|property|class|end)\b)/m;

/** What only C++ has, as it opens a line. */
const CPP =
  /^[ \t]*(?:namespace\b|template[ \t]*<|class[ \t]+\w+[ \t]*(?:final[ \t]*)?(?:[:{]|$)|using[ \t]+(?:namespace\b|\w+[ \t]*=|[\w:]+;)|(?:public|private|protected)[ \t]*:|constexpr\b)/m;
const CPP_INCLUDE = /^[ \t]*#[ \t]*include[ \t]*<[a-z_]+>/m;

export const AMBIGUOUS: Readonly<Record<string, readonly Choice[]>> = {
  h: [
    { shows: OBJECTIVE_C, language: "Objective-C" },
    { shows: CPP, language: "C++" },
    // Written for both, with a part for the other.
    { shows: /\b__cplusplus\b/, language: "C" },
    { shows: CPP_INCLUDE, language: "C++" },
    { language: "C" },
  ],
  m: [
    {
      shows:
        /^[ \t]*(?:[#@](?:import|include|interface|implementation|protocol|end|class|define)\b|\/\/|\/\*)/m,
      language: "Objective-C",
    },
    { shows: /^[ \t]*(?:%|function\b|classdef\b|end\b)/m, language: "MATLAB" },
    { language: "Objective-C" },
  ],
  pl: [
    { shows: /^#!.*\bperl|^[ \t]*(?:use|my|our|sub|package|require)\b/m, language: "Perl" },
    { shows: /^[ \t]*:-|^[a-z]\w*(?:\([^\n]{0,500}\))?[ \t]*:-/m, language: "Prolog" },
    { language: "Perl" },
  ],
  t: [
    { shows: /^#!.*\bperl|^[ \t]*use[ \t]+(?:strict|warnings|Test\b|lib\b|v?5)/m, language: "Perl" },
    { language: undefined },
  ],
  // Qt's translations are XML, and so are video streams no source.
  ts: [{ shows: /^\s*<(?:\?xml|!DOCTYPE TS)/, language: undefined }, { language: "TypeScript" }],
  // Compilers write the dependencies of an object file for make; start scripts of services end in `.d` as well.
  d: [
    { shows: /^#!/, language: "Shell" },
    { shows: /^[^\s;{}:]+\.(?:o|lo|obj|d)\b[^\n;{}:]*:/m, language: undefined },
    { language: "D" },
  ],
  inc: [
    { shows: /^\s*<\?php/, language: "PHP" },
    { shows: /^[ \t]*#[ \t]*(?:include|define|ifn?def|if)\b/m, language: "C" },
    { language: undefined },
  ],
  fs: [
    {
      shows: /^[ \t]*(?:#version|#extension|precision|uniform|varying|attribute|void main)\b/m,
      language: "GLSL",
    },
    { language: "F#" },
  ],
};

/** How much of a file is looked at. */
const START_BYTES = 20_000;

/** A language of the report. */
export interface Language {
  /** Linguist's name; dialects that share a counter go under the main name. */
  readonly name: string;
  readonly syntax: SyntaxName;
  /** Extensions without the dot, lower case. */
  readonly extensions: readonly string[];
  readonly names?: readonly string[];
  readonly interpreters?: readonly string[];
}

function language(
  name: string,
  syntax: SyntaxName,
  extensions: string,
  names = "",
  interpreters = "",
): Language {
  const list = (text: string) => (text === "" ? [] : words(text));
  return { name, syntax, extensions: list(extensions), names: list(names), interpreters: list(interpreters) };
}

export const LANGUAGES: readonly Language[] = [
  language("JavaScript", "javascript", "js mjs cjs jsx es6", "Jakefile", "node nodejs bun deno"),
  language("TypeScript", "javascript", "ts mts cts tsx", "", "ts-node tsx"),
  language("Vue", "html", "vue"),
  language("Svelte", "html", "svelte"),
  language("Astro", "astro", "astro"),
  language("HTML", "html", "html htm xhtml"),
  language("CSS", "css", "css"),
  language("SCSS", "scss", "scss"),
  language("Sass", "scss", "sass"),
  language("Less", "scss", "less"),
  language("Stylus", "scss", "styl"),
  language("PostCSS", "scss", "pcss postcss"),
  language("Python", "python", "py pyw pyi", "wscript SConstruct SConscript", "python python2 python3"),
  language(
    "Ruby",
    "ruby",
    "rb rake gemspec ru",
    "Rakefile Gemfile Vagrantfile Podfile Fastfile Brewfile Guardfile",
    "ruby",
  ),
  language("PHP", "php", "php phtml php5 php7", "", "php"),
  language("Blade", "blade", "blade.php"),
  language("Go", "go", "go"),
  language("Rust", "rust", "rs"),
  language("C", "c", "c h"),
  language("C++", "cpp", "cc cpp cxx c++ hpp hh hxx h++ ipp tpp inl"),
  language("Objective-C", "c", "m"),
  language("Objective-C++", "cpp", "mm"),
  language("Cuda", "cpp", "cu cuh"),
  language("C#", "csharp", "cs csx"),
  language("F#", "fsharp", "fs fsi fsx"),
  language("Visual Basic .NET", "basic", "vb"),
  language("Java", "java", "java"),
  language("Kotlin", "kotlin", "kt kts"),
  language("Scala", "kotlin", "scala sc"),
  language("Groovy", "groovy", "groovy gradle gvy", "Jenkinsfile", "groovy"),
  language("Swift", "swift", "swift"),
  language("Dart", "dart", "dart"),
  language("Solidity", "java", "sol"),
  language("Zig", "zig", "zig"),
  language("D", "c", "d"),
  language("GLSL", "c", "glsl vert frag comp"),
  language("HLSL", "c", "hlsl"),
  language("WGSL", "c", "wgsl"),
  language("Elixir", "elixir", "ex exs", "", "elixir"),
  language("Erlang", "erlang", "erl hrl", "rebar.config", "escript"),
  language("Haskell", "haskell", "hs"),
  language("Elm", "haskell", "elm"),
  language("PureScript", "haskell", "purs"),
  language("OCaml", "ocaml", "ml mli"),
  language("Clojure", "lisp", "clj cljs cljc"),
  language("Common Lisp", "lisp", "lisp lsp cl"),
  language("Emacs Lisp", "lisp", "el"),
  language("Scheme", "lisp", "scm ss"),
  language("Racket", "lisp", "rkt"),
  language("Julia", "julia", "jl", "", "julia"),
  language("Nim", "nim", "nim"),
  language("Crystal", "ruby", "cr"),
  language("CoffeeScript", "hash", "coffee"),
  language("Lua", "lua", "lua", "", "lua luajit"),
  language("Perl", "perl", "pl pm t", "", "perl"),
  language("Prolog", "prolog", "prolog", "", "swipl"),
  language("R", "hash", "r", "", "rscript"),
  language("Shell", "shell", "sh bash zsh ksh bats", ".bashrc .zshrc .profile", "sh bash zsh ksh dash"),
  language("Fish", "hash", "fish", "", "fish"),
  language("PowerShell", "powershell", "ps1 psm1 psd1", "", "pwsh"),
  language("Batchfile", "batch", "bat cmd"),
  language("Awk", "hash", "awk", "", "awk gawk"),
  language("MATLAB", "matlab", "matlab"),
  language("Assembly", "assembly", "s asm"),
  language("Yacc", "c", "y yy yacc"),
  language("Lex", "c", "l lex"),
  language("M4", "m4", "m4", "configure.ac configure.in", "m4"),
  language("Tcl", "hash", "tcl"),
  language("GDScript", "python", "gd"),
  language("Starlark", "python", "bzl star", "BUILD BUILD.bazel WORKSPACE"),
  language("Makefile", "hash", "mk mak", "Makefile makefile GNUmakefile Makefile.am Makefile.inc Kbuild"),
  language("CMake", "cmake", "cmake", "CMakeLists.txt"),
  language("Dockerfile", "dockerfile", "dockerfile", "Dockerfile Containerfile"),
  language("HCL", "hcl", "tf hcl tfvars"),
  language("Nix", "nix", "nix"),
  language("Just", "hash", "just", "justfile Justfile"),
  language("Fortran", "fortran", "f90 f95 f03 f08"),
  language("Pascal", "pascal", "pas dpr"),
  language("TeX", "tex", "tex sty cls"),
  language("Vim Script", "vim", "vim", ".vimrc"),
  language("Jinja", "jinja", "j2 jinja jinja2 njk"),
  language("Twig", "jinja", "twig"),
  language("Liquid", "liquid", "liquid"),
  language("Handlebars", "handlebars", "hbs handlebars mustache"),
  language("HTML+ERB", "erb", "erb"),
  language("EJS", "erb", "ejs"),
  language("Java Server Pages", "erb", "jsp"),
  language("HTML+Razor", "razor", "cshtml razor"),
  language("Pug", "slashes", "pug jade"),
  language("Haml", "haml", "haml"),
  language("SQL", "sql", "sql psql pgsql"),
];

const byLanguageName = new Map(LANGUAGES.map((one) => [one.name, one] as const));
const byExtension = new Map(
  LANGUAGES.flatMap((one) => one.extensions.map((extension) => [extension, one] as const)),
);
const byName = new Map(LANGUAGES.flatMap((one) => (one.names ?? []).map((name) => [name, one] as const)));
const byInterpreter = new Map(
  LANGUAGES.flatMap((one) => (one.interpreters ?? []).map((interpreter) => [interpreter, one] as const)),
);

/** Programming languages that the counter has no rules for: a report says that their files are not counted. */
const UNCOUNTED: ReadonlyMap<string, string> = new Map(
  [
    "abap ABAP, adb Ada, ads Ada, agda Agda, ahk AutoHotkey, applescript AppleScript, as ActionScript, au3 AutoIt",
    "bal Ballerina, bicep Bicep, cairo Cairo, cbl COBOL, cfc ColdFusion, cfm ColdFusion, cob COBOL, cue CUE",
    "factor Factor, feature Gherkin, fnl Fennel, for Fortran, ftl FreeMarker, gleam Gleam, heex HEEx, hx Haxe",
    "hy Hy, idr Idris, janet Janet, jsonnet Jsonnet, lean Lean, marko Marko, mako Mako, metal Metal",
    "mojo Mojo, move Move, nsi NSIS, nu Nushell, odin Odin, pkb PL/SQL, pls PL/SQL, plsql PL/SQL, qml QML",
    "raku Raku, rego Rego, sas SAS, slim Slim, sml SML, sv SystemVerilog",
    "vala Vala, vhd VHDL, vhdl VHDL, vm Velocity, wren Wren, xsl XSLT, xslt XSLT",
  ]
    .join(", ")
    .split(", ")
    .map((one) => one.split(" ") as [string, string]),
);

/** The language of a file that is in none of the languages that are counted; `undefined` for data, prose and what nobody knows. */
export function uncountedLanguage(path: string): string | undefined {
  return UNCOUNTED.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase());
}

/** The language of a file, or `undefined` for data, prose and everything unknown. */
export function languageOf(path: string, bytes: Uint8Array): Language | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = byName.get(name);
  if (named !== undefined) return named;
  const dot = name.lastIndexOf(".");
  if (dot <= 0)
    return /^(Dockerfile|Containerfile)\b/.test(name) ? byName.get("Dockerfile") : byShebang(bytes);
  const lower = name.toLowerCase();
  if (lower.endsWith(".blade.php")) return byExtension.get("blade.php");
  if (lower.startsWith("dockerfile.")) return byName.get("Dockerfile");
  const extension = lower.slice(dot + 1);
  const choices = Object.hasOwn(AMBIGUOUS, extension) ? AMBIGUOUS[extension] : undefined;
  if (choices === undefined) return byExtension.get(extension);
  const text = new TextDecoder().decode(bytes.subarray(0, START_BYTES));
  const chosen = choices.find(({ shows }) => shows === undefined || shows.test(text));
  return byLanguageName.get(chosen?.language ?? "");
}

function byShebang(bytes: Uint8Array): Language | undefined {
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) return undefined;
  const line = new TextDecoder().decode(bytes.subarray(0, 200)).split("\n", 1)[0] ?? "";
  const words = line.slice(2).trim().split(/\s+/);
  const program = (word: string | undefined) => word?.slice(word.lastIndexOf("/") + 1).toLowerCase() ?? "";
  let found = program(words[0]);
  if (found === "env")
    found = program(words.slice(1).find((word) => !word.startsWith("-") && !word.includes("=")));
  return byInterpreter.get(found) ?? byInterpreter.get(found.replace(/[\d.]+$/, ""));
}
