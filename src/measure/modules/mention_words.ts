/** The words of a line that could name a file, taken apart. */

/** A file below folders whose names a router puts in brackets: `"./(all)/[id]/page.tsx"`. */
const BRACKETED = /["']((?=[^"'\n]{0,200}[([])[\w@.()[\]+\-/]{1,200}\.(?:[cm]?[jt]sx?|vue|svelte))["']/g;

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

/** What characters of a line are, as bits. A word is made of letters, digits and the characters of paths, module names and holes. */
const OF_WORD = 1;
/** Without one of these a word is only a word. */
const PARTS = 2;
const COLON = 4;
const DASH = 8;
const EQUALS = 16;
const PAREN = 32;
const QUOTE = 64;

const SIGNS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  const bits =
    { ".": PARTS, "/": PARTS, ":": COLON, "-": DASH, "=": EQUALS, "(": PAREN, "'": QUOTE, '"': QUOTE }[
      sign
    ] ?? 0;
  return bits | (/[\w@$~*{}%.\-/]/.test(sign) ? OF_WORD : 0);
});

/** Which signs a line holds: most lines hold few, and what needs one need not be looked for. */
export function signsOf(line: string): number {
  let signs = 0;
  for (let at = 0; at < line.length; at++) signs |= SIGNS[line.charCodeAt(at)] ?? 0;
  return signs;
}

/** Whether a line can hold a call. */
export function canCall(signs: number): boolean {
  return (signs & PAREN) !== 0;
}

/** Whether a line can hold a path or a name with dots. */
export function hasParts(signs: number): boolean {
  return (signs & PARTS) !== 0;
}

/** The words of one line; the same one may come more than once. Dotted ones without a quote beside them only where they say something. */
export function* wordsOf(line: string, signs: number, bareDotted: boolean): Generator<Word> {
  if (hasParts(signs)) yield* writtenWords(line, bareDotted);
  if ((signs & OF_WORD) === 0) return;
  if ((signs & QUOTE) !== 0) {
    for (const [, text = ""] of line.matchAll(STEM_CALL)) yield { kind: "stem", segments: segmentsOf(text) };
    for (const { 1: text = "", index } of (signs & PARTS) === 0 ? [] : line.matchAll(BRACKETED)) {
      const word = readWord(line, index + 1, index + 1 + text.length, bareDotted);
      if (word !== undefined) yield word;
    }
  }
  if ((signs & EQUALS) !== 0) {
    const directive = DIRECTIVE.exec(line)?.[1];
    if (directive !== undefined) yield { kind: "stem", segments: segmentsOf(directive) };
    const [, reach, folder] = TREE_DIRECTIVE.exec(line) ?? [];
    if (folder !== undefined)
      yield { kind: "folder", segments: segmentsOf(folder), isDeep: reach === "tree" };
  }
  const pinned = line.includes("pin_all_from") ? PINNED_FOLDER.exec(line)?.[1] : undefined;
  if (pinned !== undefined) yield { kind: "folder", segments: segmentsOf(pinned), isDeep: true };
  if ((signs & (COLON | DASH | EQUALS)) === 0 || !CALLS_MODULE.test(line)) return;
  for (const [, module, object] of line.matchAll(MODULE_CALL)) {
    yield { kind: "module", segments: (module ?? object ?? "").split(".") };
  }
}

/** Nothing else holds a call of a module. */
const CALLS_MODULE = /:[A-Za-z_]|-[mA]|--app|FLASK_APP=/;

/** Longer runs of such characters are taken apart. */
const MAX_WORD = 200;

/** The words with a dot or a slash in them. */
function* writtenWords(line: string, bareDotted: boolean): Generator<Word> {
  for (let at = 0; at < line.length; ) {
    const unit = line.charCodeAt(at);
    if (((SIGNS[unit] ?? 0) & OF_WORD) === 0) {
      at++;
      continue;
    }
    const start = at;
    let signs = 0;
    let end = at;
    for (; end < line.length && end - start < MAX_WORD; end++) {
      const sign = SIGNS[line.charCodeAt(end)] ?? 0;
      if ((sign & OF_WORD) === 0) break;
      signs |= sign;
    }
    at = end;
    if ((signs & PARTS) === 0 || end - start < 2) continue;
    const word = readWord(line, start, end, bareDotted);
    if (word !== undefined) yield word;
  }
}

function readWord(line: string, start: number, end: number, bareDotted: boolean): Word | undefined {
  const opens = isQuote(line.charCodeAt(start - 1));
  const closes = isQuote(line.charCodeAt(end));
  const raw = line.slice(start, end);
  const text = trimmed(raw);
  if (text.length < 2) return undefined;
  const hasExtension = CODE_EXTENSION.test(text);
  if (!raw.includes("/") && !hasExtension) {
    const isQuoted = opens || closes;
    if (!(isQuoted || bareDotted) || !text.includes(".")) return undefined;
    return { kind: "dotted", parts: text.split("."), isQuoted };
  }
  return {
    kind: "path",
    text,
    segments: segmentsOf(text),
    isRelative: text.startsWith("./") || text.startsWith("../"),
    hasExtension,
    isFolder: raw.endsWith("/"),
    isQuoted: opens && closes,
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
