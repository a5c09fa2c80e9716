/**
 * Lines that name what a file takes from elsewhere. Two files that need the same things repeat them, and nobody can do anything about
 * it, so they are no repeated code.
 */

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
export function emptyImports(lines: string[], language: string): void {
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
