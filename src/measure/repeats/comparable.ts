/** Which code is compared with other code, and which repeated lines are a finding: those that somebody could write once. */

import { words } from "../../base/text.ts";
import type { Language } from "../languages.ts";
import { type LineRange, replaced } from "../scan.ts";
import { withoutPackages } from "../test_files.ts";

/**
 * Folders whose files repeat each other on purpose: a migration stays as it was when it ran, an example and a benchmark have to stand
 * alone. The frameworks' own tools make the first (Django, Rails, Alembic, Knex, Prisma, Entity Framework).
 */
export const APART_FOLDERS: readonly string[] = words(`
  migrations migration migrate examples example samples sample demos demo benchmarks benchmark bench
`);

/** Alembic's scripts, old migrations under names of their own, Flyway's. */
export const APART_PATTERNS: readonly RegExp[] = [
  /(?:^|\/)alembic\/versions\//i,
  /(?:^|\/)[\w.-]+_migrations\//i,
  /(?:^|\/)[VUR]\d[\d._]*__[^/]+\.sql$/,
];

const apart = new Set(APART_FOLDERS);

/** Whether a file is compared with others. */
export function isCompared(path: string): boolean {
  const folders = withoutPackages(path).toLowerCase().split("/").slice(0, -1);
  return (
    !folders.some((folder) => apart.has(folder)) && !APART_PATTERNS.some((pattern) => pattern.test(path))
  );
}

/** Languages in which values stand on lines of their own, and lines of words are no code; they have no functions. */
export const MARKUP: ReadonlySet<string> = new Set(
  "HTML CSS SCSS Sass Less Stylus PostCSS Vue Svelte Astro Blade Jinja Twig Liquid Handlebars HTML+ERB EJS HTML+Razor Pug Haml SQL TeX".split(
    " ",
  ),
);

/** A block is none when so many of its lines are nothing that could be written once. */
const IDLE_SHARE = 0.8;

const STRINGS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g;
/** What a line of values is made of once its strings are numbers. Every text is read in one way only, so a failure is found at once. */
const VALUES =
  /^(?:[\s,;|+()[\]{}\\]|[\w$-]+\s*(?:=>|:|=(?![=>]))|-?\d[\w.]*(?![\w.]|\s*[:=])|\b(?:true|false|null|nil|None|True|False|undefined)\b(?!\s*[:=])|\b[A-Z][A-Z\d_]+\b(?!\s*[:=(]))*$/;
const DEFINES = /^\s*#\s*(?:define\s+\w+(?:\s+[\w\s"%.+-]*)?|if|ifdef|ifndef|elif|else|endif)(?![\w(])/;
/** Five words in a row are a sentence; headings and items of a list go with them. */
const PROSE = /(?:\b[A-Za-z][a-z'’]+,? ){4}[A-Za-z]|^\s*(?:#{2,6}|[*-]) [A-Z`]/;

/**
 * For each part of a file whether there is nothing in it to write only once: a table, a list of constants, prose or parameters.
 * `isLadder`: it comes again and again in its file, and types do that where overloads are written.
 */
export function areIdle(
  lines: readonly string[],
  language: string,
  parts: readonly (LineRange & { readonly isLadder: boolean })[],
): readonly boolean[] {
  if (MARKUP.has(language)) return parts.map(() => false);
  const parameters = parameterLines(lines);
  const types = language === "TypeScript" && parts.some((part) => part.isLadder) ? typeLines(lines) : [];
  return parts.map(({ from, to, isLadder }) => {
    let code = 0;
    let idle = 0;
    for (let at = from - 1; at < to; at++) {
      const line = lines[at] ?? "";
      if (line.trim() === "") continue;
      code++;
      const isIdle = parameters[at] === true || (isLadder && types[at] === true);
      if (isIdle || (line.length <= MAX_LINE && isDataLine(line))) idle++;
    }
    return idle >= code * IDLE_SHARE;
  });
}

/** Longer lines are not looked at. */
const MAX_LINE = 1_000;

function isDataLine(line: string): boolean {
  return VALUES.test(line.replace(STRINGS, "0")) || DEFINES.test(line) || PROSE.test(line);
}

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
/** What stands behind the parameters of a function, in front of its body. */
const BODY = /^(?:\s*(?:->|:)\s*[^(){}]{0,200})?\s*(?:[:{]|=>|throws\b|const\b|noexcept\b|$)/;

const LONGEST_LIST = 100;

/** For each line whether it belongs to a list of parameters that runs over lines. */
export function parameterLines(lines: readonly string[]): readonly boolean[] {
  const found = lines.map(() => false);
  const open: number[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.length > MAX_LINE) continue;
    const code = line.replace(TEXTS, "0");
    for (let index = 0; index < code.length; index++) {
      const char = code.charAt(index);
      if (char === "(") open.push(at);
      if (char !== ")") continue;
      const from = open.pop();
      if (from === undefined || from === at || at - from > LONGEST_LIST) continue;
      const next = lines[at + 1]?.trimStart().startsWith("{") === true;
      const rest = code.slice(index + 1);
      if (BODY.test(rest) && (next || rest.trim() !== "")) found.fill(true, from, at + 1);
    }
  }
  return found;
}

const OPENS_TYPE = /^\s*(?:export\s+)?(?:declare\s+)?(?:interface|type)\s+[\w$]+/;
/** A type goes on behind a line that ends so, or in front of one that begins so. */
const ENDS_OPEN = /[=|&?:,<({[]\s*$/;
const BEGINS_OPEN = /^\s*[|&?:=.,>)\]}]/;

/** For each line of a TypeScript text whether it belongs to an interface or a type. */
export function typeLines(lines: readonly string[]): readonly boolean[] {
  const types: boolean[] = [];
  let inside = false;
  let depth = 0;
  for (const [at, line] of lines.entries()) {
    if (!inside && OPENS_TYPE.test(line)) {
      inside = true;
      depth = 0;
    }
    types.push(inside);
    if (!inside) continue;
    depth += bracketsLeftOpen(line);
    if (depth <= 0 && !ENDS_OPEN.test(line) && !BEGINS_OPEN.test(lines[at + 1] ?? "")) inside = false;
  }
  return types;
}

function bracketsLeftOpen(line: string): number {
  let open = 0;
  for (const char of line) {
    if ("{([".includes(char)) open++;
    else if ("})]".includes(char)) open--;
  }
  return open;
}

// Lines that name what a file takes from elsewhere. Two files that need the same things repeat them, and nobody can do
// anything about it, so they are no repeated code.

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

/** The text without comments, docstrings and imports; `comments` are their starts and ends, one behind the other. */
export function codeOnly(text: string, comments: readonly number[], language: Language): string {
  const lines = replaced(text, comments, (part) => part.replace(/[^\n]+/g, "") || " ").split("\n");
  emptyImports(lines, language.name);
  return lines.join("\n");
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
