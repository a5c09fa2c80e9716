/** Which of several files a text means. */
import type { TextKind } from "./spoken_lines.ts";

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
