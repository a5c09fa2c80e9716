/** The `--path` options: which parts of the tree are measured. */
import { BOUNDS } from "../codebase/contract.ts";
import { isUsablePath } from "./usable.ts";

export type PathsResult =
  | { readonly ok: true; readonly paths: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Normalises paths: literal, POSIX, no `.` segments, no trailing slash, each once. Nothing given means `.`. */
export function readPaths(given: readonly string[]): PathsResult {
  const paths = new Set<string>();
  for (const text of given) {
    const path = text
      .split("/")
      .filter((segment) => segment !== "" && segment !== ".")
      .join("/");
    if (text === "" || text.startsWith("/") || (path !== "" && !isUsablePath(path))) {
      return { ok: false, message: `--path ${JSON.stringify(text)}: a path inside the repository is needed` };
    }
    paths.add(path === "" ? "." : path);
  }
  if (paths.size > BOUNDS.paths) {
    return { ok: false, message: `--path: at most ${BOUNDS.paths}; pass a parent directory` };
  }
  return { ok: true, paths: paths.size === 0 ? ["."] : [...paths] };
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
