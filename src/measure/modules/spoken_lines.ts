/** What of a text can name a file that is used: its lines without those that are comments, and nothing of texts that only list. */

/** Paths of a tree: always with `/`, never with a leading one. */

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `a/b/Foo.test.ts` → `Foo.test`. */
export function stemOf(path: string): string {
  return baseName(path).replace(/\.[^.]+$/, "");
}

/** Joins and normalises; `undefined` when it leaves the tree. */
export function joinPath(folder: string, relative: string): string | undefined {
  const segments = folder === "" ? [] : folder.split("/");
  for (const segment of relative.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined;
    } else segments.push(segment);
  }
  return segments.join("/");
}

/** The path as seen from a folder above it. */
export function below(folder: string, path: string): string {
  return folder === "" ? path : path.slice(folder.length + 1);
}

export function isBelow(folder: string, path: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

/** The folder itself, its parent, and so on up to the root. */
export function foldersUp(folder: string): string[] {
  const up = [folder];
  for (let at = folder; at !== ""; ) {
    at = folderOf(at);
    up.push(at);
  }
  return up;
}

/** Adds to the list of a key. */
export function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/**
 * How a text names files. In a document and in prose a bare word is only a word; in code and in markup a dotted word outside of
 * quotes is a field of something; settings, scripts and lists of tasks hold names as they are.
 */
export type TextKind = "module" | "code" | "markup" | "settings" | "document";

/** Documents that name files without using them, by their base names. */
const SILENT_DOCUMENTS: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(change(s|log)|history|news|releases?|upgrad(e|ing)|whatsnew)\b/i, "what once was"],
  [
    /^(licen[cs]e|copying|notice|authors|contributors|thanks|maintainers|codeowners|owners)\b/i,
    "who, not what",
  ],
];

/** Other texts that do. */
const SILENT_NAMES: readonly (readonly [name: RegExp, why: string])[] = [
  [
    /(^|[.-])(lock|lockb|sum)$|^(package-lock|npm-shrinkwrap)\.json$|^pnpm-lock\.yaml$/,
    "versions of packages",
  ],
  [/^\.[\w.-]*ignore$|^\.git(attributes|modules)$|^\.git-blame/, "files to leave alone"],
  [/\.(po|pot|xlf|xliff|strings|arb|resx)$/, "translations say where a text comes from"],
  [/\.(map|snap|svg|csv|tsv|log|css|scss|sass|less|styl|diff|patch)$/, "no text of these runs code"],
  [
    /^\.?(coveragerc|pylintrc|flake8|isort\.cfg|mypy\.ini|pyrightconfig\.json|eslintrc|oxlintrc)\b/,
    "what checkers look at",
  ],
  [
    /^\.?(codecov|codeclimate|sonar-project|labeler|cspell|knip|stylelintrc|jscpd|prettierrc)\b/,
    "what checkers look at",
  ],
  [
    /^\.?(secrets\.baseline|eslint-suppressions|rubocop|rubocop_todo|phpstan)\b|[-.]baseline\b/,
    "what checkers pass over",
  ],
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
  return SILENT_FOLDERS.test(path) || silent.some(([pattern]) => pattern.test(name)) ? undefined : kind;
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

/** Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something loads them by it. */

/** So many unreached files of one name, and this share of all of that name there. */
const ALIKE = { files: 3, share: 0.6 } as const;

/** Names that people give anywhere, so that they say nothing. */
const COMMON =
  /^(index|utils?|helpers?|types?|constants?|common|shared|format\w*|dates?|strings?|hooks?|api|services?|lib|mod|styles?|data|config|schemas?|context|store)$/i;

/** The candidates that are loaded by their name. `all` are the paths of the tree. */
export function loadedByName(candidates: readonly string[], all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const groups = new Map<string, string[]>();
  for (const path of candidates) {
    if (COMMON.test(stemOf(path))) continue;
    const group = groups.get(groupOf(path));
    if (group === undefined) groups.set(groupOf(path), [path]);
    else group.push(path);
  }
  for (const path of all) {
    const group = groupOf(path);
    if (groups.has(group)) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...groups].flatMap(([key, paths]) =>
    paths.length >= ALIKE.files && paths.length >= (counts.get(key) ?? 0) * ALIKE.share ? paths : [],
  );
}

/** The folder above the file's own, and the file's name. */
function groupOf(path: string): string {
  return `${folderOf(folderOf(path))}\n${baseName(path)}`;
}

/**
 * So many unreached files, and this share of all modules below one folder; and at most this share of them in files that are imported
 * by name from outside: a base class or a list of names that stands beside the plug-ins.
 */
const LOADED = { files: 5, share: 0.5, entered: 0.15 } as const;

/** Where whole programs and packages lie: what is true of a folder in them is not true of them. */
const SOURCE_ROOT =
  /(^|\/)(src|source|app|lib|client|server|frontend|backend|web)$|^(packages|apps|libs|services)(\/[^/]+)?$/;

/**
 * The unreached files of folders from which hardly anything is imported by what is in use outside of them, but for tests: plug-ins,
 * commands, a program of its own, which something loads by their folder. Nobody leaves so many dead files in one place and none that
 * is in use. By the topmost folder. `modules` are those that could be listed, and those in use among them.
 */
export function loadedByFolder(
  modules: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlySet<string>,
  isTest: (path: string) => boolean,
): Map<string, string[]> {
  const unreached = modules.filter((path) => !reached.has(path));
  const loaded = new Map<string, string[]>();
  if (unreached.length < LOADED.files) return loaded;
  const dead = countFolders(unreached);
  const all = countFolders(modules);
  const folders = [...dead].flatMap(([folder, count]) =>
    folder !== "" &&
    !SOURCE_ROOT.test(folder) &&
    count >= LOADED.files &&
    count >= (all.get(folder) ?? 0) * LOADED.share
      ? [folder]
      : [],
  );
  const isUse = (from: string) => reached.has(from) && !isTest(from);
  const entered = enteredFiles(folders, edges, isUse);
  const isLoaded = (folder: string) =>
    (entered.get(folder)?.size ?? Number.POSITIVE_INFINITY) <= (dead.get(folder) ?? 0) * LOADED.entered;
  for (const path of unreached) {
    const folder = foldersUp(folderOf(path)).findLast(isLoaded);
    if (folder !== undefined) append(loaded, folder, path);
  }
  return loaded;
}

/** The files of each folder that what is in use outside of it imports. */
function enteredFiles(
  folders: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  isUse: (from: string) => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const entered = new Map(folders.map((folder) => [folder, new Set<string>()]));
  if (entered.size === 0) return entered;
  for (const [from, targets] of edges) {
    if (!isUse(from)) continue;
    for (const to of targets) {
      for (const folder of foldersUp(folderOf(to))) {
        if (!from.startsWith(`${folder}/`)) entered.get(folder)?.add(to);
      }
    }
  }
  return entered;
}

/** How many files lie below each folder. */
function countFolders(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const folder of foldersUp(folderOf(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
