/** Which folders one text loads, so that no import has to name what lies in them. */
import { isTestFile } from "../test_files.ts";
import { isForeign, MAX_NEAR, nearest, type Text, withoutUps } from "./mention_choice.ts";
import type { MentionIndex } from "./mention_index.ts";
import { type FolderWord, isHole, type PathWord } from "./mention_words.ts";
import { folderOf, joinPath } from "./paths.ts";
import { type Place, pathsAt } from "./suffix_tree.ts";

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
export class FolderReader {
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
