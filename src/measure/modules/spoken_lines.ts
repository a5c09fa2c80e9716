/** What of a text can name a file that is used: its lines without those that are comments, and nothing of texts that only list. */

import { baseName } from "./facts.ts";

/**
 * How a text names files. In a document and in prose a bare word is only a word; in code and in markup a dotted word outside of
 * quotes is a field of something; settings, scripts and lists of tasks hold names as they are.
 */
export type TextKind = "module" | "code" | "markup" | "settings" | "document";

/** Documents that name files without using them, by their base names. */
const SILENT_DOCUMENTS: readonly RegExp[] = [
  // What once was.
  /^(change(s|log)|history|news|releases?|upgrad(e|ing)|whatsnew)\b/i,
  // Who, not what.
  /^(licen[cs]e|copying|notice|authors|contributors|thanks|maintainers|codeowners|owners)\b/i,
];

/** Other texts that do. */
const SILENT_NAMES: readonly RegExp[] = [
  // Versions of packages.
  /(^|[.-])(lock|lockb|sum)$|^(package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.yaml$/,
  // Files to leave alone.
  /^\.[\w.-]*ignore$|^\.git(attributes|modules)$|^\.git-blame/,
  // Translations say where a text comes from.
  /\.(po|pot|xlf|xliff|strings|arb|resx)$/,
  // No text of these runs code.
  /\.(map|snap|svg|csv|tsv|log|css|scss|sass|less|styl|diff|patch)$/,
  // What checkers look at.
  /^\.?(coveragerc|pylintrc|flake8|isort\.cfg|mypy\.ini|pyrightconfig\.json|eslintrc|oxlintrc)\b/,
  /^\.?(codecov|codeclimate|sonar-project|labeler|cspell|knip|stylelintrc|jscpd|prettierrc)\b/,
  // What checkers pass over.
  /^\.?(secrets\.baseline|eslint-suppressions|rubocop|rubocop_todo|phpstan)\b|[-.]baseline\b/,
];

/** Folders whose texts are news of the past or translations. */
const SILENT_FOLDERS =
  /(^|\/)(changelogs?|\.changeset|releases|release[-_]notes|newsfragments|locales?|i18n|translations|lang)\/.*\.(md|rst|txt|json|ya?ml)$/i;

const EXTENSIONS: Readonly<Record<TextKind, string>> = {
  module: "js mjs cjs jsx es6 ts mts cts tsx vue svelte astro mdx py",
  code: "rb rake php go rs java kt kts scala cs fs vb swift dart ex exs erl c h cc cpp hpp m mm pl pm lua r jl clj groovy gradle el sql",
  markup:
    "html htm xhtml erb haml slim pug jade twig j2 jinja jinja2 njk liquid hbs handlebars mustache ejs jsp cshtml razor heex eex leex phtml xml",
  document: "md markdown rst adoc asciidoc textile org txt tex",
  settings: "",
};

const KIND_OF = new Map(
  (Object.keys(EXTENSIONS) as TextKind[]).flatMap((kind) =>
    EXTENSIONS[kind].split(" ").map((extension) => [extension, kind] as const),
  ),
);

/** Text files that are settings whatever their extension says. */
const SETTINGS_NAMES = /^(requirements.*|constraints.*|CMakeLists|robots|humans|crontab)\.txt$/;

/** How a file's text names other files; `undefined` when none of what it names is thereby used. */
export function textKind(path: string): TextKind | undefined {
  const name = baseName(path);
  const kind = kindOf(name);
  const silent =
    kind === "document" || !name.includes(".") ? [...SILENT_DOCUMENTS, ...SILENT_NAMES] : SILENT_NAMES;
  return SILENT_FOLDERS.test(path) || silent.some((pattern) => pattern.test(name)) ? undefined : kind;
}

function kindOf(name: string): TextKind {
  if (SETTINGS_NAMES.test(name)) return "settings";
  const dot = name.lastIndexOf(".");
  if (dot < 0) return /^(readme|contributing|security|todo|install)$/i.test(name) ? "document" : "settings";
  return KIND_OF.get(name.slice(dot + 1).toLowerCase()) ?? "settings";
}

/** Sections of settings files that tell a checker what to look at, and at what not. */
const CHECKER_SECTION =
  /^\[+\s*"?(tool[.:](mypy|ruff|coverage|isort|black|pyright|pylint|vulture|codespell|bandit|flake8|interrogate|importlinter|djlint)|mypy|flake8|coverage|isort|pylint|pycodestyle|pydocstyle|report|html|importlinter)\b/;

/** Texts of one way to write comments: what opens one that may run over lines and what ends it, and how a line that is one begins. */
interface Comments {
  readonly files: RegExp;
  readonly block?: readonly [opens: string, ends: string];
  readonly line?: RegExp;
}

const COMMENTS: readonly Comments[] = [
  {
    files:
      /\.([cm]?[jt]sx?|es6|vue|svelte|astro|mdx|php|go|rs|java|kts?|scala|cs|fs|swift|dart|c|h|cc|cpp|hpp|mm?|groovy|gradle)$/,
    block: ["/*", "*/"],
    line: /^(?:\/\/(?!=)|\*)/,
  },
  {
    files:
      /\.(vue|svelte|astro|mdx|html?|xhtml|xml|erb|haml|slim|pug|jade|twig|j2|jinja2?|njk|liquid|hbs|handlebars|mustache|ejs|jsp|cshtml|razor|heex|eex|leex|phtml)$/,
    block: ["<!--", "-->"],
    line: /^(?:\{#|\{\{--|<%#)/,
  },
  { files: /\.(md|markdown|adoc|asciidoc|textile|txt|json|ipynb)$/ },
];

/** Every other text; `#!` says what runs it. */
const HASH: Comments = { files: /^/, line: /^#(?!!)/ };

function commentsOf(path: string): readonly Comments[] {
  const found = COMMENTS.filter(({ files }) => files.test(path));
  return found.length > 0 ? found : [HASH];
}

const PYTHON = /\.py$/;
const SECTIONED = /\.(toml|cfg|ini)$/;

/** What runs over lines: its end, and whether its lines are passed over. */
interface Open {
  readonly ends: string;
  readonly isPassed: boolean;
}

/**
 * What of a document uses a file: a command that starts one, in a block of code or between backticks, since somebody follows it;
 * and a directive by which the document's builder loads one. A sentence may say of a file that it is dead.
 */
const COMMAND =
  /(?:^|[\s`$=(])(?:\.{1,2}\/\w|(?:node|bun|deno|tsx|ts-node|python[\d.]{0,5}|celery|gunicorn|uvicorn|daphne|hypercorn|waitress-serve|flask|streamlit|scrapy|bash|sh)\s)/;
const SPAN = /`[^`\n]{3,300}`/g;
const FENCE = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:```|~~~)/;
const INDENTED = /^(?: {4}|\t)/;
const BUILDER_DIRECTIVE = /^\s*(?:\.\.\s+[\w:-]{1,50}::|:::\s|--8<--|\{!)/;

function* usesOf(text: string): Generator<string> {
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) isFenced = !isFenced;
    else if (BUILDER_DIRECTIVE.test(line)) yield line;
    else if (isFenced || INDENTED.test(line)) {
      if (COMMAND.test(line)) yield line;
    } else for (const [span] of line.matchAll(SPAN)) if (COMMAND.test(span)) yield span;
  }
}

/** Passes over the lines of a text once, without those that are a comment, a docstring or a checker's settings. */
export function* spokenLines(path: string, text: string): Generator<string> {
  if (kindOf(baseName(path)) === "document") {
    yield* usesOf(text);
    return;
  }
  const lines = new Lines(path);
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if (lines.speaks(line)) yield line;
    start = end + 1;
  }
}

/** The lines of one text, told one after the other. */
class Lines {
  readonly #comments: readonly Comments[];
  readonly #isPython: boolean;
  readonly #isSectioned: boolean;
  #open: Open | undefined;
  #isCheckers = false;

  constructor(path: string) {
    this.#comments = commentsOf(path);
    this.#isPython = PYTHON.test(path);
    this.#isSectioned = SECTIONED.test(path);
  }

  speaks(line: string): boolean {
    if (this.#open !== undefined) return this.#goOn(line, this.#open);
    const first = line.trimStart();
    if (first === "" || this.#isOfChecker(first) || this.#isComment(first, line)) return false;
    return !(this.#isPython && this.#isDocstring(first, line));
  }

  #goOn(line: string, open: Open): boolean {
    if (line.includes(open.ends)) this.#open = undefined;
    return !open.isPassed;
  }

  #isOfChecker(first: string): boolean {
    if (this.#isSectioned && first.startsWith("[")) {
      this.#isCheckers = CHECKER_SECTION.test(first.slice(0, 100));
    }
    return this.#isCheckers;
  }

  #isComment(first: string, line: string): boolean {
    for (const { block, line: comment } of this.#comments) {
      if (block !== undefined && first.startsWith(block[0])) {
        const [, ends] = block;
        if (!line.includes(ends)) this.#open = { ends, isPassed: true };
        return true;
      }
      if (comment?.test(first) === true) return true;
    }
    return false;
  }

  /** A text over lines is a docstring where nothing stands before it, else a value. */
  #isDocstring(first: string, line: string): boolean {
    const isPassed = /^[A-Za-z]{0,2}(?:"""|''')/.test(first);
    const ends = openedQuote(line);
    if (ends !== undefined) this.#open = { ends, isPassed };
    return isPassed;
  }
}

/** The quotes that a line leaves open, of those that run over lines. */
function openedQuote(line: string): string | undefined {
  let open: string | undefined;
  for (const [quote] of line.matchAll(/"""|'''/g)) {
    if (open === undefined) open = quote;
    else if (open === quote) open = undefined;
  }
  return open;
}
