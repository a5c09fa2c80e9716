/** Paths of a tree: always with `/`, never with a leading one. */

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
  const segments = folder === "" ? [] : folder.split("/");
  for (const segment of relative.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") {
      if (segments.pop() === undefined) return undefined;
    } else segments.push(segment);
  }
  return segments.join("/");
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

/** Adds to the list of a key. */
export function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
