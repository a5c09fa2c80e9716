/** The words of a line that could name a file, taken apart. */

/** Path-like words: letters, digits and the characters of paths, module names and template holes. */
const WORD = /[\w@$~*{}%.\-/]{2,200}/g;

/** A file below folders whose names a router puts in brackets: `"./(all)/[id]/page.tsx"`. */
const BRACKETED = /["'`]((?=[^"'`\n]{0,200}[([])[\w@.()[\]+\-/]{1,200}\.(?:[cm]?[jt]sx?|vue|svelte))["'`]/g;

/** Extensions of the files that a mention can save. */
const CODE_EXTENSION = /\.(?:[cm]?[jt]sx?|es6|vue|svelte|astro|mdx|py)$/;

/** A part of a path that stands for others: `*`, `${name}`, `{}`, `%s`. */
const HOLE = /[*{}%]|\$\w/;

/** The helpers of template and asset languages that take a script by its stem. */
const STEM_HELPERS =
  "pin|javascript_include_tag|javascript_import_module_tag|javascript_pack_tag|javascript_packs_with_chunks_tag|vite_javascript_tag|vite_typescript_tag|javascript_path|asset_path|asset_url|asset|importScripts|encore_entry_script_tags|elixir|mix|require_asset";

/** A call that says that its text is a script: its stem alone names it. */
const STEM_CALL = new RegExp(`\\b(?:${STEM_HELPERS})[ \\t(]{1,3}["']([\\w@.\\-/]{1,200})["']`, "g");

/** What a script or a style sheet is put together from, in a comment at its head. */
const DIRECTIVE =
  /^[ \t]{0,20}(?:\/\/|\*|#)=[ \t]{0,5}(?:require|link|include|depend_on)[ \t]{1,5}["']?([\w@.\-/]{1,200})/;

/** A folder whose every file is put in. */
const TREE_DIRECTIVE =
  /^[ \t]{0,20}(?:\/\/|\*|#)=[ \t]{0,5}(?:require|link)_(tree|directory)[ \t]{1,5}["']?([\w@.\-/]{1,200})/;

/** A folder that an import map takes whole. */
const PINNED_FOLDER = /\bpin_all_from[ \t(]{1,3}["']([\w@.\-/]{1,200})["']/;

/** A Python module that a command line starts, or the module before the object of an entry point. */
const MODULE_CALL =
  /(?:^|[\s"'=])(?:(?:-m|-A|--app|FLASK_APP=)[ \t]{0,3}([A-Za-z_][\w.]{0,150})|([A-Za-z_][\w.]{0,150}):[A-Za-z_]\w{0,80})(?![\w/.-])/g;

/** A word made of path segments. */
export interface PathWord {
  readonly kind: "path";
  readonly text: string;
  /** The segments with what stands before them (`..`, `~`, holes), without `.` and empty ones. */
  readonly segments: readonly string[];
  /** It starts with `./` or `../`. */
  readonly isRelative: boolean;
  /** The last segment has an extension of code. */
  readonly hasExtension: boolean;
  /** It ends with a slash: it means a folder. */
  readonly isFolder: boolean;
  /** Quotes stand on both sides. */
  readonly isQuoted: boolean;
}

/** A word with dots and no slash: perhaps the name of a Python module. */
export interface DottedWord {
  readonly kind: "dotted";
  readonly parts: readonly string[];
  readonly isQuoted: boolean;
}

/** A word that a call, a directive or a command line makes the name of a file. */
export interface StemWord {
  readonly kind: "stem" | "module";
  readonly segments: readonly string[];
}

/** A folder that a directive puts in whole; deep: with the folders in it. */
export interface FolderWord {
  readonly kind: "folder";
  readonly segments: readonly string[];
  readonly isDeep: boolean;
}

export type Word = PathWord | DottedWord | StemWord | FolderWord;

/** The words of one line; the same one may come more than once. */
export function* wordsOf(line: string): Generator<Word> {
  for (const match of line.matchAll(WORD)) {
    const word = readWord(line, match[0], match.index);
    if (word !== undefined) yield word;
  }
  for (const { 1: text = "", index } of line.matchAll(BRACKETED)) {
    const word = readWord(line, text, index + 1);
    if (word !== undefined) yield word;
  }
  for (const [, text = ""] of line.matchAll(STEM_CALL)) yield { kind: "stem", segments: segmentsOf(text) };
  const directive = DIRECTIVE.exec(line)?.[1];
  if (directive !== undefined) yield { kind: "stem", segments: segmentsOf(directive) };
  const [, reach, folder] = TREE_DIRECTIVE.exec(line) ?? [];
  if (folder !== undefined) yield { kind: "folder", segments: segmentsOf(folder), isDeep: reach === "tree" };
  const pinned = PINNED_FOLDER.exec(line)?.[1];
  if (pinned !== undefined) yield { kind: "folder", segments: segmentsOf(pinned), isDeep: true };
  for (const [, module, object] of line.matchAll(MODULE_CALL)) {
    yield { kind: "module", segments: (module ?? object ?? "").split(".") };
  }
}

function readWord(line: string, raw: string, index: number): Word | undefined {
  const text = trimmed(raw);
  if (text.length < 2) return undefined;
  const isQuoted = isQuote(line.charCodeAt(index - 1)) && isQuote(line.charCodeAt(index + raw.length));
  const hasExtension = CODE_EXTENSION.test(text);
  const touchesQuote = isQuote(line.charCodeAt(index - 1)) || isQuote(line.charCodeAt(index + raw.length));
  if (!raw.includes("/") && !hasExtension) {
    if (!text.includes(".")) return undefined;
    return { kind: "dotted", parts: text.split("."), isQuoted: touchesQuote };
  }
  return {
    kind: "path",
    text,
    segments: segmentsOf(text),
    isRelative: text.startsWith("./") || text.startsWith("../"),
    hasExtension,
    isFolder: raw.endsWith("/"),
    isQuoted,
  };
}

/** Without what a sentence or a bracket puts around a word. */
function trimmed(raw: string): string {
  let end = raw.length;
  while (end > 0 && ".-/%".includes(raw.charAt(end - 1))) end--;
  let start = 0;
  if (raw.charAt(end - 1) === "}" && !raw.slice(0, end).includes("{")) end--;
  if (raw.startsWith("{") && !raw.includes("}")) start = 1;
  return raw.slice(start, Math.max(start, end));
}

function segmentsOf(text: string): string[] {
  return text.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** Whether a segment stands for others. */
export function isHole(segment: string): boolean {
  return HOLE.test(segment);
}

function isQuote(unit: number): boolean {
  return unit === 0x22 || unit === 0x27 || unit === 0x60;
}
