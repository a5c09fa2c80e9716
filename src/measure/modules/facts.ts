/**
 * What one file of code says about other files. Read in the file-reader process, in the same parse as its functions; it crosses to the
 * run, so it holds no source text beyond names.
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
