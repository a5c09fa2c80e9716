/** Which entries of a tree can be measured at all: ordinary files with a name that every later step can carry. */

import { climbs, isRelative } from "../base/repository.ts";
import { BOUNDS } from "../reports/measures.ts";
import { partialClone } from "./figures.ts";
import type { TreeEntry } from "./git/history.ts";

/** Files above this size are left out, as the duplication tool leaves them out (bytes). */
export const MAX_FILE_BYTES = 1024 * 1024;

/** Above these a report would hold no file-based measure. */
export const MAX_FILES = 200_000;
const MAX_TOTAL_BYTES = 512 * 1024 * 1024;

const MAX_PATH_UNITS = 512;

/** Why an entry of the tree was left out. */
export type SkipReason =
  | "symbolic link"
  | "submodule"
  | "unusable name"
  | "larger than 1 MiB"
  | "binary"
  | "large-file pointer"
  | "vendored"
  | "dismissed"
  | "generated"
  | "minified"
  | "translation"
  | "document";

/** How many entries were left out, by reason. */
export type Skips = Map<SkipReason, number>;

/** Counts one more entry that was left out. */
export function skip(skips: Skips, reason: SkipReason): void {
  skips.set(reason, (skips.get(reason) ?? 0) + 1);
}

/** A regular file with a name that a report can hold. */
export interface UsableFile {
  readonly path: string;
  readonly oid: string;
  readonly size: number;
}

/**
 * The regular files of a tree with usable names and sizes. Symbolic links are never followed. A blob without a size is
 * missing from the object store: throws NotMeasurableError, because every number would be a partial one.
 */
export function usableFiles(entries: readonly TreeEntry[], skips: Skips): UsableFile[] {
  const files: UsableFile[] = [];
  for (const { mode, oid, size, path: bytes } of entries) {
    if (mode === "120000") skip(skips, "symbolic link");
    else if (mode === "160000") skip(skips, "submodule");
    else if (size === undefined) throw partialClone();
    else {
      const path = usableName(bytes);
      if (path === undefined) skip(skips, "unusable name");
      else if (size > MAX_FILE_BYTES) skip(skips, "larger than 1 MiB");
      else files.push({ path, oid, size });
    }
  }
  return files;
}

/** The name as text, or `undefined` when a report or the staging folder could not hold it. */
export function usableName(bytes: Uint8Array): string | undefined {
  let path: string;
  try {
    path = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  return isUsablePath(path) ? path : undefined;
}

/** Whether a path stays below the root and can be shown, staged and reported. */
export function isUsablePath(path: string): boolean {
  return (
    path.length <= MAX_PATH_UNITS &&
    isRelative(path) &&
    !climbs(path) &&
    !/[\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) &&
    !path
      .split("/")
      .some((segment) => segment === "" || segment === "." || segment.toLowerCase() === ".git") &&
    path.isWellFormed()
  );
}

/** Whether the files are more than one run may read. */
export function overLimits(files: readonly UsableFile[]): boolean {
  return files.length > MAX_FILES || files.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL_BYTES;
}

// The `--path` options: which parts of the tree are measured.

/** Normalises paths: literal, POSIX, no `.` segments, no trailing slash, each once. Nothing given means `.`. A text says what is wrong. */
export function readPaths(given: readonly string[]): readonly string[] | string {
  const paths = new Set<string>();
  for (const text of given) {
    const path = text
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .join("/");
    if (text === "" || text.startsWith("/") || (path !== "" && !isUsablePath(path))) {
      return `--path ${JSON.stringify(text)}: a path inside the repository is needed`;
    }
    paths.add(path === "" ? "." : path);
  }
  if (paths.size > BOUNDS.paths) return `--path: at most ${BOUNDS.paths}; pass a parent directory`;
  return paths.size === 0 ? ["."] : [...paths];
}

/** Whether a file lies inside the measured paths. */
export function pathFilter(paths: readonly string[]): (path: string) => boolean {
  if (paths.includes(".")) return () => true;
  const whole = new Set(paths);
  const folders = paths.map((path) => `${path}/`);
  return (path) => whole.has(path) || folders.some((folder) => path.startsWith(folder));
}

/** The pathspecs for git; none when the whole tree is measured. */
export function pathspecs(paths: readonly string[]): readonly string[] {
  return paths.includes(".") ? [] : paths;
}
