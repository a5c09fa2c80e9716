/**
 * Which files other files name, beside what they import: plug-ins loaded by name or by folder, scripts of templates, programs of
 * settings and of task lists. Only for the files that imports do not reach. Each text is passed over once, and a mention is kept with
 * the text that holds it: one in a text that is itself unused saves nothing.
 */
import { indexOfMentions, type MentionIndex, segmentsOf } from "./mention_index.ts";
import {
  type DottedWord,
  type FolderWord,
  isHole,
  type PathWord,
  type StemWord,
  type Word,
  wordsOf,
} from "./mention_words.ts";
import { baseName, folderOf, isBelow, joinPath, stemOf } from "./paths.ts";
import { spokenLines, type TextKind, textKind } from "./spoken_lines.ts";
import { type Place, pathsAt, type SuffixTree, take } from "./suffix_tree.ts";

export interface Mentions {
  /** Looks through one text. What a module imports is known: a word for which `isImport` holds names nothing else. */
  readonly read: (path: string, text: string, isImport?: (word: string) => boolean) => void;
  /** The candidates that the text of a file names; each is given once, to whoever asks first. */
  readonly takeNamedBy: (path: string) => string[];
}

/** So many files of one ending are told apart by which is nearest to the text. */
const MAX_NEAR = 32;

/** Places of which a text keeps more are those of a list of everything. */
const MAX_HITS = 20_000;

/** Nobody lists more whole trees in one text. */
const MAX_TREES = 20;

/** Names of modules have no more parts. */
const MAX_PARTS = 20;

/** Settings that list folders for a checker, a builder or a machine; that loads nothing. */
const LISTING_FOLDERS =
  /(^|\/)(\.github|\.gitlab|\.circleci)\/|(^|\/)(Dockerfile|Containerfile|docker-compose|compose|\.gitlab-ci|azure-pipelines|[tj]sconfig|package\.json|composer\.json|pyproject\.toml|setup\.(cfg|py)|MANIFEST|tox\.ini|pytest\.ini|noxfile|\.pre-commit|biome|turbo\.json|nx\.json|renovate|vercel\.json|netlify\.toml)[^/]*$|\.(config|workspace)\.[\w.]+$/;

