/** What one text names, word by word. */
import { FolderReader } from "./folder_mentions.ts";
import { isForeign, MAX_NEAR, nearest, type Text, withoutUps } from "./mention_choice.ts";
import { type MentionIndex, segmentsOf } from "./mention_index.ts";
import {
  canCall,
  type DottedWord,
  hasParts,
  isHole,
  type PathWord,
  type StemWord,
  signsOf,
  type Word,
  wordsOf,
} from "./mention_words.ts";
import { baseName, folderOf, joinPath, stemOf } from "./paths.ts";
import { type Place, pathsAt, type SuffixTree } from "./suffix_tree.ts";

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
    const isLoading = canCall(signs) && this.#folders.readLine(line, hasParts(signs));
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

  #note(place: Place): void {
    const paths = pathsAt(place, MAX_NEAR + 1);
    if (paths.length > MAX_NEAR) this.#full.add(place);
    else for (const path of nearest(this.#text.path, paths)) this.files.add(path);
  }
}
