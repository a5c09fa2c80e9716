/**
 * Which files a Python name means. Where a program starts decides what its absolute names mean, and the repository does not say
 * where: every folder above the importing file that could be the start is tried, then every folder that holds the first name.
 */

import type { Node } from "web-tree-sitter";
import { baseName, folderOf } from "./spoken_lines.ts";

/**
 * What one file of code says about other files. Read in the file-reader process, in the same parse as its functions; it crosses to
 * the run, so it holds no source text beyond names.
 */

/** Names taken from another module; `all` where the whole of it is taken, or where one cannot tell. */
export type Names = readonly string[] | "all";

export interface ImportFact {
  /** As it is written: `./a`, `@/lib/b`, `pkg`; in Python `a.b` or `..a`. */
  readonly specifier: string;
  readonly names: Names;
}

export interface ReexportFact {
  readonly specifier: string;
  /** `*` as a name is the whole module. */
  readonly names: readonly { readonly name: string; readonly as: string }[] | "all";
}

export interface ExportFact {
  readonly name: string;
  readonly line: number;
  /** Its own file uses it as well: only the word `export` may be too much. */
  readonly inside?: boolean;
  readonly isType?: boolean;
}

export interface ModuleFacts {
  readonly imports: readonly ImportFact[];
  readonly reexports: readonly ReexportFact[];
  readonly exports: readonly ExportFact[];
  /** Patterns of files that are loaded together, relative to the file: `./pages/*.vue`. */
  readonly globs: readonly string[];
  /** It is run as it is: a first line that names its interpreter, or a guard for being the main program. */
  readonly isProgram: boolean;
}

/** The paths of one commit, for whoever resolves names to files. */
export interface Tree {
  /** Every staged file. */
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  /** Whether a folder of that path holds a file. */
  readonly hasFolder: (path: string) => boolean;
  /** Whether a file has that path before one of the dots of its name: one look for a hundred endings. */
  readonly hasStem: (path: string) => boolean;
}

/**
 * The files of the tree that a specifier means. An empty list: it means something outside of the tree. `undefined`: it looks like
 * one of the tree's own, but none is found.
 */
export type Resolve = (from: string, specifier: string, names: Names) => readonly string[] | undefined;

/** A first name that so many folders hold says nothing about any of them. */
const MAX_STARTS = 16;

/** Names deeper than this mean no module. */
const MAX_DEPTH = 30;

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
  for (const path of files) noteFolders(path, files, folders, starts);
  const index: Index = { files, folders, starts };
  let compared = 0;
  return (from, specifier, names) => {
    if (!specifier.includes("*")) return [...new Set(resolve(index, from, specifier, names))];
    compared += files.size;
    return compared > MAX_COMPARED ? [] : load(index, from, specifier);
  };
}

function noteFolders(
  path: string,
  files: ReadonlySet<string>,
  folders: Set<string>,
  starts: Map<string, Set<string>>,
): void {
  let below = path.slice(0, -3);
  for (let depth = 0; depth < MAX_DEPTH && below !== ""; depth++) {
    const folder = folderOf(below);
    if (!files.has(join(folder, "__init__.py"))) {
      const known = starts.get(baseName(below));
      if (known === undefined) starts.set(baseName(below), new Set([folder]));
      else known.add(folder);
    }
    folders.add(folder);
    below = folder;
  }
}

function resolve(index: Index, from: string, specifier: string, names: Names): readonly string[] {
  const isText = specifier.endsWith(":");
  const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
  const parts = specifier.slice(dots, isText ? -1 : undefined).split(".");
  if (parts.length > MAX_DEPTH) return [];
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
  for (let i = 1; i < Math.min(dots, MAX_DEPTH); i++) folder = folderOf(folder);
  return folder;
}

/** The folders in which a name may begin, nearest first. */
function startsOf(index: Index, from: string, first: string): readonly string[] {
  const starts = index.starts.get(first);
  if (starts === undefined) return [];
  const near: string[] = [];
  for (let folder = folderOf(from), depth = 0; depth < MAX_DEPTH; depth++) {
    if (starts.has(folder)) near.push(folder);
    if (folder === "") break;
    folder = folderOf(folder);
  }
  return starts.size > MAX_STARTS ? near : [...new Set([...near, ...starts])];
}

/**
 * The module of a name below a folder, the packages above it, and those of the names that are modules. What follows the module in
 * the name is something in it. `depth` is how many parts lead there; `whole` when the name leads to a module or a folder of modules, and not only to one on the way.
 */
