/** Files that a program loads by their name or by their folder, told by the unreached files beside them. */

import { append, baseName, folderOf, foldersUp, stemOf } from "./paths.ts";

// Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something
// loads them by it.

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

/**
 * So many unreached files, and this share of all modules below one folder; and at most this share of them in files that are imported
 * by name from outside: a base class or a list of names that stands beside the plug-ins.
 */
const LOADED = { files: 5, share: 0.5, entered: 0.15 } as const;

/** Where whole programs and packages lie: what is true of a folder in them is not true of them. */
const SOURCE_ROOT =
  /(^|\/)(src|source|app|lib|client|server|frontend|backend|web)$|^(packages|apps|libs|services)(\/[^/]+)?$/;

/**
 * The unreached files of folders from which hardly anything is imported by what is in use outside of them, but for tests: plug-ins,
 * commands, a program of its own, which something loads by their folder. Nobody leaves so many dead files in one place and none that
 * is in use. By the topmost folder. `modules` are those that could be listed, and those in use among them.
 */
export function loadedByFolder(
  modules: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlySet<string>,
  isTest: (path: string) => boolean,
): Map<string, string[]> {
  const unreached = modules.filter((path) => !reached.has(path));
  const loaded = new Map<string, string[]>();
  if (unreached.length < LOADED.files) return loaded;
  const dead = countFolders(unreached);
  const all = countFolders(modules);
  const folders = [...dead].flatMap(([folder, count]) =>
    folder !== "" &&
    !SOURCE_ROOT.test(folder) &&
    count >= LOADED.files &&
    count >= (all.get(folder) ?? 0) * LOADED.share
      ? [folder]
      : [],
  );
  const isUse = (from: string) => reached.has(from) && !isTest(from);
  const entered = enteredFiles(folders, edges, isUse);
  const isLoaded = (folder: string) =>
    (entered.get(folder)?.size ?? Number.POSITIVE_INFINITY) <= (dead.get(folder) ?? 0) * LOADED.entered;
  for (const path of unreached) {
    const folder = foldersUp(folderOf(path)).findLast(isLoaded);
    if (folder !== undefined) append(loaded, folder, path);
  }
  return loaded;
}

/** The files of each folder that what is in use outside of it imports. */
function enteredFiles(
  folders: readonly string[],
  edges: ReadonlyMap<string, readonly string[]>,
  isUse: (from: string) => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const entered = new Map(folders.map((folder) => [folder, new Set<string>()]));
  if (entered.size === 0) return entered;
  for (const [from, targets] of edges) {
    if (!isUse(from)) continue;
    for (const to of targets) {
      for (const folder of foldersUp(folderOf(to))) {
        if (!from.startsWith(`${folder}/`)) entered.get(folder)?.add(to);
      }
    }
  }
  return entered;
}

/** How many files lie below each folder. */
function countFolders(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const folder of foldersUp(folderOf(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
