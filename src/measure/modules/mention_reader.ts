import { isTestFile } from "../test_files.ts";
import { baseName, folderOf, foldersUp, joinPath, stemOf } from "./facts.ts";
import {
  isForeign,
  MAX_NEAR,
  type MentionIndex,
  nearest,
  type Place,
  pathsAt,
  type SuffixTree,
  segmentsOf,
  type Text,
  withoutUps,
} from "./mention_index.ts";

// The words of a line that could name a file, taken apart.

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
interface PathWord {
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
interface DottedWord {
  readonly kind: "dotted";
  readonly parts: readonly string[];
  readonly isQuoted: boolean;
}

/** A word that a call, a directive or a command line makes the name of a file. */
interface StemWord {
  readonly kind: "stem" | "module";
  readonly segments: readonly string[];
}

/** A folder that a directive puts in whole; deep: with the folders in it. */
interface FolderWord {
  readonly kind: "folder";
  readonly segments: readonly string[];
  readonly isDeep: boolean;
}

type Word = PathWord | DottedWord | StemWord | FolderWord;

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
function signsOf(line: string): number {
  let signs = 0;
  for (let at = 0; at < line.length; at++) signs |= SIGNS[line.charCodeAt(at)] ?? 0;
  return signs;
}

/** The words of one line; the same one may come more than once. Dotted ones without a quote beside them only where they say something. */
function* wordsOf(line: string, signs: number, bareDotted: boolean): Generator<Word> {
  if ((signs & PARTS) !== 0) yield* writtenWords(line, bareDotted);
  if ((signs & OF_WORD) === 0) return;
  if ((signs & QUOTE) !== 0) {
    for (const [, text = ""] of line.matchAll(STEM_CALL)) yield { kind: "stem", segments: partsOf(text) };
    for (const { 1: text = "", index } of (signs & PARTS) === 0 ? [] : line.matchAll(BRACKETED)) {
      const word = readWord(line, index + 1, index + 1 + text.length, bareDotted);
      if (word !== undefined) yield word;
    }
  }
  if ((signs & EQUALS) !== 0) {
    const directive = DIRECTIVE.exec(line)?.[1];
    if (directive !== undefined) yield { kind: "stem", segments: partsOf(directive) };
    const [, reach, folder] = TREE_DIRECTIVE.exec(line) ?? [];
    if (folder !== undefined) yield { kind: "folder", segments: partsOf(folder), isDeep: reach === "tree" };
  }
  const pinned = line.includes("pin_all_from") ? PINNED_FOLDER.exec(line)?.[1] : undefined;
  if (pinned !== undefined) yield { kind: "folder", segments: partsOf(pinned), isDeep: true };
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
    segments: partsOf(text),
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

function partsOf(text: string): string[] {
  return text.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** Whether a segment stands for others. */
function isHole(segment: string): boolean {
  return HOLE.test(segment);
}

function isQuote(unit: number): boolean {
  return unit === 0x22 || unit === 0x27 || unit === 0x60;
}

// Which folders one text loads, so that no import has to name what lies in them.

/** Settings that list folders for a checker, a builder or a machine; that loads nothing. */
const LISTING_FOLDERS =
  /(^|\/)(\.github|\.gitlab|\.circleci)\/|(^|\/)(Dockerfile|Containerfile|docker-compose|compose|\.gitlab-ci|azure-pipelines|[tj]sconfig|package\.json|composer\.json|pyproject\.toml|setup\.(cfg|py)|MANIFEST|tox\.ini|pytest\.ini|noxfile|\.pre-commit|biome|turbo\.json|nx\.json|renovate|vercel\.json|netlify\.toml)[^/]*$|\.(config|workspace)\.[\w.]+$/;

/** A file that lists its own folder loads what lies beside it. */
const LISTS_ITS_FOLDER =
  /\b(?:readdir(?:Sync)?|require_?[dD]ir(?:ectory)?|requireAll)\(\s{0,5}(?:__dirname|import\.meta\.dir|module\b)/;

/** A call that takes a folder and loads what lies in it. */
const LOADING =
  /\b(?:(?:auto|eager|lazy)?_?load|readdir|glob|scandir|listdir|iterdir|require_?all|require_?dir|importAll|discover|walk)\w{0,20}\(/i;

/** A call that loads every file of a folder. */
const LOADING_ALL = /\b(?:auto_?load|(?:require|import|load|include)_?(?:all|dir))\w{0,20}\(/i;

/** The folder of the functions in the settings of a host. */
const FUNCTION_FOLDER = /^\s*(?:functions|edge_functions|directory)\s*=\s*["']([^"'\n]{1,200})["']/;

/** A call that puts a path together. */
const JOINING = /\b(?:join|resolve)\(/;

/** The names put together in it. */
const JOINED = /["'`]([\w@][\w./@-]{1,60})["'`]/g;

/** Gathers the folders that one text loads. */
class FolderReader {
  readonly #index: MentionIndex;
  readonly #text: Text;
  readonly #folder: string;
  readonly #places = new Set<Place>();

  constructor(index: MentionIndex, text: Text) {
    this.#index = index;
    this.#text = text;
    this.#folder = folderOf(text.path);
  }

  places(): Place[] {
    return [...this.#places];
  }

  /** Reads the folder of functions that a host's settings name. */
  readSetting(line: string): void {
    const folder = FUNCTION_FOLDER.exec(line)?.[1];
    if (folder !== undefined) this.#load(joinPath(this.#folder, folder) ?? "", true);
  }

  /** Whether the line, which holds a call, loads folders; that only matters where `hasPaths`. */
  readLine(line: string, hasPaths: boolean): boolean {
    if (this.#text.kind !== "module" && this.#text.kind !== "code") return false;
    if (LISTS_ITS_FOLDER.test(line)) this.#load(this.#folder, true);
    if (JOINING.test(line)) this.#readJoined(line);
    // A test that lists a folder of sources reads them.
    return hasPaths && LOADING.test(line) && !isTestFile(this.#text.path);
  }

  /** `path.join(STATIC, "starter")`: a folder that hardly anything else reaches. */
  #readJoined(line: string): void {
    if (LISTING_FOLDERS.test(this.#text.path)) return;
    const isAll = LOADING_ALL.test(line) && !isTestFile(this.#text.path);
    for (const [, name = ""] of line.matchAll(JOINED)) {
      const parts = name.split("/");
      const { place, depth } = this.#index.folders.find(parts);
      if (depth < parts.length) continue;
      for (const folder of nearest(this.#text.path, pathsAt(place, MAX_NEAR))) {
        if (`/${folder}`.endsWith(`/${name}`)) this.#load(folder, isAll);
      }
    }
  }

  /** `//= require_tree ./jobs` */
  readListed({ segments, isDeep }: FolderWord): void {
    for (const start of [this.#folder, ""]) {
      const folder = joinPath(start, segments.join("/"));
      if (folder === undefined) continue;
      this.#load(folder, true);
      if (isDeep) this.#loadBelow(folder);
    }
  }

  /** A word that ends where a folder does; it counts for folders that something must load as a whole. */
  readPath(word: PathWord, isLoading: boolean): void {
    const { segments, isFolder, isRelative, hasExtension } = word;
    const { kind, path } = this.#text;
    const hole = segments.findIndex(isHole);
    const isOpen = isFolder || hole >= 0;
    if (!this.#canMeanFolder(word, hole, isOpen)) return;
    const isCode = isLoading || isRelative || hasExtension;
    if (isCode && hole >= 0 && hole < segments.length - 1) this.#readPattern(segments, hole);
    const named = hole < 0 ? segments : segments.slice(0, hole);
    // `users/${id}` and "users/" may be addresses of the application.
    if (LISTING_FOLDERS.test(path) || (isOpen && !isCode && named.length < 2)) return;
    const hasStar = segments.some((segment) => segment.includes("*"));
    const isComputed = kind !== "settings" && (isLoading || (isOpen && isCode && !hasStar));
    if (!this.#loadExact(named, isCode, isComputed)) this.#loadByEnd(named);
  }

  /** Whether a word of this text can name a folder at all; `hole` is where its first hole is, or -1. */
  #canMeanFolder({ segments, hasExtension, isQuoted }: PathWord, hole: number, isOpen: boolean): boolean {
    const { kind } = this.#text;
    if (kind === "document" || kind === "markup") return false;
    if (hasExtension ? hole < 0 : !isOpen && !isQuoted && kind !== "settings") return false;
    if (segments.some((segment) => segment.includes("**"))) return false;
    // `pages/${name}.html` is no code.
    return hasExtension || !/\.\w+$/.test(segments.at(-1) ?? "");
  }

  /** The folder that the word names from where the text lies, or from the root; false when there is none. */
  #loadExact(named: readonly string[], isCode: boolean, isComputed: boolean): boolean {
    if (named.length === 0) return false;
    const starts = isCode || named.length > 1 ? [this.#folder, ""] : [this.#folder];
    return starts.some((start) => {
      const exact = joinPath(start, named.join("/"));
      return exact !== undefined && exact !== "" && this.#load(exact, isComputed);
    });
  }

  /** The nearest folders that end as the word does, in two parts at least. */
  #loadByEnd(named: readonly string[]): void {
    const rest = withoutUps(named);
    if (rest.length < 2) return;
    const { place, depth } = this.#index.folders.find(rest);
    if (depth < 2 || isForeign(this.#text, rest.slice(0, rest.length - depth))) return;
    for (const folder of nearest(this.#text.path, pathsAt(place, MAX_NEAR))) this.#load(folder, false);
  }

  /** `./pages/${kind}/${name}.js`: the files so many folders further down. */
  #readPattern(segments: readonly string[], hole: number): void {
    if (segments.some((segment) => segment.includes("*"))) return;
    const named = segments.slice(0, hole);
    for (const start of named.length === 0 ? [] : [this.#folder, ""]) {
      const folder = joinPath(start, named.join("/"));
      if (folder === undefined || folder === "") continue;
      this.#loadBelow(folder, segments.length - 1 - hole);
    }
  }

  /** `app.jobs`, where most of the folder is reached by nothing else. */
  readDotted(parts: readonly string[]): void {
    const { kind, path } = this.#text;
    if (kind === "document" || parts.length < 2 || LISTING_FOLDERS.test(path)) return;
    const { place, depth } = this.#index.folders.find(parts);
    if (depth < parts.length) return;
    for (const folder of nearest(path, pathsAt(place, MAX_NEAR))) this.#load(folder, false);
  }

  #load(folder: string, isComputed: boolean): boolean {
    const place = this.#index.held.get(folder);
    if (place === undefined) return false;
    if (isComputed || this.#index.isLoadedWhole(folder)) this.#places.add(place);
    return true;
  }

  #loadBelow(folder: string, deeper?: number): void {
    const place = this.#index.below(folder, deeper);
    if (place !== undefined) this.#places.add(place);
  }
}

/** A text that names more is a list of everything. */
const MAX_HITS = 20_000;

/** Names of modules have no more parts. */
const MAX_PARTS = 20;

/** What may stand before a path that a tool resolves: an alias, or the folder that is served or built into. */
const ALIAS =
  /^[~@#$.]|^(src|app|lib|public|static|assets|dist|build|out|js|root|workspace|usr|opt|srv|home|var|www)$/;

/** Names of files that people make up. */
const SAMPLE = /^(?:\w|foo|bar|baz)\.\w+$/;

/** Gathers what one text names. */
export class TextReader {
  readonly #index: MentionIndex;
  readonly #text: Text;
  readonly #folder: string;
  readonly #folders: FolderReader;
  readonly #isHost: boolean;
  /** A dotted word outside of quotes is more than a field of something. */
  readonly #bareDotted: boolean;
  /** Places too full to tell their files apart. */
  readonly #full = new Set<Place>();
  readonly files = new Set<string>();

  constructor(index: MentionIndex, text: Text) {
    this.#index = index;
    this.#text = text;
    this.#folder = folderOf(text.path);
    this.#folders = new FolderReader(index, text);
    this.#isHost = baseName(text.path) === "netlify.toml";
    this.#bareDotted = text.kind === "settings" || text.kind === "document";
  }

  places(): Place[] {
    return [...this.#full, ...this.#folders.places()];
  }

  readLine(line: string): void {
    const signs = signsOf(line);
    if (this.#isHost) this.#folders.readSetting(line);
    const isLoading = (signs & PAREN) !== 0 && this.#folders.readLine(line, (signs & PARTS) !== 0);
    for (const word of wordsOf(line, signs, this.#bareDotted)) {
      if (this.#full.size + this.files.size > MAX_HITS) return;
      this.#readWord(word, isLoading);
    }
  }

  #readWord(word: Word, isLoading: boolean): void {
    if (word.kind === "path") {
      if (!this.#text.isImport(word.text)) this.#readPath(word, isLoading);
    } else if (word.kind === "dotted") this.#readDotted(word);
    else if (word.kind === "folder") this.#folders.readListed(word);
    else this.#readStem(word);
  }

  #readPath(word: PathWord, isLoading: boolean): void {
    const { segments, hasExtension, isRelative } = word;
    this.#folders.readPath(word, isLoading);
    const hole = segments.findLastIndex(isHole);
    const rest = withoutUps(segments.slice(hole + 1));
    if (rest.length === 0 || (!hasExtension && this.#text.kind === "document")) return;
    const tree = hasExtension ? this.#index.names : this.#index.stems;
    if (hole >= 0) {
      this.#readAfterHole(tree, rest, withoutUps(segments.slice(0, hole)).at(-1));
      return;
    }
    if (rest.length === 1 && !isRelative && !hasExtension) return;
    if (this.#readExact(tree, segments)) return;
    const { place, depth } = tree.find(rest);
    const before = rest.slice(0, rest.length - depth);
    if (isForeign(this.#text, before)) return;
    const isNamed = hasExtension ? this.#namesFile(rest, depth) : this.#namesStem(before, depth);
    if (isNamed) this.#note(place);
    else if (!hasExtension && rest.at(-1)?.includes(".") === true) this.#readHandler(rest);
  }

  /** With its extension a name says enough where only one file bears it. */
  #namesFile(rest: readonly string[], depth: number): boolean {
    const name = rest.at(-1) ?? "";
    return depth >= 2 || (depth === 1 && !SAMPLE.test(name) && this.#index.isUnique(name));
  }

  /** Without one it takes two parts behind an alias, or in settings three behind the name of a package. */
  #namesStem(before: readonly string[], depth: number): boolean {
    if (depth >= 2 && before.every((segment) => ALIAS.test(segment))) return true;
    return depth >= 3 && before.length === 1 && this.#text.kind === "settings";
  }

  /** `src/handlers/report.main`: a function in a file, as hosts of functions name it. */
  #readHandler(segments: readonly string[]): void {
    if (this.#text.kind !== "settings" || segments.length < 2) return;
    const parts = [...segments.slice(0, -1), stemOf(segments.at(-1) ?? "")];
    for (const tree of [this.#index.stems, this.#index.modules]) {
      const { place, depth } = tree.find(parts);
      if (depth === parts.length) this.#note(place);
    }
  }

  /** A word that leads to a file from where it stands, or from the root, means that one alone. */
  #readExact(tree: SuffixTree, segments: readonly string[]): boolean {
    const word = segments.join("/");
    for (const start of this.#folder === "" ? [""] : [this.#folder, ""]) {
      const target = joinPath(start, word);
      if (target === undefined || target === "") continue;
      const parts = segmentsOf(target);
      const { place, depth } = tree.find(parts);
      if (depth < parts.length || place.paths.length === 0) continue;
      for (const path of place.paths.slice(0, MAX_NEAR)) this.files.add(path);
      return true;
    }
    return false;
  }

  /** `${folder}/job`: what stands before the hole narrows what stands behind it, or else the text's own part of the tree does. */
  #readAfterHole(tree: SuffixTree, rest: readonly string[], before: string | undefined): void {
    const { place, depth } = tree.find(rest);
    const above = rest.slice(0, rest.length - depth);
    if (above.length > 0 && (depth < 2 || !above.every((segment) => ALIAS.test(segment)))) return;
    if (depth >= 2) {
      this.#note(place);
      return;
    }
    const own = segmentsOf(this.#text.path)[0];
    for (const path of pathsAt(place, MAX_NEAR)) {
      const segments = segmentsOf(path);
      if (before === undefined ? segments[0] === own : segments.slice(0, -1).includes(before))
        this.files.add(path);
    }
  }

  #readDotted({ parts, isQuoted }: DottedWord): void {
    const { kind } = this.#text;
    if (!isQuoted && !this.#bareDotted) return;
    const isWhole = (path: string, count: number) => this.#moduleLength(path) === count;
    for (let count = Math.min(parts.length, MAX_PARTS); count >= 2; count--) {
      const { place, depth } = this.#index.modules.find(parts, count);
      if (depth < count || isForeign(this.#text, parts)) continue;
      if (kind !== "document") this.#note(place);
      else for (const path of pathsAt(place, MAX_NEAR)) if (isWhole(path, count)) this.files.add(path);
      return;
    }
    this.#folders.readDotted(parts);
  }

  /** The parts of a module's whole name: those of the folders that are packages, and its own. */
  #moduleLength(path: string): number {
    const packages = foldersUp(folderOf(path)).findIndex(
      (folder) => folder === "" || !this.#index.isPackage(folder),
    );
    return packages + (baseName(path) === "__init__.py" ? 0 : 1);
  }

  #readStem({ kind, segments }: StemWord): void {
    const last = segments.at(-1);
    if (last === undefined) return;
    if (kind === "module") {
      if (segments.length === 1 && this.#text.kind !== "settings") return;
      const { place, depth } = this.#index.modules.find(segments);
      if (depth === segments.length) this.#note(place);
      return;
    }
    if (this.#text.kind === "document") return;
    for (const tree of [this.#index.names, this.#index.stems]) {
      const { place, depth } = tree.find(segments);
      if (depth === segments.length) this.#note(place);
    }
  }

  #note(place: Place): void {
    const paths = pathsAt(place, MAX_NEAR + 1);
    if (paths.length > MAX_NEAR) this.#full.add(place);
    else for (const path of nearest(this.#text.path, paths)) this.files.add(path);
  }
}