/** A file that lists its own folder loads what lies beside it. */
const LISTS_ITS_FOLDER =
  /\b(?:readdir(?:Sync)?|require_?[dD]ir(?:ectory)?|requireAll)\(\s{0,5}(?:__dirname|import\.meta\.dir|module\b)/;

/** A call that takes a folder and loads what lies in it. */
const LOADING =
  /\b(?:(?:auto|eager|lazy)?_?load|readdir|glob|scandir|listdir|iterdir|require_?all|require_?dir|importAll|discover|walk)\w{0,20}\(/i;

/** What may stand before a path that a tool resolves: an alias, or the folder that is served or built into. */
const ALIAS =
  /^[~@#$.]|^(src|app|lib|public|static|assets|dist|build|out|js|root|workspace|usr|opt|srv|home|var|www)$/;

/**
 * Prepares the search. `all` are the paths of the tree, `packages` the names of packages that others made: a path through one of them
 * is theirs.
 */
export function searchMentions(
  candidates: readonly string[],
  all: readonly string[],
  packages: ReadonlySet<string>,
): Mentions {
  const index = indexOfMentions(candidates, all);
  const open = new Set(candidates);
  const hits = new Map<string, Set<Place>>();
  const single = new Map<string, Place>();
  const placeOf = (path: string): Place => {
    const place = single.get(path) ?? { children: new Map(), paths: [path], taken: false };
    single.set(path, place);
    return place;
  };
  return {
    read: (path, text, isImport = () => false) => {
      const kind = open.size === 0 ? undefined : textKind(path);
      if (kind === undefined) return;
      const reader = new TextReader(index, { path, kind, packages, isImport });
      for (const line of spokenLines(path, text)) reader.readLine(line);
      const found = new Set<Place>(reader.places);
      for (const named of reader.files) if (open.has(named)) found.add(placeOf(named));
      if (found.size > 0) hits.set(path, found);
    },
    takeNamedBy: (path) => {
      const named = [...(hits.get(path) ?? [])].flatMap(take);
      hits.delete(path);
      return named.filter((one) => open.delete(one));
    },
  };
}

interface Text {
  readonly path: string;
  readonly kind: TextKind;
  readonly packages: ReadonlySet<string>;
  readonly isImport: (word: string) => boolean;
}

/** Gathers what one text names. */
class TextReader {
  readonly #index: MentionIndex;
  readonly #text: Text;
  readonly #folder: string;
  #trees = 0;
  /** Places too full to tell their files apart, and folders that are loaded as a whole. */
  readonly places = new Set<Place>();
  readonly files = new Set<string>();

  constructor(index: MentionIndex, text: Text) {
    this.#index = index;
    this.#text = text;
    this.#folder = folderOf(text.path);
  }

  readLine(line: string): void {
    if (this.#text.kind !== "document" && LISTS_ITS_FOLDER.test(line)) this.#loadFolder(this.#folder, true);
    const isLoading = LOADING.test(line);
    for (const word of wordsOf(line)) {
      if (this.places.size + this.files.size > MAX_HITS) return;
      this.#readWord(word, isLoading);
    }
  }

  #readWord(word: Word, isLoading: boolean): void {
    if (word.kind === "path") {
      if (!this.#text.isImport(word.text)) this.#readPath(word, isLoading);
    } else if (word.kind === "dotted") this.#readDotted(word);
    else if (word.kind === "folder") this.#readListed(word);
    else this.#readStem(word);
  }

  #readPath(word: PathWord, isLoading: boolean): void {
    const { segments, hasExtension, isRelative } = word;
    this.#readFolder(word, isLoading);
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
    if (this.#isForeign(before)) return;
    const isNamed = hasExtension
      ? depth >= 2 || (depth === 1 && this.#index.isUnique(rest.at(-1) ?? ""))
      : depth >= 2 && before.every((segment) => ALIAS.test(segment));
    if (isNamed) this.#note(place);
    else if (!hasExtension && rest.at(-1)?.includes(".") === true) this.#readHandler(rest);
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
    if (depth < rest.length) return;
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
    if ((kind === "module" || kind === "code" || kind === "markup") && !isQuoted) return;
    const isWhole = (path: string, count: number) => this.#moduleLength(path) === count;
    for (let count = Math.min(parts.length, MAX_PARTS); count >= 2; count--) {
      const { place, depth } = this.#index.modules.find(parts, count);
      if (depth < count || this.#isForeign(parts)) continue;
      if (kind !== "document") this.#note(place);
      else for (const path of pathsAt(place, MAX_NEAR)) if (isWhole(path, count)) this.files.add(path);
      return;
    }
    const { place, depth } = this.#index.folders.find(parts);
    if (
      kind === "document" ||
      parts.length < 2 ||
      depth < parts.length ||
      LISTING_FOLDERS.test(this.#text.path)
    )
      return;
    for (const folder of this.#nearest(pathsAt(place, MAX_NEAR))) this.#loadFolder(folder, false);
  }

  /** The parts of a module's whole name: those of the folders that are packages, and its own. */
  #moduleLength(path: string): number {
    let length = baseName(path) === "__init__.py" ? 0 : 1;
    for (
      let folder = folderOf(path);
      folder !== "" && this.#index.isPackage(folder);
      folder = folderOf(folder)
    )
      length++;
    return length;
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

  /** `//= require_tree ./jobs` */
  #readListed({ segments, isDeep }: FolderWord): void {
    const folder = joinPath(this.#folder, segments.join("/"));
    if (folder === undefined) return;
    this.#loadFolder(folder, true);
    if (!isDeep || this.#trees++ >= MAX_TREES) return;
    for (const [held, place] of this.#index.held) if (isBelow(folder, held)) this.places.add(place);
  }

  /** A word that ends where a folder does; it counts for folders that something must load as a whole. */
  #readFolder({ segments, isFolder, hasExtension, isQuoted }: PathWord, isLoading: boolean): void {
    const { kind, path } = this.#text;
    if (kind === "document" || kind === "markup" || LISTING_FOLDERS.test(path)) return;
    const hole = segments.findIndex(isHole);
    const isOpen = isFolder || hole >= 0;
    if ((hasExtension && hole < 0) || (!isOpen && !isQuoted && kind !== "settings")) return;
    if (segments.some((segment) => segment.includes("**"))) return;
    const named = hole < 0 ? segments : segments.slice(0, hole);
    const isComputed =
      kind !== "settings" && (isLoading || (isOpen && !segments.some((segment) => segment.includes("*"))));
    for (const start of named.length === 0 ? [] : [this.#folder, ""]) {
      const exact = joinPath(start, named.join("/"));
      if (exact !== undefined && exact !== "" && this.#loadFolder(exact, isComputed)) return;
    }
    const rest = withoutUps(named);
    if (rest.length < 2) return;
    const { place, depth } = this.#index.folders.find(rest);
    if (depth < 2 || this.#isForeign(rest.slice(0, rest.length - depth))) return;
    for (const folder of this.#nearest(pathsAt(place, MAX_NEAR))) this.#loadFolder(folder, false);
  }

  #loadFolder(folder: string, isComputed: boolean): boolean {
    const place = this.#index.held.get(folder);
    if (place === undefined) return false;
    if (isComputed || this.#index.isLoadedWhole(folder)) this.places.add(place);
    return true;
  }

  #isForeign(before: readonly string[]): boolean {
    const [first, second] = before;
    const { packages } = this.#text;
    if (first === undefined) return false;
    return packages.has(first) || packages.has(`${first}/${second}`) || before.includes("node_modules");
  }

  #note(place: Place): void {
    const paths = pathsAt(place, MAX_NEAR + 1);
    if (paths.length > MAX_NEAR) this.places.add(place);
    else for (const path of this.#nearest(paths)) this.files.add(path);
  }

  /** Of several files that a word may mean: those that share the most folders with the text. */
  #nearest(paths: readonly string[]): readonly string[] {
    if (paths.length < 2) return paths;
    const shared = paths.map((path) => sharedLength(this.#text.path, path));
    const most = Math.max(...shared);
    return paths.filter((_, i) => shared[i] === most);
  }
}

/** How far two paths go through the same folders. */
function sharedLength(one: string, other: string): number {
  let shared = 0;
  for (let i = 0; i < one.length && i < other.length && one[i] === other[i]; i++)
    if (one[i] === "/") shared = i + 1;
  return shared;
}

function withoutUps(segments: readonly string[]): readonly string[] {
  const from = segments.findIndex((segment) => segment !== ".." && segment !== "~" && segment !== "@");
  return from < 0 ? [] : segments.slice(from);
}
