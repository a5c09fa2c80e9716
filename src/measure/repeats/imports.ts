/**
 * Lines that name what a file takes from elsewhere. Two files that need the same things repeat them, and nobody can do anything about
 * it, so they are no repeated code.
 */

import type { Language } from "../languages.ts";

/** How a statement of this kind begins (at the start of a line), and what its last line holds; one line without it. */
interface ImportRule {
  readonly opens: RegExp;
  readonly closes?: RegExp;
}

const C: readonly ImportRule[] = [{ opens: /^\s*#\s*(?:include|import|pragma)\b/ }];

/** `export {…}` stands here too: a list of names that files hand on. */
const JAVASCRIPT: readonly ImportRule[] = [
  { opens: /^\s*(?:import|export)\b\s*(?:type\b\s*)?(?:[\w$]+\s*,\s*)?\{/, closes: /\}/ },
  { opens: /^\s*import\b(?!\s*[(.])/, closes: /["']/ },
  { opens: /^\s*export\s*(?:type\b\s*)?\*/, closes: /["']/ },
  { opens: /^\s*(?:const|let|var)\s+(?:[\w$]+|\{[^}]{0,500}\})\s*=\s*require\(/ },
];

const STYLES: readonly ImportRule[] = [{ opens: /^\s*@(?:import|use|forward|charset)\b/, closes: /;/ }];
const JVM: readonly ImportRule[] = [{ opens: /^\s*(?:import|package)\s/ }];
const WORDS: readonly ImportRule[] = [{ opens: /^\s*(?:import|open|use|alias|require|module)\s/ }];

/** By the language's name in the report. */
export const IMPORTS: Readonly<Record<string, readonly ImportRule[]>> = {
  JavaScript: JAVASCRIPT,
  TypeScript: JAVASCRIPT,
  Vue: JAVASCRIPT,
  Svelte: JAVASCRIPT,
  Astro: JAVASCRIPT,
  CSS: STYLES,
  SCSS: STYLES,
  Sass: STYLES,
  Less: STYLES,
  Stylus: STYLES,
  PostCSS: STYLES,
  Python: [
    { opens: /^\s*(?:from\s+[\w.]+\s+)?import\b[^()]*\(/, closes: /\)/ },
    { opens: /^\s*(?:from\s+[\w.]+\s+)?import\b.*\\$/, closes: /[^\\]$/ },
    { opens: /^\s*(?:from\s+[\w.]+\s+)?import\s/ },
  ],
  Ruby: [{ opens: /^\s*(?:require|require_relative|load|autoload)\b/ }],
  PHP: [{ opens: /^\s*(?:use|namespace)\s+[\w\\]/, closes: /;/ }],
  Go: [{ opens: /^import\s*\(/, closes: /\)/ }, { opens: /^(?:import|package)\s/ }],
  Rust: [
    { opens: /^\s*(?:pub(?:\([^)]{0,100}\))?\s+)?(?:use\s|mod\s+\w+\s*;|extern\s+crate\b)/, closes: /;/ },
  ],
  C,
  "C++": C,
  "Objective-C": C,
  "Objective-C++": C,
  Cuda: C,
  "C#": [{ opens: /^\s*(?:global\s+)?using\s+(?!var\b)[\w.= ]+;/ }, { opens: /^\s*namespace\s+[\w.]+\s*;/ }],
  "F#": WORDS,
  Java: JVM,
  Kotlin: JVM,
  Scala: JVM,
  Groovy: JVM,
  Swift: [{ opens: /^\s*(?:@\w+\s+)?import\s/ }],
  Dart: [{ opens: /^\s*(?:import|export|part)\s/, closes: /;/ }],
  Elixir: WORDS,
  Haskell: WORDS,
  Elm: WORDS,
  PureScript: WORDS,
  OCaml: WORDS,
  Julia: [{ opens: /^\s*(?:using|import)\s/ }],
  Perl: [{ opens: /^\s*(?:use|require|package)\s+[\w:]+/ }],
  Nim: [{ opens: /^(?:import|from|include)\s/ }],
};

/** Longest statement in lines: one that does not end is none. */
const LONGEST = 200;

/** Empties the import lines of a text without comments, in place. */
function emptyImports(lines: string[], language: string): void {
  const rules = IMPORTS[language];
  if (rules === undefined) return;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const rule = rules.find(({ opens }) => opens.test(line));
    if (rule !== undefined) at = emptyOne(lines, at, rule);
  }
}

function emptyOne(lines: string[], first: number, { opens, closes }: ImportRule): number {
  let last = first;
  if (closes !== undefined) {
    const rest = (lines[first] ?? "").replace(opens, "");
    if (!closes.test(rest)) {
      const end = lines.slice(first + 1, first + LONGEST).findIndex((line) => closes.test(line));
      if (end >= 0) last = first + 1 + end;
    }
  }
  lines.fill("", first, last + 1);
  return last;
}

// What of a file is compared with other files: its code alone, each line at its own number, in a copy with a name of
// our own.

/** Start and end of each comment, one behind the other. */
type CommentSpans = readonly number[];

/** The text without comments, docstrings and imports. */
export function codeOnly(text: string, comments: CommentSpans, language: Language): string {
  let code = "";
  let at = 0;
  for (let index = 0; index < comments.length; index += 2) {
    const start = comments[index] ?? at;
    const end = comments[index + 1] ?? start;
    code += text.slice(at, start) + newlines(text, start, end);
    at = end;
  }
  const lines = (code + text.slice(at)).split("\n");
  emptyImports(lines, language.name);
  return lines.join("\n");
}

function newlines(text: string, from: number, to: number): string {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 10) count++;
  return count === 0 ? " " : "\n".repeat(count);
}

/**
 * The extension under which the comparing tool knows a language, where it is not the language's first one. Languages that it does not
 * know are read as a near relative, or as words and signs: their comments are gone already.
 */
export const COPY_EXTENSIONS: Readonly<Record<string, string>> = {
  Astro: "txt",
  PostCSS: "css",
  Blade: "html",
  "C++": "cpp",
  Cuda: "cpp",
  Elixir: "txt",
  Nim: "txt",
  Fish: "txt",
  Batchfile: "txt",
  Starlark: "py",
  Makefile: "txt",
  Prolog: "txt",
  MATLAB: "txt",
  Assembly: "txt",
  Yacc: "c",
  Lex: "c",
  M4: "txt",
  Dockerfile: "txt",
  Nix: "txt",
  Just: "txt",
  "Vim Script": "txt",
  GLSL: "c",
  HLSL: "c",
  WGSL: "c",
  Jinja: "twig",
  Liquid: "html",
  "HTML+ERB": "html",
};

/** The name of the copy of the file that was selected as the `index`th. */
export function copyName(index: number, path: string, language: Language): string {
  const own = /\.[jt]sx$/i.exec(path)?.[0].slice(1).toLowerCase();
  const extension = COPY_EXTENSIONS[language.name] ?? own ?? language.extensions[0] ?? "txt";
  return `${Math.floor(index / FOLDER_SIZE)}/${index % FOLDER_SIZE}.${extension}`;
}

const FOLDER_SIZE = 1_000;
