/**
 * Which files a Python name means. Where a program starts decides what its absolute names mean, and the repository does not say where:
 * every folder above the importing file that could be the start is tried, then every folder that holds the first name.
 */

import {
  baseName,
  below,
  folderOf,
  foldersUp,
  isBelow,
  type Names,
  type Resolve,
  type Tree,
} from "./facts.ts";

/** A first name that so many folders hold says nothing about any of them. */
const MAX_STARTS = 16;

/** How many files all patterns together may be compared with: a bound for a hostile tree of many patterns. */
const MAX_COMPARED = 5_000_000;

interface Index {
  readonly files: ReadonlySet<string>;
  /** Every folder that holds a module, also deeper down. */
  readonly folders: ReadonlySet<string>;
  /** For the first part of a name: the folders that hold it and are no packages themselves. */
  readonly starts: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Resolves Python's names. A `*` in one makes it a pattern that stands for every module it fits: `.*` is each beside the file,
 * `app.jobs.*` each of that folder, `*.tasks` each of that name; `**` goes down as far as there are folders. A colon
 * behind a name says that it was found as text: then at least two of its parts must lead somewhere.
 */
export function pythonResolver(tree: Pick<Tree, "paths">): Resolve {
  const files = new Set(tree.paths.filter((path) => path.endsWith(".py")));
  const folders = new Set<string>();
  const starts = new Map<string, Set<string>>();
  for (const path of files) {
    for (const at of foldersUp(path.slice(0, -".py".length)).slice(0, -1)) {
      const folder = folderOf(at);
      if (!files.has(join(folder, "__init__.py"))) starts.getOrInsert(baseName(at), new Set()).add(folder);
      folders.add(folder);
    }
  }
  const index: Index = { files, folders, starts };
  let compared = 0;
  return (from, specifier, names) => {
    if (!specifier.includes("*")) return [...new Set(resolve(index, from, specifier, names))];
    compared += files.size;
    return compared > MAX_COMPARED ? [] : load(index, from, specifier);
  };
}

function resolve(index: Index, from: string, specifier: string, names: Names): readonly string[] {
  const isText = specifier.endsWith(":");
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const parts = specifier.slice(dots, isText ? -1 : undefined).split(".");
  if (dots > 0) return modulesBelow(index, above(from, dots), parts[0] === "" ? [] : parts, names).found;
  const partial: string[] = [];
  for (const folder of startsOf(index, from, parts[0] ?? "")) {
    const { found, whole, depth } = modulesBelow(index, folder, parts, names);
    if (isText && depth < 2) continue;
    if (whole) return found;
    partial.push(...found);
  }
  return partial;
}

/** The folder that so many dots mean: one is the file's own. */
function above(from: string, dots: number): string {
  let folder = folderOf(from);
  for (let i = 1; i < dots; i++) folder = folderOf(folder);
  return folder;
}

/** The folders in which a name may begin, nearest first. */
function startsOf(index: Index, from: string, first: string): readonly string[] {
  const starts = index.starts.get(first);
  if (starts === undefined) return [];
  const near = foldersUp(folderOf(from)).filter((folder) => starts.has(folder));
  return starts.size > MAX_STARTS ? near : [...new Set([...near, ...starts])];
}

/**
 * The module of a name below a folder, the packages above it, and those of the names that are modules. What follows the module in
 * the name is something in it. `depth` is how many parts lead there; `whole` when the name leads to a module or a folder of modules, and not only to one on the way.
 */
function modulesBelow({ files, folders }: Index, start: string, parts: readonly string[], names: Names) {
  const found: string[] = [];
  let at = start;
  let depth = 0;
  if (parts.length === 0 && files.has(join(start, "__init__.py"))) found.push(join(start, "__init__.py"));
  for (const part of parts) {
    const next = join(at, part);
    if (files.has(`${next}/__init__.py`)) found.push(`${next}/__init__.py`);
    else if (files.has(`${next}.py`)) {
      return { found: [...found, `${next}.py`], whole: true, depth: depth + 1 };
    } else if (!folders.has(next)) return { found, whole: false, depth };
    at = next;
    depth++;
  }
  if (names === "all") return { found, whole: true, depth };
  for (const name of names) {
    const inner = join(at, name);
    const module = [`${inner}/__init__.py`, `${inner}.py`].find((path) => files.has(path));
    if (module !== undefined) found.push(module);
  }
  return { found, whole: true, depth };
}

function load(index: Index, from: string, pattern: string): readonly string[] {
  const parts = pattern.split(".");
  const hole = parts.findIndex((part) => part.includes("*"));
  // Holes alone fit everything.
  if (hole < 0 || /^[*.]*$/.test(pattern.replace(/^\./, "x"))) return [];
  const rest = parts.slice(hole).join("/");
  const anywhere = hole === 0 ? "**/" : "";
  const glob = new Bun.Glob(rest === "**" ? rest : `${anywhere}${rest}{.py,/__init__.py}`);
  const folders = hole === 0 ? [""] : foldersOf(index, from, pattern, parts.slice(0, hole));
  return [...index.files].filter((path) =>
    folders.some((folder) => isBelow(folder, path) && glob.match(below(folder, path))),
  );
}

/** The folders of the package that stands before the first hole. */
function foldersOf(index: Index, from: string, pattern: string, parts: readonly string[]): readonly string[] {
  const dots = /^\.*/.exec(pattern)?.[0].length ?? 0;
  const named = parts.filter((part) => part !== "");
  const starts = dots > 0 ? [above(from, dots)] : startsOf(index, from, named[0] ?? "");
  return starts
    .map((start) => [start, ...named].filter((part) => part !== "").join("/"))
    .filter((folder) => folder === "" || index.folders.has(folder));
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}
