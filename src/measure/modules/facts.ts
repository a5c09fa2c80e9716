/**
 * What one file of code says about other files. Read in the file-reader process, in the same parse as its functions; it crosses to the
 * run, so it holds no source text beyond names.
 */

import { join } from "node:path/posix";

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

// What the search for uses may cost, counted in steps and not in time: the same commit gets the same answer on every
// machine. The largest trees measured take a third of a million; a small one can be written to take billions.

/** Looks at a path, a mapping or a pattern. */
const MAX_STEPS = 100_000_000;

/** Facts about the tree that are held at once: edges, names that are taken, mappings that are extended. */
const MAX_HELD = 3_000_000;

export class Effort {
  #steps: number;
  #held: number;

  constructor(steps = MAX_STEPS, held = MAX_HELD) {
    this.#steps = steps;
    this.#held = held;
  }

  /** Throws TooMuchError when all together took more. */
  take(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooMuchError();
  }

  /** The same for what stays in memory. */
  hold(facts: number): void {
    this.#held -= facts;
    if (this.#held < 0) throw new TooMuchError();
  }
}

export class TooMuchError extends Error {
  override readonly name = "TooMuchError";
  override readonly message = "The files name each other in too many ways to follow them all.";
}

// Paths of a tree: always with `/`, never with a leading one.

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
  const joined = join(".", folder, relative).replace(/\/$/, "");
  if (joined === ".." || joined.startsWith("../")) return undefined;
  return joined === "." ? "" : joined;
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
