/** The paths of one commit as those who resolve names ask for them. */
import type { Tree } from "./facts.ts";
import { folderOf } from "./paths.ts";

export function treeOf(paths: readonly string[]): Tree {
  const files = new Set(paths);
  const folders = new Set<string>([""]);
  const stems = new Set<string>();
  for (const path of paths) {
    for (let dot = path.indexOf(".", path.lastIndexOf("/") + 1); dot >= 0; dot = path.indexOf(".", dot + 1)) {
      stems.add(path.slice(0, dot));
    }
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder);
  }
  return {
    paths,
    has: (path) => files.has(path),
    hasFolder: (path) => folders.has(path),
    hasStem: (path) => stems.has(path),
  };
}
