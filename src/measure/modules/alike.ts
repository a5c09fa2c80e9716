/** Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something loads them by it. */
import { append, baseName, folderOf, foldersUp, stemOf } from "./paths.ts";

/** So many unreached files of one name, and this share of all of that name there. */
const ALIKE = { files: 3, share: 0.6 } as const;

/** Names that people give anywhere, so that they say nothing. */
const COMMON =
  /^(index|utils?|helpers?|types?|constants?|common|shared|format\w*|dates?|strings?|hooks?|api|services?|lib|mod|styles?|data|config|schemas?|context|store)$/i;

/** The candidates that are loaded by their name. `all` are the paths of the tree. */
export function loadedByName(candidates: readonly string[], all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const groups = new Map<string, string[]>();
  for (const path of candidates) {
    if (COMMON.test(stemOf(path))) continue;
    const group = groups.get(groupOf(path));
    if (group === undefined) groups.set(groupOf(path), [path]);
    else group.push(path);
  }
  for (const path of all) {
    const group = groupOf(path);
    if (groups.has(group)) counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return [...groups].flatMap(([key, paths]) =>
    paths.length >= ALIKE.files && paths.length >= (counts.get(key) ?? 0) * ALIKE.share ? paths : [],
  );
}

/** The folder above the file's own, and the file's name. */
function groupOf(path: string): string {
  return `${folderOf(folderOf(path))}\n${baseName(path)}`;
}

/** So many files that nobody imports, and this share of all modules below one folder. */
const LOADED = { files: 6, share: 0.5 } as const;

/**
 * The unreached files of folders from which nothing that is in use is imported, but by tests: plug-ins and commands, which a program
 * loads by their folder. Nobody leaves so many dead files in one place and none that is in use. By the topmost folder.
 */
export function loadedByFolder(
  candidates: readonly string[],
  modules: Iterable<string>,
  edges: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlySet<string>,
  isTest: (path: string) => boolean,
): Map<string, string[]> {
  const unreached = candidates.filter((path) => !reached.has(path));
  const loaded = new Map<string, string[]>();
  if (unreached.length < LOADED.files) return loaded;
  const imported = new Set([...edges.values()].flat());
  const entered = new Set([""]);
  for (const [from, targets] of edges) {
    if (!reached.has(from) || isTest(from)) continue;
    for (const to of targets) for (const folder of foldersUp(folderOf(to))) entered.add(folder);
  }
  const alone = countFolders(unreached.filter((path) => !imported.has(path)));
  const all = countFolders(modules);
  const isLoaded = (folder: string) => {
    const count = alone.get(folder) ?? 0;
    return !entered.has(folder) && count >= LOADED.files && count >= (all.get(folder) ?? 0) * LOADED.share;
  };
  for (const path of unreached) {
    const folder = foldersUp(folderOf(path)).findLast(isLoaded);
    if (folder !== undefined) append(loaded, folder, path);
  }
  return loaded;
}

/** How many files lie below each folder. */
function countFolders(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const folder of foldersUp(folderOf(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
