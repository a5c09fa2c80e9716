/** Files of one name in folders beside each other: `channels/mail/transport.py`, `channels/chat/transport.py`. Something loads them by it. */
import { baseName, folderOf, foldersUp, stemOf } from "./paths.ts";

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

/** So many files that nobody imports, and more than this share of all modules below one folder. */
const LOADED = { files: 20, share: 0.5 } as const;

/**
 * The unreached files of folders that hold hardly anything that is imported: plug-ins, which another program loads by their folder.
 * Nobody leaves so many dead files in one place.
 */
export function loadedByFolder(
  candidates: readonly string[],
  modules: Iterable<string>,
  edges: ReadonlyMap<string, readonly string[]>,
  reached: ReadonlySet<string>,
): string[] {
  const unreached = candidates.filter((path) => !reached.has(path));
  if (unreached.length < LOADED.files) return [];
  const imported = new Set([...edges.values()].flat());
  const alone = countFolders(unreached.filter((path) => !imported.has(path)));
  const all = countFolders(modules);
  const folders = new Set(
    [...alone].flatMap(([folder, count]) =>
      folder !== "" && count >= LOADED.files && count > (all.get(folder) ?? 0) * LOADED.share ? [folder] : [],
    ),
  );
  return unreached.filter((path) => foldersUp(folderOf(path)).some((folder) => folders.has(folder)));
}

/** How many files lie below each folder. */
function countFolders(paths: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    for (const folder of foldersUp(folderOf(path))) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}
