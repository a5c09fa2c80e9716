/** The files that mentions are looked for, by every way in which a text may name them. */

import { baseName, below as belowOfPaths, folderOf, foldersUp, isBelow, stemOf } from "./facts.ts";
import type { TextKind } from "./spoken_lines.ts";

// Paths by their ends: the parts of each stand in a tree from the last to the first, so that finding every path that
// ends in some parts takes as many steps as there are parts. What was taken below a place is given once.

export interface Place {
  /** The paths whose parts end here. */
  readonly paths: string[];
  /** Everything below was given. */
  taken: boolean;
  /** What is below. Most places have one child: the first stands by itself, since a large tree has half a million places. */
  part: string;
  child: Place | undefined;
  others: Map<string, Place> | undefined;
}

function addBelow(place: Place, part: string, below: Place): void {
  if (place.child === undefined || place.part === part) {
    place.part = part;
    place.child = below;
  } else {
    place.others ??= new Map();
    place.others.set(part, below);
  }
}

function below(place: Place, part: string): Place | undefined {
  return place.part === part ? place.child : place.others?.get(part);
}

function* allBelow(place: Place): Generator<Place> {
  if (place.child !== undefined) yield place.child;
  if (place.others !== undefined) yield* place.others.values();
}

export class SuffixTree {
  readonly #root: Place = newPlace();

  add(parts: readonly string[], path: string): void {
    let place = this.#root;
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i] ?? "";
      let next = below(place, part);
      if (next === undefined) {
        next = newPlace();
        addBelow(place, part, next);
      }
      place = next;
    }
    place.paths.push(path);
  }

  /** The longest end of the first `count` parts that any path ends in: its place, and how many of the last parts it is. */
  find(parts: readonly string[], count = parts.length) {
    let place = this.#root;
    let depth = 0;
    while (depth < count) {
      const next = below(place, parts[count - 1 - depth] ?? "");
      if (next === undefined) break;
      place = next;
      depth++;
    }
    return { place, depth };
  }
}

/** Takes every path at a place and below it that was not taken before. */
export function take(place: Place): string[] {
  const found: string[] = [];
  const open = [place];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.taken) continue;
    next.taken = true;
    found.push(...next.paths);
    for (const child of allBelow(next)) open.push(child);
  }
  return found;
}

/** At most `limit` of the paths at a place and below it. */
export function pathsAt(place: Place, limit: number): string[] {
  const found = new Set<string>();
  const open = [place];
  for (let next = open.pop(); next !== undefined && found.size < limit; next = open.pop()) {
    for (const path of next.paths) {
      if (found.size >= limit) break;
      found.add(path);
    }
    for (const child of allBelow(next)) {
      if (open.length >= limit) break;
      open.push(child);
    }
  }
  return [...found];
}

export function newPlace(paths: string[] = []): Place {
  return { paths, taken: false, part: "", child: undefined, others: undefined };
}

/** Folders that all patterns together may be compared with: a bound for a hostile tree. */
const MAX_COMPARED = 20_000_000;

/** Files of a folder that nothing reaches make the folder one that is loaded as a whole, from this many and this share on. */
const LOADED = { files: 3, share: 0.6 } as const;

export type MentionIndex = ReturnType<typeof indexOfMentions>;

/** `all` are the paths of the tree. Files that share a stem with a candidate are in it too: the nearest of them is the one meant. */
export function indexOfMentions(candidates: readonly string[], all: readonly string[]) {
  const wanted = new Set(candidates.map(nameKey));
  const names = new SuffixTree();
  const stems = new SuffixTree();
  const modules = new SuffixTree();
  const counts = new Map<string, number>();
  const inFolder = new Map<string, number>();
  const packages = new Set<string>();
  for (const path of all) {
    const name = baseName(path);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (name === "__init__.py") packages.add(folderOf(path));
    const isPython = path.endsWith(".py");
    if (!isPython && !SCRIPT.test(path)) continue;
    const kind = folderKind(path);
    inFolder.set(kind, (inFolder.get(kind) ?? 0) + 1);
    if (!wanted.has(nameKey(path))) continue;
    const folder = segmentsOf(folderOf(path));
    for (const written of writtenNames(name)) names.add([...folder, written], path);
    if (isPython) modules.add(name === "__init__.py" ? folder : [...folder, stemOf(path)], path);
    else {
      stems.add([...folder, stemOf(path)], path);
      if (stemOf(path) === "index") stems.add(folder, path);
    }
  }
  const { folders, held, unreached } = foldersOf(candidates);
  const above = new Set([...held.keys()].flatMap(foldersUp));
  return {
    /** Files by their names with extension. */
    names,
    /** Scripts by their names without extension, and by the folder whose index they are. */
    stems,
    /** Python modules and packages by their names. */
    modules,
    /** Folders that hold candidates. */
    folders,
    /** What a folder holds of candidates, as a place that is taken once. */
    held,
    /** What a folder holds of candidates further down, at any depth or so many folders deeper. */
    below: placesBelow(held, above),
    /** Whether most of what a folder holds is unreached, so that something must load it as a whole. */
    isLoadedWhole: (folder: string) =>
      [...(unreached.get(folder) ?? [])].some(
        ([kind, count]) => count >= LOADED.files && count >= (inFolder.get(kind) ?? 0) * LOADED.share,
      ),
    /** Whether a base name stands once in the tree. */
    isUnique: (name: string) => counts.get(name) === 1,
    /** Whether a folder is a Python package. */
    isPackage: (folder: string) => packages.has(folder),
  };
}