function modulesBelow(
  { files, folders }: Index,
  start: string,
  parts: readonly string[],
  names: Names,
): { found: string[]; whole: boolean; depth: number } {
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
    const below = join(at, name);
    const module = [`${below}/__init__.py`, `${below}.py`].find((path) => files.has(path));
    if (module !== undefined) found.push(module);
  }
  return { found, whole: true, depth };
}

function load(index: Index, from: string, pattern: string): readonly string[] {
  const parts = pattern.split(".");
  const hole = parts.findIndex((part) => part.includes("*"));
  // Holes alone fit everything.
  if (hole < 0 || parts.length > MAX_DEPTH || /^[*.]*$/.test(pattern.replace(/^\./, "x"))) return [];
  const rest = parts.slice(hole);
  const matches = matcherOf(rest);
  const folders = hole === 0 ? [""] : foldersOf(index, from, pattern, parts.slice(0, hole));
  const found: string[] = [];
  for (const path of index.files) {
    for (const folder of folders) {
      if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
      const names = moduleParts(folder === "" ? path : path.slice(folder.length + 1));
      if (hole === 0 ? matches(names.slice(-rest.length)) : matches(names)) found.push(path);
    }
  }
  return found;
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

/** Whether the parts of a module's name fit a pattern's; each hole is within one part, `**` takes any number of them. */
function matcherOf(pattern: readonly string[]): (parts: readonly string[]) => boolean {
  if (pattern[0] === "**") return (parts) => parts.length > 0;
  const fits = pattern.map((part) => {
    const [before = "", after = ""] = [
      part.slice(0, part.indexOf("*")),
      part.slice(part.lastIndexOf("*") + 1),
    ];
    return part.includes("*")
      ? (name: string) =>
          name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after)
      : (name: string) => name === part;
  });
  return (parts) => parts.length === fits.length && fits.every((fit, i) => fit(parts[i] ?? ""));
}

/** `a/b.py` is a, b; `a/__init__.py` is a. */
function moduleParts(path: string): string[] {
  const parts = path.slice(0, -3).split("/");
  return parts.at(-1) === "__init__" ? parts.slice(0, -1) : parts;
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** The names that one `export` statement declares. */

const TYPES: ReadonlySet<string> = new Set(["interface_declaration", "type_alias_declaration"]);
const MAX_NAME = 200;

/** The names of `export …` without a `from`. */
export function declaredNames(statement: Node): ExportFact[] {
  const names: ExportFact[] = [];
  for (const child of statement.children) {
    if (child.type === "default") return [{ name: "default", line: lineOf(child) }];
    if (child.type === "=") return [];
    if (child.type === "export_clause") {
      for (const one of child.namedChildren) {
        const name = one.childForFieldName("alias") ?? one.childForFieldName("name");
        if (name !== null) names.push({ name: textOf(name).replace(/^["']|["']$/g, ""), line: lineOf(one) });
      }
      return names;
    }
  }
  const declaration = statement.childForFieldName("declaration");
  return declaration === null ? [] : namesOf(declaration);
}

function namesOf(declaration: Node): ExportFact[] {
  if (declaration.type === "ambient_declaration") {
    const inner = declaration.namedChild(0);
    return inner === null ? [] : namesOf(inner);
  }
  if (declaration.type === "lexical_declaration" || declaration.type === "variable_declaration") {
    return declaration.namedChildren.flatMap((declarator) => {
      const name = declarator.childForFieldName("name");
      if (name === null) return [];
      // `const undo = register({ … })`: the call may hand the value on, so that it is used though nothing names it.
      const isHandedOn =
        declarator.childForFieldName("value")?.childForFieldName("function")?.type === "identifier";
      return patternNames(name).map((one) => (isHandedOn ? { ...one, inside: true } : one));
    });
  }
  const name = declaration.childForFieldName("name");
  if (name === null) return [];
  const isType = TYPES.has(declaration.type);
  return [{ name: textOf(name), line: lineOf(name), ...(isType ? { isType } : {}) }];
}

/** An identifier, or every name of a destructuring pattern. */
function patternNames(pattern: Node): ExportFact[] {
  if (pattern.type === "identifier") return [{ name: textOf(pattern), line: lineOf(pattern) }];
  return pattern
    .descendantsOfType(["shorthand_property_identifier_pattern", "identifier"])
    .map((one) => ({ name: textOf(one), line: lineOf(one) }));
}

function textOf(node: Node): string {
  return node.text.slice(0, MAX_NAME);
}

function lineOf(node: Node): number {
  return node.startPosition.row + 1;
}
