/** The paths of one commit as those who resolve names ask for them. */
import type { Tree } from "./facts.ts";
import { folderOf } from "./paths.ts";

export function treeOf(paths: readonly string[]): Tree {
  const files = new Set(paths);
  const folders = new Set<string>([""]);
  for (const path of paths) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return { paths, has: (path) => files.has(path), hasFolder: (path) => folders.has(path) };
}