function foldersOf(candidates: readonly string[]) {
  const folders = new SuffixTree();
  const held = new Map<string, Place>();
  const unreached = new Map<string, Map<string, number>>();
  for (const path of candidates) {
    const folder = folderOf(path);
    if (!held.has(folder)) folders.add(segmentsOf(folder), folder);
    held.getOrInsertComputed(folder, () => newPlace()).paths.push(path);
    const kinds = unreached.getOrInsert(folder, new Map());
    kinds.set(folderKind(path), (kinds.get(folderKind(path)) ?? 0) + 1);
  }
  return { folders, held, unreached };
}

/** Each answer is made once: many texts may ask for the same. */
function placesBelow(held: ReadonlyMap<string, Place>, above: ReadonlySet<string>) {
  const known = new Map<string, Place>();
  let compared = 0;
  return (folder: string, deeper?: number): Place | undefined => {
    const key = `${deeper} ${folder}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    compared += held.size;
    if (!above.has(folder) || compared > MAX_COMPARED) return undefined;
    const place = newPlace();
    for (const [inner, files] of held) {
      if (!isBelow(folder, inner) || inner === folder) continue;
      const depth = belowOfPaths(folder, inner).split("/").length;
      if (deeper === undefined || depth === deeper) addBelow(place, inner, files);
    }
    known.set(key, place);
    return place;
  };
}

/** A folder with one family of files in it. */
function folderKind(path: string): string {
  return `${path.endsWith(".py") ? "py" : "js"} ${folderOf(path)}`;
}

/** What brings a file into the index: the name by which a word finds it. */
function nameKey(path: string): string {
  const stem = stemOf(path);
  return stem === "index" || stem === "__init__" ? `${baseName(folderOf(path))}/${stem}` : stem;
}

/** Compilers let a text name the file that will be there. */
function writtenNames(name: string): string[] {
  const typed = /^(.+)\.([cm]?)tsx?$/.exec(name);
  return typed === null ? [name] : [name, `${typed[1]}.${typed[2]}js`];
}

const SCRIPT = /\.([cm]?[jt]sx?|es6|vue|svelte|astro|mdx)$/;

/** Empty for the root. */
export function segmentsOf(folder: string): string[] {
  return folder === "" ? [] : folder.split("/");
}

// Which of several files a text means.

/** So many files of one ending are told apart by which is nearest to the text. */
export const MAX_NEAR = 32;

/** A text that may name files. */
export interface Text {
  readonly path: string;
  readonly kind: TextKind;
  readonly packages: ReadonlySet<string>;
  readonly isImport: (word: string) => boolean;
}

/** Whether a path goes through a package that others made; `before` is what stands before the part that fits. */
export function isForeign({ packages }: Text, before: readonly string[]): boolean {
  const [first, second] = before;
  if (first === undefined) return false;
  return packages.has(first) || packages.has(`${first}/${second}`) || before.includes("node_modules");
}

/** Of several files that a word may mean: those that share the most folders with the text. */
export function nearest(from: string, paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return paths;
  const shared = paths.map((path) => sharedLength(from, path));
  const most = Math.max(...shared);
  return paths.filter((_, i) => shared[i] === most);
}

/** How far two paths go through the same folders. */
function sharedLength(one: string, other: string): number {
  let shared = 0;
  for (let i = 0; i < one.length && i < other.length && one[i] === other[i]; i++)
    if (one[i] === "/") shared = i + 1;
  return shared;
}

/** Without the ways up and the aliases at the start of a path. */
export function withoutUps(segments: readonly string[]): readonly string[] {
  const from = segments.findIndex((segment) => segment !== ".." && segment !== "~" && segment !== "@");
  return from < 0 ? [] : segments.slice(from);
}
